import { createServer, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeConnectMs, storeBytes } from '../../src/fleet/redis/link.ts';
import { refusalsApartMs } from '../../src/fleet/store-observer.ts';
import { politely, startScriptedStore } from './scripted-store.ts';
import { askAll, nothing, open, startStore } from './watched-store.ts';
import { runs } from '../support/runs.ts';

/** A clock for which each refusal is long ago: then only the connection decides whether the store is up. */
function forgetful(): () => number {
  let time = 0;
  return () => (time += refusalsApartMs);
}

describe('a store', () => {
  test('that is not there at the start is not waited for, and is found when it comes', async () => {
    const first = await startScriptedStore();
    const port = Number(new URL(first.url).port);
    await first.close();
    const watched = open(first.url);
    expect(await askAll(watched.store)).toEqual(nothing);
    expect(watched.counts).toEqual({ 'reports away': 4 });
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
    expect(watched.counts['reports away'] ?? 0).toBeGreaterThan(0);
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
    for (let time = 0; time < 5_000; time++) store.feeds.send('feed', Buffer.from('sealed'));
    await expect.poll(() => (counts['feeds away'] ?? 0) + (counts['feeds full'] ?? 0)).toBe(5_000);
  });

  test('that ends every connection at once is tried again and again, and has nothing meanwhile', async () => {
    const scripted = await startStore();
    scripted.script(() => 'no word of Redis\r\n');
    const { store, isUp } = open(scripted.url);
    await expect.poll(() => scripted.opened).toBeGreaterThan(3);
    expect(isUp()).toBe(false);
    expect(await askAll(store)).toEqual(nothing);
  });

  test('that pushes what nobody has asked for, or no words of its language, ends no process', async () => {
    const scripted = await startStore();
    const { isUp, store } = open(scripted.url, forgetful());
    for (const reply of ['+OK\r\n+OK\r\n:1\r\n', '>2\r\n+a\r\n', '$-7\r\n', '?\r\n', '*99999999\r\n', '\0\0\0']) {
      await expect.poll(isUp).toBe(true);
      scripted.script(politely(() => reply));
      await askAll(store);
      scripted.script(politely(() => null));
    }
  });

  test.for([0, 1])('that sends anything for ever after %d replies is not read, and is tried again', async (polite) => {
    const flood = 67_108_864;
    const mostTaken = 16_777_216;
    await Promise.all(
      endless.map(async ([begun, unit]) => {
        const block = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
        const taken: number[] = [];
        const server = createServer((socket) => {
          let received = 0;
          let sent = 0;
          const send = (): void => {
            if (sent < flood && !socket.destroyed)
              socket.write(block, () => {
                sent += block.length;
                send();
              });
          };
          socket.on('error', () => {}).once('close', () => taken.push(sent));
          socket.on('data', () => {
            if (received++ < polite) return socket.write('%1\r\n$5\r\nproto\r\n:3\r\n');
            if (received === polite + 1) socket.write(begun, send);
            return undefined;
          });
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { isUp, store } = open(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
        await expect.poll(() => taken.length, { timeout: 60_000 }).toBeGreaterThan(1);
        expect(Math.max(...taken)).toBeLessThan(mostTaken);
        expect(isUp()).toBe(false);
        expect(await askAll(store)).toEqual(nothing);
        await store.close();
        server.close();
      }),
    );
  });

  test('that answers with any value at all is believed in nothing that is not of the right form', async () => {
    const scripted = await startStore();
    const watched = open(scripted.url, forgetful());
    await expect.poll(() => watched.isUp()).toBe(true);
    await fc.assert(
      fc.asyncProperty(reply, async (value) => {
        scripted.script(politely(() => value));
        await expect.poll(() => watched.isUp()).toBe(true);
        for (const report of await askAll(watched.store)) expect(report === null || Buffer.isBuffer(report)).toBe(true);
      }),
      { numRuns: runs(12) },
    );
  });

  test('that never answers does not hold up a stop', async () => {
    const scripted = await startStore();
    const { store, isUp } = open(scripted.url);
    await expect.poll(isUp).toBe(true);
    scripted.script(() => null);
    await store.close();
    await expect.poll(() => scripted.open).toBe(0);
  });

  test('that does not greet has no connection any longer at a stop', async () => {
    const scripted = await startStore();
    scripted.script(() => null);
    const { store, log } = open(scripted.url);
    await expect.poll(() => scripted.commands.length).toBeGreaterThan(0);
    await store.close();
    await expect.poll(() => scripted.open, { timeout: storeConnectMs / 4 }).toBe(0);
    expect(log).toEqual([]);
  });
});

/** What a store begins, and what it sends behind that for ever: of each kind of value that a client has to hold or to skip. */
const endless: readonly (readonly [begun: string, unit: string])[] = [
  ['$999999999\r\n', 'x'],
  ['>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$999999999\r\n', 'x'],
  ['-', 'x'],
  [':', '1'],
  ['', '*1\r\n'],
  ['', '-MOVED 1 127.0.0.1:1\r\n'],
  ['*1000000000\r\n', ':1\r\n'],
  ['', 'no word of Redis\r\n'],
];

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
