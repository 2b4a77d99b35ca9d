import type { ServerResponse } from 'node:http';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { expectTypeOf, vi } from 'vitest';
import { gatewayErrorsIn } from '../../client/src/index.ts';
import { directs } from '../support/metrics.ts';
import { expect, test as base } from '../support/gateway.ts';
import { chargesBreakdownRecord } from '../support/records.ts';
import { createCache } from './apollo-cache.ts';
import {
  ChargesByNumberDocument,
  IpConnectionByIdDocument,
  IpConnectionByNodeIdDocument,
  IpConnectionPageDocument,
  OverviewDocument,
} from './generated/documents.ts';
import {
  answering,
  linesOf,
  numbers,
  october,
  offices,
  refusal,
  refusingCharges,
  reportingCharges,
  threePages,
} from './upstream.ts';

// Vitest's own second is little on a machine that is busy with other things.
const soon = { interval: 5, timeout: 20_000 };

const test = base.extend<{ readonly client: ApolloClient }>({
  client: async ({ gateway }, use) => {
    const client = new ApolloClient({
      link: new HttpLink({ uri: `${gateway.url}/graphql`, headers: { authorization: 'Bearer apollo-key' } }),
      cache: createCache(),
      incrementalHandler: new Defer20220824Handler(),
    });
    await use(client);
    client.stop();
  },
});

test('Apollo Client appends page after page, each for one call', async ({ client, gateway, upstream }) => {
  const list = offices(45);
  upstream.script(list.answer);
  const pages = client.watchQuery({ query: IpConnectionPageDocument, variables: { first: 20 } });
  let shown: readonly unknown[] = [];
  const watching = pages.subscribe(({ data }) => {
    shown = (data?.ipConnections?.edges ?? []).map((edge) => edge?.node?.id);
  });
  for (const length of [20, 40, 45]) {
    await vi.waitFor(() => expect(shown).toHaveLength(length), soon);
    const pageInfo = pages.getCurrentResult().data?.ipConnections?.pageInfo;
    expect(pageInfo?.hasNextPage).toBe(length < 45);
    if (length < 45) await pages.fetchMore({ variables: { after: pageInfo?.endCursor } });
  }
  watching.unsubscribe();
  expect(shown).toEqual(list.ids);
  expect(linesOf(upstream.requests)).toEqual(threePages);
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer apollo-key'));
  expect(await directs(gateway)).toBe(3);
});

test('Apollo Client queries once per list, and for no row of one', async ({ client, upstream }) => {
  upstream.script(offices(30).answer);
  const query = IpConnectionPageDocument;
  const filter = { connectionName: { eq: 'Office 7' } };
  const orderBy = { field: 'CREATED_AT', direction: 'DESC' } as const;
  for (const variables of [{}, { filter }, { orderBy }, {}, { filter }, { orderBy }])
    await client.query({ query, variables: { first: 20, ...variables } });
  expect(upstream.requests).toHaveLength(3);
  const { data } = await client.query({ query: IpConnectionByIdDocument, variables: { id: 'row-7' } });
  expect(data?.ipConnection).toMatchObject({ id: 'row-7', connectionName: 'Office 7' });
  expect(upstream.requests).toHaveLength(3);
  // One that no list has brought is queried for, and one that does not exist once.
  const find = async (id: string) =>
    (await client.query({ query: IpConnectionByIdDocument, variables: { id } })).data?.ipConnection;
  expect(await find('row-25')).toMatchObject({ connectionName: 'Office 25' });
  expect([await find('none'), await find('none')]).toEqual([null, null]);
  expect(upstream.requests).toHaveLength(5);
});

test('Apollo Client updates a row that was read again in every list', async ({ client, upstream }) => {
  const list = offices(3);
  upstream.script(list.answer);
  const read = async () => (await client.query({ query: IpConnectionPageDocument, variables: { first: 20 } })).data;
  const nodeId = String((await read())?.ipConnections?.edges[1]?.node?.nodeId);
  list.rows = list.rows.map((row) => (row['id'] === 'row-1' ? { ...row, connection_name: 'Head office' } : row));
  await client.query({ query: IpConnectionByNodeIdDocument, variables: { nodeId } });
  expect((await read())?.ipConnections?.edges[1]?.node?.connectionName).toBe('Head office');
});

