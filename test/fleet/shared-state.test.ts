import { describe, vi } from 'vitest';
import { keptReports, openRedisStore } from '../../src/fleet/redis.ts';
import type { Gateway } from '../support/gateway.ts';
import { valueOf } from '../support/metrics.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord, summaryReply } from '../support/records.ts';
import { refusal, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';
import { expect, test } from './fleet.ts';
import type { Redis } from './redis.ts';

// Redis replies at once, but a machine that is busy with other things may take longer than a gateway waits for it.
const bounds = await vi.hoisted(() => import('../../src/bounds.ts'));
vi.mock(import('../../src/bounds.ts'), () => ({ ...bounds, storeWaitMs: 10_000 as never }));

const rows = Array.from({ length: 1_200 }, (_, index) =>
  chargesBreakdownResultRecord({ tn: `+1312${String(index).padStart(7, '0')}` }),
);
const reportOf = (email: string, start = '2026-10-01'): Reply => ({
  json: { data: chargesBreakdownRecord({ user_email: email, start_date: start, results: rows }) },
});
const kept = { REPORT_CACHE_MS: '60000' };
const report = '{ chargesBreakdown(startDate: "2026-10-01") { userEmail results(first: 2) { nodes { tn } } } }';
const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const emailFrom = async (gateway: Gateway | undefined, key: string): Promise<unknown> =>
  (await gateway?.query(report, { key }))?.data.chargesBreakdown?.userEmail;

/** The names of the hashes in which callers' reports are. */
async function reportKeys(redis: Redis): Promise<readonly Buffer[]> {
  return (await redis.send('KEYS', '*:reports')) as readonly Buffer[];
}

async function fieldsOf(redis: Redis, key: Buffer): Promise<readonly Buffer[]> {
  return (await redis.send('HKEYS', key)) as readonly Buffer[];
}

describe('a report that one replica has read', () => {
  test('is read by no other, by no other caller, and for its time', async ({ redis, startFleet, upstream }) => {
    upstream.script(({ headers }) => reportOf(String(headers.authorization)));
    const [first, second, third] = await startFleet(3, kept);
    expect(await emailFrom(first, 'key-a')).toBe('Bearer key-a');
    await expect.poll(() => reportKeys(redis)).toHaveLength(1);
    for (const gateway of [second, third]) expect(await emailFrom(gateway, 'key-a')).toBe('Bearer key-a');
    expect(upstream.requests).toHaveLength(1);
    const [key = Buffer.from('')] = await reportKeys(redis);
    const [field = Buffer.from('')] = await fieldsOf(redis, key);
    const length = Number(await redis.send('HSTRLEN', key, field));
    expect(length).toBeLessThan(JSON.stringify(reportOf('a@example.com').json).length / 10);
    const left = Number(await redis.send('PTTL', key));
    expect(left > 0 && left <= 60_000).toBe(true);
    expect(await emailFrom(second, 'key-b')).toBe('Bearer key-b');
    expect(upstream.requests).toHaveLength(2);
  });

  test('is forgotten by all replicas when the API refuses its caller', async ({ redis, startFleet, upstream }) => {
    upstream.script(() => reportOf('a@example.com'));
    const [first, second] = await startFleet(2, kept);
    await emailFrom(first, 'key-a');
    await expect.poll(() => reportKeys(redis)).toHaveLength(1);
    await emailFrom(second, 'key-a');
    upstream.script(() => refusal(401, '10009', 'Authentication failed'));
    await first?.query(summary, { key: 'key-a' });
    await expect.poll(() => reportKeys(redis)).toEqual([]);
    const codeFrom = async (gateway: Gateway | undefined): Promise<unknown> =>
      (await gateway?.query(report, { key: 'key-a' }))?.errors[0]?.extensions.code;
    for (const gateway of [first, second]) await expect.poll(() => codeFrom(gateway)).toBe('UNAUTHENTICATED');
  });

  // That no bit of it can be changed, and nothing cut off: shared-state/caller-secrets.test.ts.
  test('of another period under its name is read anew', async ({ redis, startFleet, upstream }) => {
    upstream.script(({ query: { start_date: start } }) => reportOf(String(start), start));
    const [first, second] = await startFleet(2, kept);
    await first?.query(report.replace('2026-10-01', '2026-09-01'));
    await expect.poll(async () => (await reportKeys(redis)).length).toBe(1);
    const [key = Buffer.from('')] = await reportKeys(redis);
    const [other = Buffer.from('')] = await fieldsOf(redis, key);
    await first?.query(report);
    await expect.poll(async () => (await fieldsOf(redis, key)).length).toBe(2);
    const field = (await fieldsOf(redis, key)).find((name) => !name.equals(other)) ?? Buffer.from('');
    await redis.send('HSET', key, field, (await redis.send('HGET', key, other)) as Buffer);
    expect((await second?.query(report))?.data.chargesBreakdown.userEmail).toBe('2026-10-01');
    expect(upstream.requests).toHaveLength(3);
  });

  test('is one of a bounded number, and nothing else is kept', async ({ redis, onTestFinished }) => {
    let isUp = false;
    const observer = { count: () => {}, up: () => void (isUp = true), down: () => {}, refused: () => {} };
    const store = openRedisStore(redis.url, observer as never);
    onTestFinished(() => store.close());
    await expect.poll(() => isUp).toBe(true);
    const sealed = Buffer.from('sealed');
    for (let n = 0; n <= 3 * keptReports; n++) store.reports.put('caller', `report ${n}`, sealed, 60_000);
    store.feeds.send('feed', sealed);
    store.notices.send('limits', sealed);
    await expect.poll(() => store.reports.get('caller', `report ${3 * keptReports}`)).toEqual(sealed);
    const [key = Buffer.from('')] = (await redis.send('KEYS', '*')) as readonly Buffer[];
    expect(Number(await redis.send('HLEN', key))).toBeLessThanOrEqual(keptReports);
    expect(Number(await redis.send('PTTL', key))).toBeGreaterThan(0);
    expect(await redis.send('DBSIZE')).toBe(1);
  });
});

const keyOf = ({ headers }: SeenRequest): string => String(headers.authorization);

test('a 429 that one replica sees stops the calls of its caller on all, and of nobody else', async ({
  startFleet,
  upstream,
}) => {
  const limited = { ...refusal(429, '10011', 'Too Many Requests'), headers: { 'retry-after': '60' } };
  upstream.script((request) => (keyOf(request) === 'Bearer hasty' ? limited : summaryReply(request)));
  const [first, ...others] = await startFleet(3);
  const { errors = [] } = (await first?.query(summary, { key: 'hasty' })) ?? {};
  expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', upstream: { status: 429 } } }]);
  for (const gateway of others) {
    await expect
      .poll(async () => (await gateway.query(summary, { key: 'hasty' })).errors[0]?.message)
      .toBe('The rate limit of this API key for this operation is used up; the call was not sent.');
    expect((await gateway.query(summary, { key: 'patient' })).errors).toEqual([]);
  }
  const callsOfHasty = (): number => upstream.requests.filter((request) => keyOf(request) === 'Bearer hasty').length;
  const calls = callsOfHasty();
  for (const gateway of others) await gateway.query(summary, { key: 'hasty' });
  expect(callsOfHasty()).toBe(calls);
});

test('calls send no command to the store while nobody is limited', async ({ startFleet, upstream }) => {
  upstream.script(summaryReply);
  const [gateway] = await startFleet(1);
  for (let call = 0; call < 20; call++) await gateway?.query(summary, { key: `key-${call}` });
  for (const feature of ['notices', 'reports', 'feeds']) {
    const labels = { feature, outcome: 'answered' };
    expect((gateway && (await valueOf(gateway, 'switchboard_shared_state_commands_total', labels))) ?? 0).toBe(0);
  }
});
