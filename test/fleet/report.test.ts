import { describe, vi } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import { chargesBreakdownRecord, chargesBreakdownResultRecord } from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';
import { expect, test } from './fleet.ts';
import type { Redis } from './redis.ts';

// Redis replies at once, but a machine that is busy with other things may take longer than a gateway waits for it.
const bounds = await vi.hoisted(() => import('../../src/bounds.ts'));
vi.mock(import('../../src/bounds.ts'), () => ({ ...bounds, storeWaitMs: 10_000 as never }));

const rows = Array.from({ length: 1_200 }, (_, index) =>
  chargesBreakdownResultRecord({ tn: `+1312${String(index).padStart(7, '0')}` }),
);
const reportOf = (email: string): Reply => ({
  json: { data: chargesBreakdownRecord({ user_email: email, results: rows }) },
});
const kept = { REPORT_CACHE_MS: '60000' };
const query = '{ chargesBreakdown(startDate: "2026-10-01") { userEmail results(first: 2) { nodes { tn } } } }';
const emailFrom = async (gateway: Gateway | undefined, key: string): Promise<unknown> =>
  (await gateway?.query(query, { key }))?.data.chargesBreakdown?.userEmail;

/** The names of the hashes in which callers' reports are. */
async function reportKeys(redis: Redis): Promise<readonly Buffer[]> {
  return (await redis.send('KEYS', '*:reports')) as readonly Buffer[];
}

async function fieldsOf(redis: Redis, key: Buffer): Promise<readonly Buffer[]> {
  return (await redis.send('HKEYS', key)) as readonly Buffer[];
}

describe('a report that one replica has read', () => {
  test('is read by no other, and by no other caller', async ({ redis, startFleet, upstream }) => {
    upstream.script(({ headers }) => reportOf(String(headers.authorization)));
    const [first, second, third] = await startFleet(3, kept);
    expect(await emailFrom(first, 'key-a')).toBe('Bearer key-a');
    await expect.poll(() => reportKeys(redis)).toHaveLength(1);
    for (const gateway of [second, third]) expect(await emailFrom(gateway, 'key-a')).toBe('Bearer key-a');
    expect(upstream.requests).toHaveLength(1);
    expect(await emailFrom(second, 'key-b')).toBe('Bearer key-b');
    expect(upstream.requests).toHaveLength(2);
  });

  test('takes a tenth of its length in the store, and is gone with its time', async ({
    redis,
    startFleet,
    upstream,
  }) => {
    upstream.script(() => reportOf('a@example.com'));
    const [first] = await startFleet(1, { REPORT_CACHE_MS: '60000' });
    await emailFrom(first, 'key-a');
    await expect.poll(() => reportKeys(redis)).toHaveLength(1);
    const [key = Buffer.from('')] = await reportKeys(redis);
    const [field = Buffer.from('')] = await fieldsOf(redis, key);
    const length = Number(await redis.send('HSTRLEN', key, field));
    expect(length).toBeLessThan(JSON.stringify(reportOf('a@example.com').json).length / 10);
    const left = Number(await redis.send('PTTL', key));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test('is forgotten by all replicas when the API refuses its caller', async ({ redis, startFleet, upstream }) => {
    upstream.script(() => reportOf('a@example.com'));
    const [first, second] = await startFleet(2, kept);
    await emailFrom(first, 'key-a');
    await expect.poll(() => reportKeys(redis)).toHaveLength(1);
    await emailFrom(second, 'key-a');
    upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
    const summary = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
    await first?.query(summary, { key: 'key-a' });
    await expect.poll(() => reportKeys(redis)).toEqual([]);
    for (const gateway of [first, second])
      await expect
        .poll(async () => (await gateway?.query(query, { key: 'key-a' }))?.errors[0]?.extensions.code)
        .toBe('UNAUTHENTICATED');
  });
});

describe('a report in the store', () => {
  const damages: Readonly<Record<string, (sealed: Buffer, other: Buffer) => Buffer>> = {
    'with a changed bit': (sealed) => {
      const changed = Buffer.from(sealed);
      changed[20] = (changed[20] ?? 0) ^ 1;
      return changed;
    },
    'cut short': (sealed) => sealed.subarray(0, sealed.length - 1),
    'cut to nothing': () => Buffer.alloc(0),
    'of another period under its name': (_sealed, other) => other,
    'that never was one': () => Buffer.from('{"data":{"user_email":"forged@example.com","results":[]}}'),
  };

  test.for(Object.keys(damages))('%s is read anew', async (damage, { redis, startFleet, upstream }) => {
    upstream.script(({ query: { start_date: start } }) => reportOf(String(start)));
    const [first, second] = await startFleet(2, kept);
    await first?.query(query.replace('2026-10-01', '2026-09-01'));
    await expect.poll(async () => (await reportKeys(redis)).length).toBe(1);
    const [key = Buffer.from('')] = await reportKeys(redis);
    const [otherField = Buffer.from('')] = await fieldsOf(redis, key);
    await first?.query(query);
    await expect.poll(async () => (await fieldsOf(redis, key)).length).toBe(2);
    const field = (await fieldsOf(redis, key)).find((name) => !name.equals(otherField)) ?? Buffer.from('');
    const [sealed, other] = (await Promise.all([field, otherField].map((name) => redis.send('HGET', key, name)))) as [
      Buffer,
      Buffer,
    ];
    await redis.send('HSET', key, field, damages[damage]?.(sealed, other) ?? sealed);
    expect((await second?.query(query))?.data.chargesBreakdown.userEmail).toBe('2026-10-01');
    expect(upstream.requests).toHaveLength(3);
  });
});
