import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeBytes, storeWaitMs } from '../../src/bounds.ts';
import { keyOf } from '../../src/fleet/redis/key.ts';
import { openRedisStore, type RedisStore } from '../../src/fleet/redis/store.ts';
import type { Claim } from '../../src/fleet/shared-store.ts';
import { createStoreObserver } from '../../src/fleet/store-observer.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { politely, startScriptedStore, type ScriptedStore } from './scripted-store.ts';

interface Watched {
  readonly store: RedisStore;
  readonly log: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly isUp: () => boolean;
}

function open(url: string): Watched {
  const log: string[] = [];
  const counts: Record<string, number> = {};
  let isUp = (): boolean => false;
  const metrics = {
    countStoreCommand: (feature: string, outcome: string) => {
      counts[`${feature} ${outcome}`] = (counts[`${feature} ${outcome}`] ?? 0) + 1;
    },
    watchStore: (_store: string, read: () => boolean) => void (isUp = read),
  };
  const observer = createStoreObserver(
    'redis',
    metrics,
    createLog('debug', { write: (line: string) => void log.push(line) }),
  );
  const store = openRedisStore(url, 'https://api.example.com/v2', observer);
  onTestFinished(() => store.close());
  return { store, log, counts, isUp: () => isUp() };
}

async function startStore(): Promise<ScriptedStore> {
  const scripted = await startScriptedStore();
  onTestFinished(() => scripted.close());
  return scripted;
}

const claim: Claim = { token: 't'.repeat(22), heartbeat: Buffer.from('heartbeat'), leaseMs: 1_000 };
const missing = Buffer.from('');

/** Asks for everything that waits for a reply. */
async function askAll({ reports, feeds }: RedisStore): Promise<readonly unknown[]> {
  return Promise.all([
    reports.get('caller', 'report'),
    feeds.look('feed', claim, null),
    feeds.look('feed', claim, '1-1'),
    feeds.renew('feed', claim, missing),
  ]);
}
const nothing = [null, null, null, false];

