import type { ServerResponse } from 'node:http';
import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  type TypedDocumentNode,
} from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { relayStylePagination } from '@apollo/client/utilities';
import { Client, fetchExchange } from '@urql/core';
import { describe, onTestFinished, vi } from 'vitest';
import { cachePolicies } from '../../client/src/apollo.ts';
import { gatewayErrorsIn } from '../../client/src/index.ts';
import { directs } from '../support/metrics.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { chargesBreakdownRecord } from '../support/records.ts';
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
import { createCacheExchange } from './urql-cache.ts';

const headers = { authorization: 'Bearer own-key' };
type Document<Data, Variables> = TypedDocumentNode<Data, Variables & Record<string, unknown>>;

/** What a page does with a client: it shows what the cache has, or else asks for it. */
interface Reader {
  readonly read: <Data, Variables>(document: Document<Data, Variables>, variables: Variables) => Promise<Answer<Data>>;
  /** Reads the page behind a cursor; resolves with all that is shown then. */
  readonly more: <Data, Variables>(
    document: Document<Data, Variables>,
    variables: Variables,
    after: string,
  ) => Promise<Answer<Data>>;
}
interface Answer<Data> {
  readonly data: Data | null | undefined;
  readonly errors: readonly unknown[];
}

function apolloClient({ url }: Gateway): ApolloClient {
  const link = new HttpLink({ uri: `${url}/graphql`, headers });
  const cache = new InMemoryCache(cachePolicies(relayStylePagination));
  const client = new ApolloClient({ link, cache, incrementalHandler: new Defer20220824Handler() });
  onTestFinished(() => client.stop());
  return client;
}

function apollo(gateway: Gateway): Reader {
  const client = apolloClient(gateway);
  const read: Reader['read'] = async (query, variables) => {
    const { data, error } = await client.query({ query, variables: { ...variables }, errorPolicy: 'all' } as never);
    return { data: data as never, errors: CombinedGraphQLErrors.is(error) ? error.errors : [] };
  };
  return {
    read,
    async more(query, variables, after) {
      const pages = client.watchQuery({ query, variables: { ...variables } } as never);
      await pages.fetchMore({ variables: { after } });
      return read(query, variables);
    },
  };
}

function urql({ url }: Gateway): Reader {
  const exchanges = [createCacheExchange(), fetchExchange];
  const client = new Client({ url: `${url}/graphql`, fetchOptions: { headers }, exchanges });
  const read: Reader['read'] = async (query, variables) => {
    const { data, error } = await client.query(query, { ...variables } as never);
    expect(error?.networkError).toBeUndefined();
    return { data: data as never, errors: error?.graphQLErrors ?? [] };
  };
  return { read, more: (query, variables, after) => read(query, { ...variables, after }) };
}

const caches: readonly [name: string, of: (gateway: Gateway) => Reader][] = [
  ['Apollo Client', apollo],
  ['urql with graphcache', urql],
];
const connections = IpConnectionPageDocument;

describe.for(caches)('%s', ([, of]) => {
  test('appends page after page until there is none, each for one call', async ({ gateway, upstream }) => {
    const list = offices(45);
    upstream.script(list.answer);
    const { read, more } = of(gateway);
    let shown = (await read(connections, { first: 20 })).data?.ipConnections;
    const lengths: unknown[] = [];
    for (let after; shown?.pageInfo.hasNextPage === true; lengths.push(shown?.edges.length)) {
      after = shown.pageInfo.endCursor ?? '';
      shown = (await more(connections, { first: 20 }, after)).data?.ipConnections;
    }
    expect(lengths).toEqual([40, 45]);
    expect(shown?.edges.map(({ node }) => node?.id)).toEqual(list.ids);
    expect(linesOf(upstream.requests)).toEqual(threePages);
    expect(upstream.requests.map(({ headers: sent }) => sent.authorization)).toEqual(Array(3).fill('Bearer own-key'));
    expect(await directs(gateway)).toBe(3);
  });

  test('queries once per filter and order, and for no row that a list has brought', async ({ gateway, upstream }) => {
    upstream.script(offices(30).answer);
    const { read } = of(gateway);
    const filter = { connectionName: { eq: 'Office 7' } };
    const orderBy = { field: 'CREATED_AT', direction: 'DESC' } as const;
    for (const variables of [{}, { filter }, { orderBy }, {}, { filter }, { orderBy }])
      await read(connections, { first: 20, ...variables });
    expect(upstream.requests).toHaveLength(3);
    const find = async (id: string) => (await read(IpConnectionByIdDocument, { id })).data?.ipConnection;
    expect(await find('row-7')).toMatchObject({ id: 'row-7', connectionName: 'Office 7' });
    expect(upstream.requests).toHaveLength(3);
    // One that no list has brought is queried for, and one that does not exist once.
    await read(connections, { first: 2 });
    const known = upstream.requests.length;
    expect([await find('none'), await find('none')]).toEqual([null, null]);
    expect(upstream.requests).toHaveLength(known + 1);
  });

  test('updates a row that was read again in every list, even a renamed one', async ({ gateway, upstream }) => {
    const list = offices(3);
    upstream.script(list.answer);
    const { read } = of(gateway);
    const second = async () => (await read(connections, { first: 20 })).data?.ipConnections?.edges[1]?.node;
    const nodeId = String((await second())?.nodeId);
    list.rows = list.rows.map((row) => (row['id'] === 'row-1' ? { ...row, connection_name: 'Head office' } : row));
    await read(IpConnectionByNodeIdDocument, { nodeId });
    expect((await second())?.connectionName).toBe('Head office');
  });

  test('appends pages within an object that has no identity', async ({ gateway, upstream }) => {
    upstream.script(reportingCharges);
    const { read, more } = of(gateway);
    const first = (await read(ChargesByNumberDocument, october)).data?.chargesBreakdown?.results;
    const both = await more(ChargesByNumberDocument, october, first?.pageInfo.endCursor ?? '');
    expect(both.data?.chargesBreakdown?.results?.edges.map(({ node }) => node?.tn)).toEqual(numbers.slice(0, 4));
  });

  test('gives both data and errors of a partial failure', async ({ gateway, upstream }) => {
    upstream.script(refusingCharges);
    const { data, errors } = await of(gateway).read(OverviewDocument, october);
    expect(data).toMatchObject({ chargesSummary: null, ipConnections: { totalCount: 3 } });
    expect(errors).toMatchObject([refusal]);
  });
});