test('Apollo Client appends pages within an object that has no identity', async ({ client, upstream }) => {
  upstream.script(reportingCharges);
  const pages = client.watchQuery({ query: ChargesByNumberDocument, variables: october });
  let shown: readonly unknown[] = [];
  const watching = pages.subscribe(({ data }) => {
    shown = (data?.chargesBreakdown?.results?.edges ?? []).map((edge) => edge?.node?.tn);
  });
  for (const length of [2, 4, 5]) {
    await vi.waitFor(() => expect(shown).toEqual(numbers.slice(0, length)), soon);
    const pageInfo = pages.getCurrentResult().data?.chargesBreakdown?.results?.pageInfo;
    if (length < 5) await pages.fetchMore({ variables: { after: pageInfo?.endCursor } });
  }
  watching.unsubscribe();
});

test('Apollo Client gives both data and errors of a partial failure, by policy all', async ({ client, upstream }) => {
  upstream.script(refusingCharges);
  const { data, error } = await client.query({ query: OverviewDocument, variables: october, errorPolicy: 'all' });
  expect(data).toMatchObject({ chargesSummary: null, ipConnections: { totalCount: 3 } });
  expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([refusal]);
  // The null of the failed field stays until a refetch.
  upstream.script(answering);
  const read = async (fetchPolicy: 'cache-first' | 'network-only') =>
    (await client.query({ query: OverviewDocument, variables: october, fetchPolicy })).data?.chargesSummary;
  expect(await read('cache-first')).toBeNull();
  expect(await read('network-only')).toMatchObject({ currency: 'USD' });
});

test('Apollo Client keeps the pages that it has where a later one is refused', async ({ client, upstream }) => {
  const list = offices(30);
  upstream.script(list.answer);
  const pages = client.watchQuery({ query: IpConnectionPageDocument, variables: { first: 20 } });
  let shown: readonly unknown[] = [];
  const watching = pages.subscribe(({ data }) => {
    shown = (data?.ipConnections?.edges ?? []).map((edge) => edge?.node?.id);
  });
  await vi.waitFor(() => expect(shown).toHaveLength(20), soon);
  const after = pages.getCurrentResult().data?.ipConnections?.pageInfo?.endCursor;
  const more = () => pages.fetchMore({ variables: { after }, errorPolicy: 'all' });
  upstream.script(() => ({ status: 403, json: {} }));
  expect(gatewayErrorsIn((await more()).error)).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(shown).toEqual(list.ids.slice(0, 20));
  upstream.script(list.answer);
  await more();
  await vi.waitFor(() => expect(shown).toEqual(list.ids), soon);
  watching.unsubscribe();
});

test('Apollo Client types results and variables by the document', async ({ client, upstream }) => {
  upstream.script(offices(3).answer);
  const variables = { first: 2, orderBy: { field: 'SIZE' } } as const;
  const { data } = await client.query({ query: IpConnectionPageDocument, variables: { first: 2 } });
  const row = data?.ipConnections?.edges[0]?.node;
  expectTypeOf(row?.connectionName).toEqualTypeOf<string | null | undefined>();
  // @ts-expect-error There is no such field.
  expect(row?.conectionName).toBeUndefined();
  // @ts-expect-error Nothing can be sorted by that.
  await expect(client.query({ query: IpConnectionPageDocument, variables })).rejects.toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

test('Apollo Client shows deferred fields when they come, and the rest before', async ({ client, upstream }) => {
  const held = Promise.withResolvers<ServerResponse>();
  upstream.script(({ path }) =>
    path === '/charges_breakdown' ? { act: held.resolve } : { json: { data: [], meta: { total_results: 7 } } },
  );
  const query = gql`
    {
      missions(first: 1) {
        totalCount
      }
      ... @defer(label: "report") {
        chargesBreakdown(startDate: "2026-10-01") {
          currency
        }
      }
    }
  `;
  let shown: unknown;
  const watching = client.watchQuery({ query }).subscribe(({ data }) => {
    shown = data;
  });
  const missions = { totalCount: 7 };
  await vi.waitFor(() => expect(shown).toMatchObject({ missions }), soon);
  expect(shown).not.toHaveProperty('chargesBreakdown');
  const json = JSON.stringify({ data: chargesBreakdownRecord({ currency: 'USD' }) });
  (await held.promise).writeHead(200, { 'content-type': 'application/json' }).end(json);
  await vi.waitFor(() => expect(shown).toMatchObject({ missions, chargesBreakdown: { currency: 'USD' } }), soon);
  watching.unsubscribe();
});
