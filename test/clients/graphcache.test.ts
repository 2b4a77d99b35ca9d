import { vi } from 'vitest';
import { gatewayErrorsIn } from '../../client/src/index.ts';
import { expect, test as base } from '../support/gateway.ts';
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
  refusingCharges,
  reportingCharges,
  threePages,
} from './upstream.ts';
import { createCacheExchange } from './urql-cache.ts';
import { createClient } from './urql-client.ts';

const test = base.extend<{ readonly client: ReturnType<typeof createClient> }>({
  client: async ({ gateway }, use) => use(createClient(gateway, createCacheExchange())),
});

test('graphcache appends page after page until there is none, each for one call', async ({ client, upstream }) => {
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

test('graphcache queries for no row that a list has brought, and once for one that does not exist', async ({
  client,
  upstream,
}) => {
  upstream.script(offices(30).answer);
  const find = async (id: string) => (await client.query(IpConnectionByIdDocument, { id })).data?.ipConnection;
  await client.query(IpConnectionPageDocument, { first: 20 });
  expect(await find('row-7')).toMatchObject({ connectionName: 'Office 7' });
  expect(upstream.requests).toHaveLength(1);
  expect(await find('row-25')).toMatchObject({ connectionName: 'Office 25' });
  expect([await find('none'), await find('none')]).toEqual([null, null]);
  expect(upstream.requests).toHaveLength(3);
});

test('graphcache updates a row that was read again in every list, even a renamed one', async ({ client, upstream }) => {
  const list = offices(3);
  upstream.script(list.answer);
  const read = async () => (await client.query(IpConnectionPageDocument, { first: 20 })).data?.ipConnections?.edges[1];
  const nodeId = String((await read())?.node?.nodeId);
  list.rows = list.rows.map((row) => (row['id'] === 'row-1' ? { ...row, connection_name: 'Head office' } : row));
  await client.query(IpConnectionByNodeIdDocument, { nodeId });
  expect((await read())?.node?.connectionName).toBe('Head office');
});

test('graphcache appends pages within an object that has no identity', async ({ client, upstream }) => {
  upstream.script(reportingCharges);
  const read = async (after: string | null) =>
    (await client.query(ChargesByNumberDocument, { ...october, after })).data?.chargesBreakdown?.results;
  const first = await read(null);
  const both = await read(first?.pageInfo.endCursor ?? null);
  expect(both?.edges.map(({ node }) => node?.tn)).toEqual(numbers.slice(0, 4));
});

test('graphcache keeps objects without an identifier beneath their owner, and misses no key', async ({
  client,
  upstream,
}) => {
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

test('graphcache shows a refused list as null, and then the list', async ({ client, upstream }) => {
  const read = () => client.query(IpConnectionPageDocument, { first: 20 });
  upstream.script(() => ({ status: 403, json: {} }));
  const { data, error } = await read();
  expect(data?.ipConnections ?? null).toBeNull();
  expect(gatewayErrorsIn(error)).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  upstream.script(offices(30).answer);
  expect((await read()).data?.ipConnections).toMatchObject({ totalCount: 30, pageInfo: { hasNextPage: true } });
});

test('graphcache queries again for failed fields', async ({ client, upstream }) => {
  const read = async () => (await client.query(OverviewDocument, october)).data?.chargesSummary;
  upstream.script(refusingCharges);
  expect(await read()).toBeNull();
  upstream.script(answering);
  expect(await read()).toMatchObject({ currency: 'USD' });
});
