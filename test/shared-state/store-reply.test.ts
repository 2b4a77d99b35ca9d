import { describe, expect, test, vi } from 'vitest';
import { keyOf } from '../../src/fleet/redis.ts';
import { askAll, nothing, open, politely, startScriptedStore } from './scripted-store.ts';

// These replies come at once, but a machine that is busy with other things may take longer than a gateway waits for them.
vi.mock(import('../../src/bounds.ts'), async (load) => ({ ...(await load()), storeWaitMs: 20_000 as never }));

describe('a store', () => {
  test('is heard by who watches now, once for each message', async () => {
    const scripted = await startScriptedStore();
    const { store, isUp } = open(scripted.url);
    const [channel, late] = [keyOf('feeds', 'feed'), keyOf('feeds', 'late')];
    const message = `>3\r\n$7\r\nmessage\r\n$${channel.length}\r\n${channel}\r\n$22\r\nanother replica sealed\r\n`;
    const heard: string[] = [];
    const endFirst = store.feeds.watch('feed', () => {});
    store.feeds.watch('feed', (sealed) => heard.push(sealed.toString()));
    endFirst();
    scripted.script(politely(([name]) => (name?.toString() === 'PUBLISH' ? `${message}:1\r\n` : '*0\r\n')));
    await expect.poll(isUp).toBe(true);
    store.feeds.watch('late', () => {})();
    store.feeds.send('feed', Buffer.from('sealed'));
    await expect.poll(() => heard).toEqual(['sealed']);
    expect(await askAll(store)).toEqual(nothing);
    expect(heard).toEqual(['sealed']);
    const texts = (): readonly string[] => scripted.commands.map((parts) => parts.join(' '));
    for (const sent of [`subscribe ${channel}`, `subscribe ${late}`, `unsubscribe ${late}`])
      await expect.poll(texts).toContain(sent);
  });

  test.for([
    ['-OOM command not allowed', 'OOM', 'refused'],
    ['-secret-of-somebody', 'ERR', 'refused'],
    [':7', 'nonsense', 'unusable'],
  ])('that answers %s is logged once, without its text, and does not count as up', async ([reply, reason, outcome]) => {
    const scripted = await startScriptedStore();
    scripted.script(politely(() => `${reply}\r\n`));
    const { store, log, counts, isUp } = open(scripted.url);
    await expect.poll(isUp).toBe(true);
    for (let time = 0; time < 5; time++) expect(await askAll(store)).toEqual(nothing);
    expect(isUp()).toBe(false);
    expect(counts[`reports ${outcome}`]).toBe(20);
    expect(log).toHaveLength(1);
    expect(log[0]).toContain(`"reason":"${reason}"`);
    expect(log[0]).not.toContain('secret-of-somebody');
  });
});
