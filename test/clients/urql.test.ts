import { cacheExchange, Client, fetchExchange, type Exchange } from '@urql/core';
import { describe, expectTypeOf, vi } from 'vitest';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { directs } from '../support/metrics.ts';
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

function createClient({ url }: Gateway, cache: Exchange): Client {
  const fetchOptions = { headers: { authorization: 'Bearer urql-key' } };
  return new Client({ url: `${url}/graphql`, fetchOptions, exchanges: [cache, fetchExchange] });
}

const caches: readonly [name: string, create: () => Exchange][] = [
  ['its document cache', () => cacheExchange],
  ['graphcache', createCacheExchange],
];

describe.for(caches)('urql with %s', ([, createCache]) => {
  test('queries once for each document with its variables', async ({ gateway, upstream }) => {
    upstream.script(offices(30).answer);
    const client = createClient(gateway, createCache());
    const filter = { connectionName: { eq: 'Office 7' } };
    for (const variables of [{}, { filter }, {}, { filter }]) {
      const { data, error } = await client.query(IpConnectionPageDocument, { first: 20, ...variables });
      expect(error).toBeUndefined();
      expect(data?.ipConnections?.edges).toHaveLength(variables.filter === undefined ? 20 : 1);
    }
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer urql-key'));
    expect(await directs(gateway)).toBe(2);
  });

  test('gives both data and errors of a partial failure', async ({ gateway, upstream }) => {
    upstream.script(refusingCharges);
    const { data, error } = await createClient(gateway, createCache()).query(OverviewDocument, october);
    expect(data).toMatchObject({ chargesSummary: null, ipConnections: { totalCount: 3 } });
    expect(error?.networkError).toBeUndefined();
    expect(error?.graphQLErrors).toMatchObject([refusal]);
  });

  test('types results and variables by the document', async ({ gateway, upstream }) => {
    upstream.script(offices(3).answer);
    const client = createClient(gateway, createCache());
    const { data } = await client.query(IpConnectionPageDocument, { first: 2 });
    const row = data?.ipConnections?.edges[0]?.node;
    expectTypeOf(row?.connectionName).toEqualTypeOf<string | null | undefined>();
    // @ts-expect-error There is no such field.
    expect(row?.conectionName).toBeUndefined();
    // @ts-expect-error Nothing can be sorted by that.
    const { error } = await client.query(IpConnectionPageDocument, { first: 2, orderBy: { field: 'SIZE' } });
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

const cached = test.extend<{ readonly client: Client }>({
  client: async ({ gateway }, use) => use(createClient(gateway, createCacheExchange())),
});

cached('graphcache appends page after page until there is none, each for one call', async ({ client, upstream }) => {
  const list = offices(45);
  upstream.script(list.answer);
  const read = async (after: string | null) =>
    (await client.query(IpConnectionPageDocument, { first: 20, after })).data?.ipConnections;
  const lengths: unknown[] = [];
  let shown = await read(null);
  for (; shown?.pageInfo.hasNextPage === true; shown = await read(shown.pageInfo.endCursor))
    lengths.push(shown.edges.length);
  expect(lengths).toEqual([20, 40]);
  expect(shown?.edges.map(({ node }) => node?.id)).toEqual(list.ids);
  expect(linesOf(upstream.requests)).toEqual(threePages);
});

cached('graphcache queries for no row of a list, and once for none', async ({ client, upstream }) => {
  upstream.script(offices(30).answer);
  const find = async (id: string) => (await client.query(IpConnectionByIdDocument, { id })).data?.ipConnection;
  await client.query(IpConnectionPageDocument, { first: 20 });
  expect(await find('row-7')).toMatchObject({ connectionName: 'Office 7' });
  expect(upstream.requests).toHaveLength(1);
  expect(await find('row-25')).toMatchObject({ connectionName: 'Office 25' });
  expect([await find('none'), await find('none')]).toEqual([null, null]);
  expect(upstream.requests).toHaveLength(3);
});

cached('graphcache updates a row that was read again in every list', async ({ client, upstream }) => {
  const list = offices(3);
  upstream.script(list.answer);
  const read = async () => (await client.query(IpConnectionPageDocument, { first: 20 })).data?.ipConnections?.edges[1];
  const nodeId = String((await read())?.node?.nodeId);
  list.rows = list.rows.map((row) => (row['id'] === 'row-1' ? { ...row, connection_name: 'Head office' } : row));
  await client.query(IpConnectionByNodeIdDocument, { nodeId });
  expect((await read())?.node?.connectionName).toBe('Head office');
});

cached('graphcache appends pages within an object that has no identity', async ({ client, upstream }) => {
  upstream.script(reportingCharges);
  const read = async (after: string | null) =>
    (await client.query(ChargesByNumberDocument, { ...october, after })).data?.chargesBreakdown?.results;
  const first = await read(null);
  const both = await read(first?.pageInfo.endCursor ?? null);
  expect(both?.edges.map(({ node }) => node?.tn)).toEqual(numbers.slice(0, 4));
});

cached('graphcache keeps objects without an identifier, and misses no key', async ({ client, upstream }) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  upstream.script(answering);
  const { data } = await client.query(OverviewDocument, october);
  expect(data?.chargesSummary?.summary.lines).toEqual([
    { name: 'Phone Numbers', newThisMonth: { mrc: '12.00' } },
    { name: 'Number Lookups', amount: '4.80' },
  ]);
  // Without the introspected schema it also warns of the fields of the other line, and returns the right result nevertheless.
  const warnings = warn.mock.calls
    .flat()
    .filter((text) => !/Invalid undefined: .* `(?:amount|newThisMonth)`/.test(text));
  warn.mockRestore();
  expect(warnings).toEqual([]);
});

cached('graphcache queries again for failed fields', async ({ client, upstream }) => {
  const read = async () => (await client.query(OverviewDocument, october)).data?.chargesSummary;
  upstream.script(refusingCharges);
  expect(await read()).toBeNull();
  upstream.script(answering);
  expect(await read()).toMatchObject({ currency: 'USD' });
});
