import { createMergedMetrics, createMetrics, trustedOperationNames } from '../../src/telemetry/metrics.ts';
import { expect, test } from '../support/gateway.ts';
import { samplesOf, scrape, valueOf, valuesBy } from '../support/metrics.ts';
import { HeldReplies, refusal, type Reply } from '../support/scripted-upstream.ts';
import { largeBody } from '../../src/bounds.ts';
import * as records from '../support/records.ts';

const missions = '{ missions { totalCount } }';
const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';

const empty = { data: [], meta: { total_results: 0, total_pages: 0, page_number: 1, page_size: 1 } };
const operation = 'GET /ai/missions';

test('the metrics count requests, upstream calls and errors', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 429, json: { errors: [] } }));
  await gateway.query(missions);
  await expect.poll(() => scrape(gateway)).toContain('_duration_seconds_count{endpoint="/graphql",status="200"} 1');
  const text = await scrape(gateway);
  expect(text).toContain(`switchboard_upstream_call_duration_seconds_count{operation="${operation}",outcome="429"} 1`);
  expect(text).toContain('switchboard_errors_total{code="RATE_LIMITED"} 1');
});

test('the metrics have no label that a client chooses', async ({ gateway, upstream }) => {
  upstream.script(() => refusal(500, 'chosen-1', 'chosen-2'));
  const chosen = 'chosen_by_client';
  await gateway.fetch(`/${chosen}`);
  await gateway.fetch(`/health?${chosen}`, { headers: { [chosen]: chosen, 'x-request-id': chosen } });
  await gateway.fetch(`/graphql?query={${chosen}}`);
  await gateway.fetch('/health', { method: 'PROPFIND' });
  await gateway.query(`query ${chosen} { ipConnections(after: "${chosen}") { totalCount } }`, { key: chosen });
  await expect.poll(() => gateway.log.filter((line) => line.includes('"msg":"request"')).length).toBe(5);
  const text = await scrape(gateway);
  expect(text).not.toMatch(/chosen|PROPFIND/);
  const endpoints = [...text.matchAll(/endpoint="([^"]*)"/g)].map(([, endpoint]) => endpoint);
  expect(new Set(endpoints)).toEqual(new Set(['/graphql', '/health', 'other']));
});

test('the metrics show calls under way and queued, and the seconds of both', async ({ startWith, upstream }) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1', UPSTREAM_QUEUE_SIZE: '1' });
  const began = performance.now();
  const asked = [gateway.query(missions, { key: 'a' })];
  const gauge = (name: string) => valueOf(gateway, `switchboard_upstream_${name}`, { pool: 'calls' });
  await expect.poll(() => gauge('calls_in_flight')).toBe(1);
  asked.push(gateway.query(missions, { key: 'b' }));
  await expect.poll(() => gauge('calls_queued')).toBe(1);
  await gateway.query(missions, { key: 'c' });
  expect(await gauge('slots')).toBe(1);
  held.release(200, empty);
  await expect.poll(() => gauge('calls_queued')).toBe(0);
  await expect.poll(() => upstream.requests.length).toBe(2);
  await expect.poll(() => (held.release(200, empty), gauge('calls_in_flight'))).toBe(0);
  await Promise.all(asked);
  const waits = (outcome: string) =>
    valueOf(gateway, 'switchboard_upstream_wait_duration_seconds_count', { pool: 'calls', outcome });
  expect([await waits('admitted'), await waits('refused'), await waits('aborted')]).toEqual([1, 1, undefined]);
  const samples = samplesOf(await scrape(gateway));
  const most = (performance.now() - began) / 1_000;
  const sums = samples.filter(({ name, value }) => name.endsWith('_duration_seconds_sum') && value > 0);
  const names = ['http_request', 'upstream_call', 'upstream_wait'].map((name) => `switchboard_${name}`);
  expect(new Set(sums.map(({ name }) => name.replace('_duration_seconds_sum', '')))).toEqual(new Set(names));
  // Three requests, and the readings of these metrics.
  for (const { value } of sums) expect(value).toBeLessThan(4 * most);
});

test('an open breaker says when to come back, and costs no call', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 500 }));
  for (let call = 0; call < 20; call++) await gateway.query(summary, { key: `key-${call % 5}` });
  const { errors } = await gateway.query(summary, { key: 'key-0' });
  const told = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, upstream: { operation: 'GET /charges_summary' } };
  expect(errors).toMatchObject([{ extensions: { ...told, retryAfterSeconds: expect.any(Number) } }]);
  expect(upstream.requests).toHaveLength(20);
});

const trusted = 'switchboard_trusted_operation_duration_seconds_count';

test('the metrics count further names of trusted operations as others', async () => {
  const metrics = createMetrics();
  for (let name = 0; name < trustedOperationNames + 5; name++) metrics.countTrustedOperation(`name-${name}`, false, 1);
  metrics.countTrustedOperation('name-0', false, 1);
  const samples = samplesOf(await metrics.print()).filter(({ name }) => name === trusted);
  expect(samples).toHaveLength(trustedOperationNames + 1);
  expect(samples.filter(({ value }) => value > 1)).toMatchObject([
    { labels: { name: 'name-0' }, value: 2 },
    { labels: { name: 'other' }, value: 5 },
  ]);
});

test('a worker that ends while the metrics are asked for counts once', async () => {
  const worker = createMetrics(() => 0);
  worker.countUnhandled();
  const snapshot = await worker.snapshot();
  const merged = createMergedMetrics(createMetrics());
  const asked = Promise.withResolvers<readonly (typeof snapshot)[]>();
  const meanwhile = merged.print(asked.promise);
  merged.retain(snapshot);
  asked.resolve([snapshot]);
  for (const text of [await meanwhile, await merged.print(Promise.resolve([]))])
    expect(text).toContain('\nswitchboard_unhandled_total 1\n');
});

const names = '{ missions { nodes { name } } }';
const pageOf = (...rows: readonly object[]): Reply => ({ json: { data: rows, meta: { total_results: rows.length } } });

const cases: Readonly<Record<string, { readonly query: string; readonly reply: Reply }>> = {
  selection: { query: '{ ipConnection(id: "c") { id } }', reply: pageOf(records.ipConnectionRecord({ id: 'c' })) },
  response: { query: names, reply: { status: 404 } },
  size: { query: names, reply: pageOf(records.missionRecord({ name: 'x'.repeat(largeBody) })) },
  body: { query: names, reply: pageOf(records.missionRecord({ name: 7 })) },
  rows: { query: '{ missions { edges { cursor } } }', reply: pageOf(records.missionRecord({ mission_id: '' })) },
};

test.for(Object.entries(cases))(
  'what is not written from bytes is counted by reason: %s',
  async ([reason, { query, reply }], { gateway, upstream }) => {
    upstream.script(() => reply);
    await gateway.query(query);
    expect(await valuesBy(gateway, 'switchboard_bytes_given_up_total', 'reason')).toEqual({ [reason]: 1 });
    expect(upstream.requests).toHaveLength(1);
  },
);
