import { describe, expect, test } from 'vitest';
import { CancelSource } from '../../../src/cancellation.ts';
import type { GatewayError } from '../../../src/errors.ts';
import { createDeliveryFeeds, type Beginning } from '../../../src/live/delivery-feeds.ts';
import { alone, type ShareFeed } from '../../../src/live/feed-share.ts';
import { encodeEventId, deliveryMarkOf } from '../../../src/live/event-ids.ts';
import type { DeliverySource, StreamEvent } from '../../../src/live/stream.ts';
import { StreamRooms, weightOf } from '../../../src/live/stream-room.ts';
import { momentOf } from '../../../src/moment.ts';
import { TimeSlices } from '../../../src/time-slices.ts';
import type { Caller } from '../../../src/upstream/caller.ts';
import type { Client } from '../../../src/upstream/client.ts';
import { createKnownCallers, type KnownCallers } from '../../../src/upstream/stages/known-callers.ts';
import { timestampAt } from '../../support/growing-deliveries.ts';

const options = {
  pollMs: 5,
  overlapMs: 1_000,
  scanPages: 5,
  mostWaiting: 10,
  mostFeeds: 10,
  mostStreams: 4_000,
  rooms: new StreamRooms(67_108_864),
  slices: new TimeSlices(),
};

/** Where a stream of deliveries alone begins. */
const beginning = (eventId: string | null): Beginning => ({ eventId, from: 'Last-Event-ID', hasStates: false });

/** What a stream has been written, by a writer whose connection takes everything at once. */
class Reading {
  readonly ids: string[] = [];
  hasEnded = false;
  /** The events that were executed for the streams of the same key. */
  readonly executed: StreamEvent[];

  constructor(source: DeliverySource, executed: StreamEvent[] = []) {
    this.executed = executed;
    source.join(
      'key',
      (event) => {
        executed.push(event);
        const text = Buffer.from(
          event instanceof Error ? event.message : String('delivery' in event && event.delivery.id),
        );
        return { parts: [text], bytes: text.length, errorCodes: [], isLast: false };
      },
      {
        write: (events, taken) => {
          this.ids.push(...events.map(({ result }) => String(result.parts[0])));
          setImmediate(taken);
        },
        end: () => (this.hasEnded = true),
      },
    );
  }
}

/** A client whose list has one delivery more each time that it is asked. */
function createGrowingClient() {
  const bounds: string[] = [];
  const client: Client = {
    async get<Body>(call: { readonly queryString: string }) {
      bounds.push(call.queryString);
      const rows = [{ id: `d-${bounds.length}`, started_at: timestampAt(bounds.length) }];
      return { rows, meta: { totalResults: 1, pageSize: 250 } } as Body;
    },
    fetch: () => Promise.reject(new Error('Feeds read every answer.')),
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
  };
  return { client, calls: bounds };
}

function createCaller(key: string): Caller & { readonly signal: CancelSource } {
  return { key, identity: key, requestId: 'id', signal: new CancelSource(), deadline: Infinity, countCall: () => {} };
}

test('a feed of a hundred followers makes one call a poll, and none after the last has left', async () => {
  const { client, calls } = createGrowingClient();
  const feeds = createDeliveryFeeds(client, options);
  const callers = Array.from({ length: 100 }, () => createCaller('key'));
  const sources = await Promise.all(callers.map((caller) => feeds.follow({}, caller, beginning(null))));
  expect(calls).toHaveLength(1);
  const executed: StreamEvent[] = [];
  const readings = sources.map((source) => new Reading(source, executed));
  const expected = ['d-2', 'd-3', 'd-4', 'd-5', 'd-6'];
  await expect.poll(() => readings.every(({ ids }) => ids.length >= expected.length)).toBe(true);
  for (const { ids } of readings) expect(ids.slice(0, 5)).toEqual(expected);
  // Once for all of them.
  expect(executed.slice(0, 5)).toMatchObject(expected.map((id) => ({ delivery: { id } })));
  expect(feeds.size()).toEqual({ streams: 100, lists: 1 });
  for (const { signal } of callers.slice(1)) signal.abort(new Error('gone'));
  expect(feeds.size()).toEqual({ streams: 1, lists: 1 });
  const made = calls.length;
  await expect.poll(() => calls.length).toBeGreaterThan(made + 2);
  callers[0]?.signal.abort(new Error('gone'));
  expect(feeds.size()).toEqual({ streams: 0, lists: 0 });
  const last = calls.length;
  // Were it still polled, it would be before another list is for the fifth time.
  const other = createGrowingClient();
  const caller = createCaller('other');
  await createDeliveryFeeds(other.client, options).follow({}, caller, beginning(null));
  await expect.poll(() => other.calls.length).toBeGreaterThan(5);
  caller.signal.abort(new Error('gone'));
  expect(calls).toHaveLength(last);
});

