import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feedEntries, keptNotices, memoryStoreBytes } from '../../src/bounds.ts';
import { MemoryStore, type StoreClient } from '../../src/fleet/memory-store.ts';
import type { Notice } from '../../src/fleet/shared-store.ts';

const leaseMs = 1_000;
const heartbeat = Buffer.from('heartbeat');
const claim = (token: string) => ({ token, heartbeat, leaseMs });

function setUp() {
  const clock = { time: 0 };
  const store = new MemoryStore(() => clock.time);
  const join = () => {
    const notices: Notice[] = [];
    const woken: string[] = [];
    const client = store.connect({ notice: (notice) => notices.push(notice), wake: (feed) => woken.push(feed) });
    return { client, notices, woken };
  };
  return { clock, join };
}

const ownerOf = (client: StoreClient): string => client.look('feed', claim('other'), null).token;

test('a lease is of one worker until it ends, is released, or the worker has left', () => {
  const { clock, join } = setUp();
  const [a, b] = [join(), join()];
  expect(a.client.look('feed', claim('a'), null).token).toBe('a');
  expect(b.client.look('feed', claim('b'), null).token).toBe('a');
  clock.time = leaseMs - 1;
  expect(a.client.renew('feed', claim('a'), null)).toBe(true);
  clock.time += leaseMs;
  expect(a.client.renew('feed', claim('a'), null)).toBe(false);
  expect(b.client.look('feed', claim('b'), null).token).toBe('b');
  a.client.release('feed', 'a');
  expect(ownerOf(a.client)).toBe('b');
  b.client.release('feed', 'b');
  expect(a.woken).toEqual(['feed']);
  expect(a.client.look('feed', claim('a'), null).token).toBe('a');
  a.client.disconnect();
  expect(b.woken).toEqual(['feed']);
  expect(b.client.look('feed', claim('c'), null).token).toBe('c');
});

test('at any time one worker at most can write to a feed, whatever the workers do', () => {
  const step = fc.record({ worker: fc.nat(2), act: fc.constantFrom('look', 'renew', 'release'), wait: fc.nat(700) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, join } = setUp();
      const clients = [join().client, join().client, join().client];
      for (const { worker, act, wait } of steps) {
        clock.time += wait;
        const [client, token] = [clients[worker] as StoreClient, `worker-${worker}`];
        if (act === 'look') client.look('feed', claim(token), null);
        else if (act === 'renew') client.renew('feed', claim(token), null);
        else client.release('feed', token);
        const owners = clients.filter((one, index) =>
          one.renew('feed', { ...claim(`worker-${index}`), leaseMs: 0 }, null),
        );
        expect(owners.length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a reader gets the entries behind the last one that it has, of the newest ones that are kept', () => {
  const { join } = setUp();
  const [a, b] = [join(), join()];
  a.client.look('feed', claim('a'), null);
  for (let entry = 0; entry < feedEntries + 3; entry++) a.client.renew('feed', claim('a'), Buffer.from(String(entry)));
  expect(b.woken).toHaveLength(feedEntries + 3);
  expect(a.woken).toEqual([]);
  const { entries, last } = b.client.look('feed', claim('b'), '');
  expect(entries.map(({ sealed }) => String(sealed))).toEqual(
    Array.from({ length: feedEntries }, (_, n) => String(n + 3)),
  );
  expect(last).toBe(entries.at(-1)?.id);
  expect(b.client.look('feed', claim('b'), entries.at(-2)?.id ?? '').entries).toEqual(entries.slice(-1));
  expect(b.client.look('feed', claim('b'), null).entries).toEqual([]);
});

test('the entries of all feeds take a bounded room, in which the oldest make place', () => {
  const { join } = setUp();
  const { client } = join();
  const entry = Buffer.alloc(memoryStoreBytes / 4);
  for (let feed = 0; feed < 8; feed++) {
    client.look(String(feed), claim('a'), null);
    client.renew(String(feed), claim('a'), entry);
  }
  const kept = Array.from({ length: 8 }, (_, feed) => client.look(String(feed), claim('b'), '').entries.length);
  expect(kept).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});

test('a notice reaches all others, and those that come while it is kept', () => {
  const { clock, join } = setUp();
  const [a, b] = [join(), join()];
  const notice = { kind: 'limit', name: 'caller', value: 'sealed' } as const;
  a.client.send(notice, 1_000);
  expect([a.notices, b.notices, join().notices]).toEqual([[], [notice], [notice]]);
  clock.time = 1_000;
  expect(join().notices).toEqual([]);
  for (let caller = 0; caller < keptNotices + 5; caller++) a.client.send({ ...notice, name: String(caller) }, 1_000);
  expect(join().notices).toHaveLength(keptNotices);
});
