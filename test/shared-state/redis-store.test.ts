import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { storeConnectMs, storeBytes } from '../../src/fleet/redis.ts';
import { refusalsApartMs } from '../../src/fleet/store-observer.ts';
import { askAll, nothing, open, politely, startScriptedStore } from './scripted-store.ts';

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
    await startScriptedStore(port);
    await expect.poll(() => watched.isUp()).toBe(true);
    expect(watched.log).toHaveLength(1);
  });

  test('that never answers is waited for once; its connection is given up with all that waits on it', async () => {
    const scripted = await startScriptedStore();
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
    const scripted = await startScriptedStore();
    const { store, counts, isUp } = open(scripted.url);
    await expect.poll(isUp).toBe(true);
    const sealed = Buffer.alloc(1_000_000);
    for (let time = 0; time < 100; time++) store.reports.put('caller', `report ${time}`, sealed, 1_000);
    await expect.poll(() => counts['reports full']).toBe(100 - Math.floor(storeBytes / (sealed.length + 1_000)));
    for (let time = 0; time < 5_000; time++) store.feeds.send('feed', Buffer.from('sealed'));
    await expect.poll(() => (counts['feeds away'] ?? 0) + (counts['feeds full'] ?? 0)).toBe(5_000);
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
    const scripted = await startScriptedStore();
    const watched = open(scripted.url, forgetful());
    const wrong = [
      ':7',
      '_',
      '*-1',
      '+text',
      '#t',
      ',1.5',
      '(123456789012345678901234567890',
      '*2\r\n:1\r\n$-1',
      '%1\r\n+a\r\n:1',
    ];
    for (const value of wrong) {
      await expect.poll(() => watched.isUp()).toBe(true);
      scripted.script(politely(() => `${value}\r\n`));
      for (const report of await askAll(watched.store)) expect(report === null || Buffer.isBuffer(report)).toBe(true);
    }
  });

  test('that does not greet has no connection any longer at a stop', async () => {
    const scripted = await startScriptedStore();
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
