import { createServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { storeConnectMs, storeBytes, refusalsApartMs } from '../../src/fleet/redis.ts';
import { open as listen } from '../upstream/loopback.ts';
import { certificate } from '../upstream/wire/certificates.ts';
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

  test('with a certificate of an unknown authority is away, and the log says why', async () => {
    const { baseUrl } = await listen(createServer(certificate));
    const { log } = open(`rediss://${new URL(baseUrl()).host}`);
    await expect.poll(() => log.length).toBe(1);
    // On a busy machine even the handshake may not end in time.
    expect(log[0]).toMatch(/"reason":"(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|late)"/);
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
    watched.store.close();
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
    // What was given up waits no longer.
    const full = counts['reports full'];
    await expect.poll(isUp).toBe(true);
    store.reports.put('caller', 'report', sealed, 1_000);
    expect(counts['reports full']).toBe(full);
  });

  test('that answers with any value at all is believed in nothing that is not of the right form', async () => {
    const scripted = await startScriptedStore();
    const watched = open(scripted.url, forgetful());
    const numbers = [':7', ',1.5', '(123456789012345678901234567890'];
    const wrong = [...numbers, '_', '*-1', '+text', '#t', '*2\r\n:1\r\n$-1', '%1\r\n+a\r\n:1'];
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
    store.close();
    await expect.poll(() => scripted.open, { timeout: storeConnectMs / 4 }).toBe(0);
    expect(log).toEqual([]);
  });
});