describe('a store', () => {
  test('that is not there at the start is not waited for, and is found when it comes', async () => {
    const first = await startScriptedStore();
    const port = Number(new URL(first.url).port);
    await first.close();
    const watched = open(first.url);
    expect(await askAll(watched.store)).toEqual(nothing);
    expect(watched.counts).toEqual({ 'reports away': 1, 'feeds away': 3 });
    await expect.poll(() => watched.log.length).toBe(1);
    expect(watched.log[0]).toContain('"reason":"ECONNREFUSED"');
    const scripted = await startScriptedStore(port);
    onTestFinished(() => scripted.close());
    await expect.poll(() => watched.isUp()).toBe(true);
    expect(watched.log).toHaveLength(1);
  });

  test('that never answers is waited for once; its connection is given up with all that waits on it', async () => {
    const scripted = await startStore();
    const watched = open(scripted.url);
    await expect.poll(() => watched.isUp()).toBe(true);
    const asked = Array.from({ length: 50 }, () => askAll(watched.store));
    for (const answers of await Promise.all(asked)) expect(answers).toEqual(nothing);
    expect(watched.counts['feeds away'] ?? 0).toBeGreaterThan(0);
    expect(await askAll(watched.store)).toEqual(nothing);
    expect(watched.log.filter((line) => line.includes('is away'))).toHaveLength(1);
    await watched.store.close();
    await expect.poll(() => scripted.open).toBe(0);
  });

  test('that takes nothing fills no memory: what does not fit is not sent', async () => {
    const scripted = await startStore();
    const { store, counts, isUp } = open(scripted.url);
    await expect.poll(isUp).toBe(true);
    const sealed = Buffer.alloc(1_000_000);
    for (let time = 0; time < 100; time++) store.reports.put('caller', `report ${time}`, sealed, 1_000);
    await expect.poll(() => counts['reports full']).toBe(100 - Math.floor(storeBytes / (sealed.length + 1_000)));
    for (let time = 0; time < 5_000; time++) store.feeds.release('feed', claim.token);
    await expect.poll(() => (counts['feeds away'] ?? 0) + (counts['feeds full'] ?? 0)).toBe(5_000);
  });

  test('wakes those who began to watch while its connection was made, once for each message', async () => {
    const scripted = await startStore();
    const { store, isUp } = open(scripted.url);
    const channel = keyOf('feed', 'feed');
    const message = `>3\r\n$7\r\nmessage\r\n$${channel.length}\r\n${channel}\r\n$0\r\n\r\n`;
    let woken = 0;
    store.feeds.watch('feed', () => woken++);
    const late = keyOf('feed', 'late');
    const polite = politely(([name]) => (name?.toString() === 'EVAL' ? `${message}:1\r\n` : '*0\r\n'));
    let isConnecting = true;
    scripted.script((command) => {
      if (isConnecting && command[0]?.toString() === 'PING') {
        isConnecting = false;
        // The last step: the channels have been subscribed.
        store.feeds.watch('late', () => {});
      }
      return polite(command);
    });
    await expect.poll(isUp).toBe(true);
    const texts = (): readonly string[] => scripted.commands.map((parts) => parts.join(' '));
    await expect.poll(texts).toContain(`subscribe ${late}`);
    expect(await store.feeds.renew('feed', claim, missing)).toBe(true);
    expect(woken).toBe(1);
  });

  test('that ends every connection at once is tried again less and less often', async () => {
    const scripted = await startStore();
    scripted.script(() => 'no word of Redis\r\n');
    const { store, isUp } = open(scripted.url);
    await sleep(1_500);
    expect(isUp()).toBe(false);
    expect(scripted.opened).toBeGreaterThan(1);
    expect(scripted.opened).toBeLessThan(10);
    expect(await askAll(store)).toEqual(nothing);
  });

  test.for(['OOM command not allowed', 'READONLY You cannot write', 'WRONGTYPE Operation', 'secret-of-somebody'])(
    'that answers with the error %s is logged once, without its text',
    async (error) => {
      const scripted = await startStore();
      scripted.script(politely(() => `-${error}\r\n`));
      const { store, log, counts, isUp } = open(scripted.url);
      await expect.poll(isUp).toBe(true);
      for (let time = 0; time < 5; time++) expect(await askAll(store)).toEqual(nothing);
      expect(isUp()).toBe(true);
      expect(counts['feeds refused']).toBe(15);
      expect(log).toHaveLength(1);
      const [kind = ''] = error.split(' ');
      expect(log[0]).toContain(`"reason":"${kind === kind.toUpperCase() ? kind : 'ERR'}"`);
      expect(log[0]).not.toContain('secret-of-somebody');
    },
  );

  test('that pushes what nobody has asked for, or no words of its language, ends no process', async () => {
    const scripted = await startStore();
    const { isUp, store } = open(scripted.url);
    for (const reply of ['+OK\r\n+OK\r\n:1\r\n', '>2\r\n+a\r\n', '$-7\r\n', '?\r\n', '*99999999\r\n', '\0\0\0']) {
      await expect.poll(isUp).toBe(true);
      scripted.script(politely(() => reply));
      await askAll(store);
      scripted.script(politely(() => null));
    }
  });

  test('that answers with any value at all is believed in nothing that is not of the right form', async () => {
    const scripted = await startStore();
    const watched = open(scripted.url);
    await expect.poll(() => watched.isUp()).toBe(true);
    await fc.assert(
      fc.asyncProperty(reply, async (value) => {
        scripted.script(politely(() => value));
        await expect.poll(() => watched.isUp()).toBe(true);
        const [report, ...looks] = await askAll(watched.store);
        expect(report === null || Buffer.isBuffer(report)).toBe(true);
        for (const look of looks.slice(0, 2))
          if (look !== null) expect(look).toMatchObject({ token: expect.any(String) });
        expect(typeof looks[2]).toBe('boolean');
      }),
      { numRuns: 60 },
    );
  });

  test('that never answers does not hold up a stop', async () => {
    const scripted = await startStore();
    const { store, isUp } = open(scripted.url);
    await expect.poll(isUp).toBe(true);
    scripted.script(() => null);
    const started = performance.now();
    await store.close();
    expect(performance.now() - started).toBeLessThan(20 * storeWaitMs);
    await expect.poll(() => scripted.open).toBe(0);
  });
});

/** Any reply that RESP3 can say. */
const { reply } = fc.letrec<{ reply: string }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 4 },
    fc.integer().map((number) => `:${number}\r\n`),
    fc.constantFrom(
      '_\r\n',
      '$-1\r\n',
      '*-1\r\n',
      '+\r\n',
      '#t\r\n',
      ',1.5\r\n',
      '(123456789012345678901234567890\r\n',
    ),
    fc.string().map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`),
    fc.array(tie('reply'), { maxLength: 4 }).map((items) => `*${items.length}\r\n${items.join('')}`),
    fc
      .array(fc.tuple(tie('reply'), tie('reply')), { maxLength: 2 })
      .map((items) => `%${items.length}\r\n${items.flat().join('')}`),
  ),
}));
