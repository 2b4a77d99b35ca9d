import { startScriptedStore, politely, type StoreScript } from '../../shared-state/scripted-store.ts';
import { chargesBreakdownRecord } from '../../support/records.ts';
import { valueOf } from '../../support/metrics.ts';
import { expect, storeUp, test } from '../../fleet/fleet.ts';
import { freePort, startRedis } from '../../fleet/redis.ts';

const query = `query ($date: Date!) { chargesBreakdown(startDate: $date) { userEmail } }`;
const days = Array.from({ length: 20 }, (_, index) => `2026-09-${String(index + 1).padStart(2, '0')}`);

const withScript = async (script: StoreScript, isUp = true): Promise<Outage> => {
  const store = await startScriptedStore();
  store.script(script);
  return { url: store.url, isUp };
};

/** Stores that do not do what they should, by how they come to it while gateways use them. */
const outages: Readonly<Record<string, () => Promise<Outage>>> = {
  'is not there': async () => ({ url: `redis://127.0.0.1:${await freePort()}`, isUp: false }),
  'is killed': () => withRedis((redis) => redis.kill()),
  'stands still': () => withRedis(async (redis) => redis.pause()),
  'is full': () => withRedis((redis) => redis.send('CONFIG', 'SET', 'maxmemory', '1')),
  'may not be written to': () => withRedis((redis) => redis.send('REPLICAOF', '127.0.0.1', '1')),
  'answers late': () => withRedis((redis) => redis.send('CLIENT', 'PAUSE', '60000', 'ALL')),
  'speaks another language': () => withScript(() => 'HTTP/1.1 400 Bad Request\r\n\r\n', false),
  'answers with a hundred megabytes': () => withScript(politely(() => `$${10 ** 8}\r\n${'a'.repeat(10 ** 8)}\r\n`)),
  'gives the same answer to everything': () => withScript(politely(() => '$5\r\nhello\r\n')),
};

interface Outage {
  readonly url: string;
  /** Whether gateways find it at first. */
  readonly isUp: boolean;
  readonly happen?: () => Promise<unknown>;
  readonly end?: () => Promise<void>;
}

async function withRedis(happen: (redis: Awaited<ReturnType<typeof startRedis>>) => Promise<unknown>): Promise<Outage> {
  const redis = await startRedis();
  return { url: redis.url, isUp: true, happen: () => happen(redis), end: () => redis[Symbol.asyncDispose]() };
}

test.for(Object.keys(outages))(
  'a store that %s costs no response, and one wait',
  async (name, { startWith, upstream, onTestFinished }) => {
    upstream.script(({ query: { start_date: start } }) => ({
      json: { data: chargesBreakdownRecord({ start_date: start, user_email: String(start) }) },
    }));
    const outage = (await outages[name]?.()) as Outage;
    onTestFinished(async () => outage.end?.());
    const gateway = await startWith({ SHARED_STATE_URL: outage.url, REPORT_CACHE_MS: '60000' });
    await expect.poll(() => storeUp(gateway)).toBe(Number(outage.isUp));
    await outage.happen?.();
    // Each report is looked for in the store first.
    for (const date of days) {
      const { data } = await gateway.query(query, { variables: { date } });
      expect(data.chargesBreakdown?.userEmail).toBe(date);
    }
    expect(upstream.requests).toHaveLength(days.length);
    if (/full|written to|same answer/.test(name)) await expect.poll(() => storeUp(gateway)).toBe(0);
    // A store that comes back in between is tried again.
    const labels = { feature: 'reports', outcome: 'late' };
    expect((await valueOf(gateway, 'switchboard_shared_state_commands_total', labels)) ?? 0).toBeLessThanOrEqual(3);
    const messages = gateway.log.filter((line) => line.includes('shared state')).map((line) => JSON.parse(line).msg);
    expect(new Set(messages).size).toBe(messages.length);
  },
);
