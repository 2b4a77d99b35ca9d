import { expect, test } from 'vitest';
import { subscribe } from '../../support/streams.ts';
import { GrowingDeliveries } from '../../support/moving-upstream.ts';
import * as records from '../../support/records.ts';
import { pageReply, type Reply } from '../../support/scripted-upstream.ts';
import { selectionOf } from '../../support/records.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { kinds, places, type Place } from './large-value.ts';

// For how long one thing holds the event loop, in milliseconds of processor time: the least of some, because the collector of garbage
// has its own times, and other processes share the core's caches.
// LARGE_VALUE='metadata / exponents' measures other values than the chosen ones.
const longestMs = 25;
const times = 8;
const valueBytes = 3_000_000;
const only = process.env['LARGE_VALUE'];
const env = { WATCH_HOLDS: 'true', UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000', REPORT_CACHE_MS: '0' };

type Query = Pick<Place, 'query' | 'status' | 'contentType'> & { readonly text: string };

/** Ways on which a response is made. */
const headers = { 'content-type': 'application/json', authorization: 'Bearer a-key' };
const ways: readonly ((query: string) => RequestInit)[] = [
  (query) => ({ headers: { ...headers, 'accept-encoding': 'identity' }, body: JSON.stringify({ query }) }),
  (query) => ({ headers: { ...headers, 'accept-encoding': 'zstd' }, body: JSON.stringify({ query }) }),
  // The fast path takes no body without a length.
  (query) => ({ headers, body: new Blob([JSON.stringify({ query })]).stream(), duplex: 'half' }) as RequestInit,
];

/** Of each query, its name and its hold where that is too long. */
async function tooLong(queries: ReadonlyMap<string, () => Query>): Promise<readonly string[]> {
  let reply: Reply = {};
  await using gateway = await startGatewayProcess({ heapMiB: 1_024, env, script: () => reply });
  const held: string[] = [];
  for (const [index, [name, make]] of [...queries].entries()) {
    const { query, status = 200, contentType = 'application/json', text } = make();
    reply = { status, headers: { 'content-type': contentType }, text };
    let least = Infinity;
    for (let time = 0; time < times && least > longestMs; time++) {
      await gateway.glance();
      const init = ways[index % ways.length]?.(query);
      await (await fetch(`${gateway.url}/graphql`, { method: 'POST', ...init })).arrayBuffer();
      least = Math.min(least, (await gateway.glance()).longestHoldMs);
    }
    if (least > longestMs) held.push(`${name}: ${least.toFixed(1)} ms`);
  }
  expect(await gateway.askAsGoodCaller()).toBeNull();
  return held;
}

/** Each place with some kinds, each kind in some places, and what has held the others up before. */
function chosenValues(): ReadonlyMap<string, () => Query> {
  const all = Object.entries(places).flatMap(([where, place]) =>
    Object.entries(kinds).map(
      ([what, kind]) => [`${where} / ${what}`, () => ({ ...place, text: place.body(kind(valueBytes)) })] as const,
    ),
  );
  const isChosen = (name: string, index: number) => index % 16 === 1 || name === 'a record with more / many members';
  return new Map(all.filter(([name], index) => (only === undefined ? isChosen(name, index) : name.includes(only))));
}

test('a large value of an accepted caller holds nobody up, wherever it stands', { timeout: 1_200_000 }, async () => {
  expect(await tooLong(chosenValues())).toEqual([]);
});

const rows = 500;
const page = (record: records.JsonRecord, field: string): (() => Query) => {
  const seen = { path: '', rawQuery: '', headers: {}, query: { 'page[size]': String(rows), 'page[number]': '1' } };
  const list = Array.from({ length: rows }, (_, index) => ({ ...record, id: `a${index}`, mission_id: `a${index}` }));
  const text = JSON.stringify(pageReply(list, seen, rows).json);
  return () => ({ query: `{ ${field}(first: ${rows}) { nodes ${selectionOf(record)} } }`, text });
};
const report = (fields: string) => (): Query => ({
  query: `{ chargesBreakdown(startDate: "2026-10-01") { results(first: 500) { ${fields} } } }`,
  text: JSON.stringify({
    data: records.chargesBreakdownRecord({
      results: Array.from({ length: 20_000 }, (_, index) =>
        records.chargesBreakdownResultRecord({ tn: `+1312${String(index).padStart(7, '0')}` }),
      ),
    }),
  }),
});

test('the largest page and a report of 20,000 numbers hold nobody up', { timeout: 300_000 }, async () => {
  const queries = new Map([
    ['connections', page(records.ipConnectionRecord(), 'ipConnections')],
    ['missions', page(records.missionRecord(), 'missions')],
    ['deliveries', page(records.webhookDeliveryRecord(), 'webhookDeliveries')],
    ['a report', report(`nodes ${selectionOf(records.chargesBreakdownResultRecord())}`)],
    ['the count of a report', report('totalCount')],
  ]);
  expect(await tooLong(queries)).toEqual([]);
});

test('a burst to streams of one caller that ask unlike things holds nobody up', async () => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1]);
  await using gateway = await startGatewayProcess({
    env: { ...env, SUBSCRIPTION_POLL_MS: '50' },
    script: deliveries.answer,
  });
  const streams = await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      subscribe(gateway, `subscription { webhookDeliveries { id w${index}: webhook { payload } } }`),
    ),
  );
  for (const { begun } of streams) await begun;
  const before = await gateway.glance();
  deliveries.add(
    Array.from({ length: 20 }, (_, index) => 1_000 + index / 1_000),
    { webhook: { payload: { text: 'x'.repeat(2_000) } } },
  );
  expect(await gateway.askAsGoodCaller()).toBeNull();
  for (const { events } of streams) await expect.poll(() => events.length).toBe(20);
  const { computedMs, longestHoldMs } = await gateway.glance();
  for (const stream of streams) stream.close();
  // A collection of garbage, and reading the burst itself, take more than a slice, but never most of what the streams cost together.
  expect(longestHoldMs).toBeLessThan(Math.max(50, (computedMs - before.computedMs) / 4));
});
