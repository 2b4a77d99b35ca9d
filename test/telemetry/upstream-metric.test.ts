import { expect, test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { samplesOf, scrape, valueOf } from '../support/metrics.ts';
import { HeldReplies, pageReply, refusal } from '../support/scripted-upstream.ts';

const missions = '{ missions { totalCount } }';
const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const breakdown =
  '{ chargesBreakdown(startDate: "2026-10-01", endDate: "2026-11-01") { results(first: 1) { totalCount } } }';
const report = { json: { data: records.chargesBreakdownRecord({ results: [] }) } };
const empty = { data: [], meta: { total_results: 0, total_pages: 0, page_number: 1, page_size: 1 } };

test('the metrics show the calls that are under way and queued, and how long calls have waited', async ({
  startWith,
  upstream,
}) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1', UPSTREAM_QUEUE_SIZE: '1' });
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
});

test('durations in the metrics are seconds, and no longer than what they measure', async ({ startWith, upstream }) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '1' });
  const began = performance.now();
  const asked = [gateway.query(missions, { key: 'a' }), gateway.query(missions, { key: 'b' })];
  await expect.poll(() => valueOf(gateway, 'switchboard_upstream_calls_queued', { pool: 'calls' })).toBe(1);
  held.release(200, empty);
  await expect.poll(() => upstream.requests.length).toBe(2);
  held.release(200, empty);
  await Promise.all(asked);
  const samples = samplesOf(await scrape(gateway));
  const most = (performance.now() - began) / 1_000;
  const sums = samples.filter(({ name, value }) => name.endsWith('_duration_seconds_sum') && value > 0);
  const names = ['http_request', 'upstream_call', 'upstream_wait'].map(
    (name) => `switchboard_${name}_duration_seconds_sum`,
  );
  expect(new Set(sums.map(({ name }) => name))).toEqual(new Set(names));
  // Two requests at a time, and the readings of these metrics.
  for (const { value } of sums) expect(value).toBeLessThan(3 * most);
});

test('the metrics count retries by operation and by what failed before', async ({ startWith, upstream }) => {
  upstream.script((request) => (upstream.requests.length === 1 ? { status: 503 } : pageReply([], request)));
  const gateway = await startWith({ UPSTREAM_RETRIES: '1' });
  await gateway.query(missions);
  expect(upstream.requests).toHaveLength(2);
  const labels = { operation: 'GET /ai/missions', reason: '503' };
  expect(await valueOf(gateway, 'switchboard_upstream_retries_total', labels)).toBe(1);
});

async function fail(gateway: Gateway): Promise<void> {
  for (const key of ['a', 'b', 'c', 'd', 'e'])
    for (let call = 0; call < 4; call++) await gateway.query(summary, { key });
}

test('the metrics show an open breaker by operation and count what it refuses', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 500 }));
  const operation = 'GET /charges_summary';
  await fail(gateway);
  const isOpen = (callers: string) => valueOf(gateway, 'switchboard_upstream_breaker_open', { operation, callers });
  expect([await isOpen('known'), await isOpen('strangers')]).toEqual([0, 1]);
  await gateway.query(summary, { key: 'a' });
  expect(upstream.requests).toHaveLength(20);
  expect(await valueOf(gateway, 'switchboard_upstream_breaker_refusals_total', { operation })).toBe(1);
  await gateway.query(missions);
  const other = { operation: 'GET /ai/missions', callers: 'known' };
  expect(await valueOf(gateway, 'switchboard_upstream_breaker_open', other)).toBe(0);
});

test('the metrics count the calls that an equal call under way has saved', async ({ gateway, upstream }) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const shared = () =>
    valueOf(gateway, 'switchboard_upstream_shared_calls_total', { operation: 'GET /charges_summary' });
  const asked = [gateway.query(summary), gateway.query(summary)];
  await expect.poll(shared).toBe(1);
  held.release(403, { errors: [] });
  await Promise.all(asked);
  await gateway.query(missions, { key: null });
  expect([await shared(), upstream.requests.length]).toEqual([1, 1]);
});

test('the metrics show kept reports and count the calls that they save', async ({ startWith, upstream }) => {
  upstream.script(() => report);
  const gateway = await startWith({ REPORT_CACHE_MS: '60000' });
  for (let page = 0; page < 3; page++) await gateway.query(breakdown);
  expect(upstream.requests).toHaveLength(1);
  const operation = 'GET /charges_breakdown';
  expect(await valueOf(gateway, 'switchboard_kept_report_hits_total', { operation })).toBe(2);
  expect(await valueOf(gateway, 'switchboard_kept_reports')).toBe(1);
  expect(await valueOf(gateway, 'switchboard_kept_report_bytes')).toBe(JSON.stringify(report.json).length);
});

test('the metrics count the calls that a used-up rate limit has kept back', async ({ gateway, upstream }) => {
  upstream.script(() => ({ ...refusal(429, '10011', 'Too many requests'), headers: { 'retry-after': '60' } }));
  for (let call = 0; call < 3; call++) await gateway.query(missions);
  expect(upstream.requests).toHaveLength(1);
  const labels = { operation: 'GET /ai/missions' };
  expect(await valueOf(gateway, 'switchboard_upstream_rate_limit_refusals_total', labels)).toBe(2);
});