test('the room of a caller is one for all of its feeds, from the first to the last', async () => {
  const rooms = new StreamRooms(67_108_864);
  const feeds = createDeliveryFeeds(createGrowingClient().client, { ...options, rooms, pollMs: 600_000 });
  const [first, second] = [createCaller('key'), createCaller('key')];
  const source = await feeds.follow({}, first, beginning(null));
  const room = rooms.of('key');
  await feeds.follow({ filter: { status: { eq: 'failed' } } }, second, beginning(null));
  // The only stream that is read leaves, and the other one has not been joined yet.
  const reading = new Reading(source);
  first.signal.abort(new Error('gone'));
  expect([reading.ids, feeds.size()]).toEqual([[], { streams: 1, lists: 1 }]);
  expect(rooms.of('key')).toBe(room);
  second.signal.abort(new Error('gone'));
  expect(rooms.of('key')).not.toBe(room);
});

test('what waits for a reader takes room, by its weight, until the reader has it or has left', async () => {
  const rooms = new StreamRooms(67_108_864);
  const feeds = createDeliveryFeeds(createGrowingClient().client, { ...options, rooms, mostWaiting: 1_000 });
  const caller = createCaller('key');
  const source = await feeds.follow({}, caller, beginning(null));
  const room = rooms.of('key');
  const text = Buffer.from('x');
  source.join('key', () => ({ parts: [text], bytes: 1, errorCodes: [], isLast: false }), {
    // Its connection takes nothing.
    write: () => {},
    end: () => {},
  });
  const weight = weightOf({ id: 'd-2', started_at: timestampAt(2) });
  await expect.poll(() => room.bytes.deliveries).toBeGreaterThan(3 * weight);
  caller.signal.abort(new Error('gone'));
  await expect.poll(() => room.bytes).toEqual({ deliveries: 0, results: 0 });
});

test('a feed is shared with other processes by its key, its caller and its list', async () => {
  const shared: unknown[] = [];
  const share: ShareFeed = (...named) => {
    shared.push(named.slice(0, 2));
    return alone;
  };
  const feeds = createDeliveryFeeds(createGrowingClient().client, { ...options, share, pollMs: 600_000 });
  const caller = createCaller('key');
  await feeds.follow({ filter: { status: { eq: 'failed' } } }, caller, beginning(null));
  caller.signal.abort(new Error('gone'));
  expect(shared).toEqual([[{ key: 'key', identity: 'key', list: 'filter[status][eq]=failed' }, 600_000]]);
});

test('a feed resumed by a hundred readers makes the first reading and one more call', async () => {
  const { client, calls } = createGrowingClient();
  // After the two calls that the hundred are to cost, no other is made while the test lasts.
  const feeds = createDeliveryFeeds(client, { ...options, pollMs: 600_000 });
  const early = createCaller('key');
  const { eventId } = await feeds.follow({}, early, beginning(null));
  early.signal.abort(new Error('gone'));
  calls.length = 0;
  const callers = Array.from({ length: 100 }, () => createCaller('key'));
  const sources = await Promise.all(callers.map((caller) => feeds.follow({}, caller, beginning(eventId()))));
  const readings = sources.map((source) => new Reading(source));
  await expect.poll(() => readings.every(({ ids }) => ids.length > 0)).toBe(true);
  expect(new Set(readings.flatMap(({ ids }) => ids))).toEqual(new Set(['d-2']));
  expect(calls).toHaveLength(2);
  for (const { signal } of callers) signal.abort(new Error('gone'));
});

test('readers who return to a feed from a hundred different minutes share one reading', async () => {
  const rows = Array.from({ length: 100 }, (_, minute) => ({
    id: `d-${minute}`,
    started_at: timestampAt(minute * 60),
  }));
  const bounds: string[] = [];
  const client: Client = {
    async get<Body>({ queryString }: { readonly queryString: string }) {
      const bound = /gte\]=([^&]*)/.exec(queryString)?.[1] ?? '';
      bounds.push(decodeURIComponent(bound));
      return { rows: rows.toReversed(), meta: { totalResults: rows.length, pageSize: 250 } } as Body;
    },
    fetch: () => Promise.reject(new Error('Feeds read every answer.')),
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
  };
  const feeds = createDeliveryFeeds(client, { ...options, pollMs: 600_000 });
  const callers = rows.map(() => createCaller('key'));
  const sources = await Promise.all(
    rows.map(({ started_at }, minute) => {
      const newest = momentOf(started_at);
      const seen = encodeEventId('', { newest, marks: [deliveryMarkOf(`id d-${minute}`)] });
      return feeds.follow({}, callers[minute] ?? createCaller('key'), beginning(seen));
    }),
  );
  const readings = sources.map((source) => new Reading(source));
  for (const [minute, { ids }] of readings.slice(0, -1).entries())
    await expect.poll(() => ids[0]).toBe(`d-${minute + 1}`);
  expect(bounds).toEqual(['', timestampAt(-1)]);
  for (const { signal } of callers) signal.abort(new Error('gone'));
});