describe('Apollo Client', () => {
  test('keeps the null of a failed field until a refetch', async ({ gateway, upstream }) => {
    const client = apolloClient(gateway);
    const read = async (fetchPolicy: 'cache-first' | 'network-only') => {
      const query = { query: OverviewDocument, variables: october, errorPolicy: 'all', fetchPolicy } as const;
      return (await client.query(query)).data?.chargesSummary;
    };
    upstream.script(refusingCharges);
    expect(await read('cache-first')).toBeNull();
    upstream.script(answering);
    expect(await read('cache-first')).toBeNull();
    expect(await read('network-only')).toMatchObject({ currency: 'USD' });
  });

  test('keeps the pages that it has where a later one is refused', async ({ gateway, upstream }) => {
    const list = offices(30);
    upstream.script(list.answer);
    const pages = apolloClient(gateway).watchQuery({ query: connections, variables: { first: 20 } });
    let shown: readonly unknown[] = [];
    const watching = pages.subscribe(({ data }) => {
      shown = (data?.ipConnections?.edges ?? []).map((edge) => edge?.node?.id);
    });
    await expect.poll(() => shown).toHaveLength(20);
    const after = pages.getCurrentResult().data?.ipConnections?.pageInfo?.endCursor;
    const more = () => pages.fetchMore({ variables: { after }, errorPolicy: 'all' });
    upstream.script(() => ({ status: 403, json: {} }));
    expect(gatewayErrorsIn((await more()).error)).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(shown).toEqual(list.ids.slice(0, 20));
    upstream.script(list.answer);
    await more();
    await expect.poll(() => shown).toEqual(list.ids);
    watching.unsubscribe();
  });

  test('shows deferred fields when they come, and the rest before', async ({ gateway, upstream }) => {
    const held = Promise.withResolvers<ServerResponse>();
    upstream.script(({ path }) =>
      path === '/charges_breakdown' ? { act: held.resolve } : { json: { data: [], meta: { total_results: 7 } } },
    );
    const report = '... @defer(label: "report") { chargesBreakdown(startDate: "2026-10-01") { currency } }';
    const query = gql(`{ missions(first: 1) { totalCount } ${report} }`);
    let shown: unknown;
    const watching = apolloClient(gateway)
      .watchQuery({ query })
      .subscribe(({ data }) => {
        shown = data;
      });
    const missions = { totalCount: 7 };
    await expect.poll(() => shown).toMatchObject({ missions });
    expect(shown).not.toHaveProperty('chargesBreakdown');
    const json = JSON.stringify({ data: chargesBreakdownRecord({ currency: 'USD' }) });
    (await held.promise).writeHead(200, { 'content-type': 'application/json' }).end(json);
    await expect.poll(() => shown).toMatchObject({ missions, chargesBreakdown: { currency: 'USD' } });
    watching.unsubscribe();
  });
});

test('urql with graphcache keeps objects without an identifier beneath their owner', async ({ gateway, upstream }) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { read } = urql(gateway);
  // It queries again for failed fields.
  upstream.script(refusingCharges);
  expect((await read(OverviewDocument, october)).data?.chargesSummary).toBeNull();
  upstream.script(answering);
  expect((await read(OverviewDocument, october)).data?.chargesSummary?.summary.lines).toEqual([
    { name: 'Phone Numbers', newThisMonth: { mrc: '12.00' } },
    { name: 'Number Lookups', amount: '4.80' },
  ]);
  // Without the introspected schema it also warns of the fields of the other line, and returns the right result nevertheless.
  const warnings = warn.mock.calls.flat();
  warn.mockRestore();
  expect(warnings.filter((text) => !/Invalid undefined: .* `(?:amount|newThisMonth)`/.test(text))).toEqual([]);
});
