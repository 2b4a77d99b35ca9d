import { describe } from 'vitest';
import { startScriptedStore, politely } from '../shared-state/scripted-store.ts';
import type { Gateway } from '../support/gateway.ts';
import { chargesBreakdownRecord } from '../support/records.ts';
import { expect, metricOf, test, upSeries } from './fleet.ts';
import { freePort, startRedis } from './redis.ts';

const query = `query ($date: Date!) { chargesBreakdown(startDate: $date) { userEmail } }`;
const kept = { REPORT_CACHE_MS: '60000' };
const days = Array.from({ length: 20 }, (_, index) => `2026-09-${String(index + 1).padStart(2, '0')}`);

/** Asks for twenty reports, one after the other, each of which is looked for in the store first. */
async function ask(gateway: Gateway): Promise<readonly unknown[]> {
  const emails: unknown[] = [];
  for (const date of days) {
    const { data } = await gateway.query(query, { variables: { date } });
    emails.push(data.chargesBreakdown?.userEmail);
  }
  return emails;
}

const commands = (gateway: Gateway, outcome: string): Promise<number> =>
  metricOf(gateway, `switchboard_shared_state_commands_total{feature="reports",outcome="${outcome}"}`);

/** Stores that do not do what they should, by how they come to it while gateways use them. */
const outages: Readonly<Record<string, () => Promise<Outage>>> = {
  'is not there': async () => ({ url: `redis://127.0.0.1:${await freePort()}`, isUp: false }),
  'is killed': () => withRedis((redis) => redis.kill()),
  'stands still': () => withRedis(async (redis) => redis.pause()),
  'is full': () => withRedis((redis) => redis.send('CONFIG', 'SET', 'maxmemory', '1')),
  'may not be written to': () => withRedis((redis) => redis.send('REPLICAOF', '127.0.0.1', '1')),
  'answers late': () => withRedis((redis) => redis.send('CLIENT', 'PAUSE', '60000', 'ALL')),
  async 'takes everything and answers nothing'() {
    const store = await startScriptedStore();
    store.script(politely(() => null));
    return { url: store.url, isUp: true, end: () => store.close() };
  },
  async 'speaks another language'() {
    const store = await startScriptedStore();
    store.script(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    return { url: store.url, isUp: false, end: () => store.close() };
  },
  async 'answers with a hundred megabytes'() {
    const reply = `$${10 ** 8}\r\n${'a'.repeat(10 ** 8)}\r\n`;
    const store = await startScriptedStore();
    store.script(politely(() => reply));
    return { url: store.url, isUp: true, end: () => store.close() };
  },
  async 'gives the same answer to everything'() {
    const store = await startScriptedStore();
    store.script(politely(() => '$5\r\nhello\r\n'));
    return { url: store.url, isUp: true, end: () => store.close() };
  },
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

describe('a store that', () => {
  test.for(Object.keys(outages))(
    '%s costs no response, and one wait',
    async (name, { startWith, upstream, onTestFinished }) => {
      upstream.script(({ query: { start_date: start } }) => ({
        json: { data: chargesBreakdownRecord({ start_date: start, user_email: String(start) }) },
      }));
      const outage = (await outages[name]?.()) as Outage;
      onTestFinished(async () => outage.end?.());
      const gateway = await startWith({ SHARED_STATE_URL: outage.url, ...kept });
      await expect.poll(() => metricOf(gateway, upSeries)).toBe(Number(outage.isUp));
      await outage.happen?.();
      const calls = upstream.requests.length;
      expect(await ask(gateway)).toEqual(days);
      expect(upstream.requests.length - calls).toBe(days.length);
      if (/full|written to|same answer/.test(name)) await expect.poll(() => metricOf(gateway, upSeries)).toBe(0);
      // A store that comes back in between is tried again.
      expect(await commands(gateway, 'late')).toBeLessThanOrEqual(3);
      const messages = gateway.log.filter((line) => line.includes('shared state')).map((line) => JSON.parse(line).msg);
      expect(new Set(messages).size).toBe(messages.length);
    },
  );
});