test('a feed finds missed deliveries once for all returning readers who had seen the same', async () => {
  const { client } = createGrowingClient();
  const feeds = createDeliveryFeeds(client, { ...options, pollMs: 600_000 });
  const seen = encodeEventId('', { newest: null, marks: [] });
  const callers = [createCaller('key'), createCaller('key')];
  const sources = await Promise.all(callers.map((caller) => feeds.follow({}, caller, beginning(seen))));
  const executed: StreamEvent[] = [];
  const readings = sources.map((source) => new Reading(source, executed));
  await expect.poll(() => readings.map(({ ids }) => ids)).toEqual([['d-2'], ['d-2']]);
  expect(executed).toHaveLength(1);
  for (const { signal } of callers) signal.abort(new Error('gone'));
});

test('a follower who leaves before the first reading gets the reason, and the others go on', async () => {
  const first = Promise.withResolvers<undefined>();
  const { client } = createGrowingClient();
  const slow: Client = { ...client, get: async (call, caller) => first.promise.then(() => client.get(call, caller)) };
  const feeds = createDeliveryFeeds(slow, options);
  const [leaving, staying] = [createCaller('key'), createCaller('key')];
  const left = feeds.follow({}, leaving, beginning(null));
  const stays = feeds.follow({}, staying, beginning(null));
  leaving.signal.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(feeds.follow({}, leaving, beginning(null))).rejects.toThrow('gone');
  expect(feeds.size()).toEqual({ streams: 1, lists: 1 });
  first.resolve(undefined);
  const reading = new Reading(await stays);
  await expect.poll(() => reading.ids.length).toBeGreaterThan(0);
  staying.signal.abort(new Error('gone'));
  await expect.poll(() => reading.hasEnded).toBe(true);
});

describe('streams and polled lists are bounded', () => {
  const known = (...identities: readonly string[]): KnownCallers => ({
    ...createKnownCallers(),
    has: (identity) => identities.includes(identity),
  });

  /** Opens a stream for each of these, `caller filter`, and tells which are refused, and with what. */
  async function refusedOf(
    limits: Partial<Parameters<typeof createDeliveryFeeds>[1]>,
    asked: readonly string[],
  ): Promise<string[]> {
    const feeds = createDeliveryFeeds(createGrowingClient().client, { ...options, pollMs: 600_000, ...limits });
    const callers: CancelSource[] = [];
    const refused: string[] = [];
    for (const each of asked) {
      const [key = '', status = ''] = each.split(' ');
      const caller = createCaller(key);
      callers.push(caller.signal);
      try {
        await feeds.follow({ filter: { status: { eq: status } } }, caller, beginning(null));
      } catch (error) {
        refused.push(`${each} ${(error as GatewayError).code}`);
      }
    }
    expect(feeds.size().streams).toBe(asked.length - refused.length);
    for (const signal of callers) signal.abort(new Error('gone'));
    expect(feeds.size()).toEqual({ streams: 0, lists: 0 });
    return refused;
  }

  const times = (count: number, each: string): string[] => Array<string>(count).fill(each);

  test('a caller has a quarter of the streams, and all callers together have no more than there are', async () => {
    const all = ['a', 'b', 'c', 'd'].flatMap((caller) => times(2, `${caller} x`));
    expect(await refusedOf({ mostStreams: 8 }, [...times(3, 'a x'), 'b x'])).toEqual(['a x RATE_LIMITED']);
    expect(await refusedOf({ mostStreams: 8 }, [...all, 'e x'])).toEqual(['e x UPSTREAM_UNAVAILABLE']);
    expect(await refusedOf({ mostStreams: 9 }, [...all, 'e x', 'f x'])).toEqual(['f x UPSTREAM_UNAVAILABLE']);
  });

  test('a caller has a quarter of the lists, and a stream of a list that is polled takes none', async () => {
    expect(await refusedOf({ mostFeeds: 8 }, ['a x', 'a y', 'a z', 'a x', 'b z'])).toEqual(['a z RATE_LIMITED']);
    const all = ['a x', 'b x', 'c x', 'd x'];
    expect(await refusedOf({ mostFeeds: 4 }, [...all, 'e x', 'a x'])).toEqual(['e x UPSTREAM_UNAVAILABLE']);
  });

  test('unknown callers have a quarter of both together, and known callers the rest', async () => {
    const limits = { known: known('good') };
    const streams = { ...limits, mostStreams: 8 };
    expect(await refusedOf(streams, ['a x', 'b x', 'c x', 'good x', 'good x'])).toEqual(['c x UPSTREAM_UNAVAILABLE']);
    const lists = { ...limits, mostFeeds: 8 };
    expect(await refusedOf(lists, ['a x', 'b x', 'c x', 'a x', 'good x'])).toEqual(['c x UPSTREAM_UNAVAILABLE']);
  });
});
