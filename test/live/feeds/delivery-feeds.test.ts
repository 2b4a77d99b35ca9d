import { expect, test, vi } from 'vitest';
import { CancelSource } from '../../../src/cancellation.ts';
import { createDeliveryFeeds, type Beginning } from '../../../src/live/delivery-feeds.ts';
import { deliveryOf } from '../../../src/live/delivery-window.ts';
import { GatewayError } from '../../../src/errors.ts';
import { StreamRooms } from '../../../src/live/stream-room.ts';
import type { Caller } from '../../../src/upstream/call.ts';
import type { Client } from '../../../src/upstream/client.ts';
import { timestampAt } from '../../support/moving-upstream.ts';

const options = {
  known: { has: () => true, learn: () => {} },
  subscriptionPollMs: 5,
  subscriptionOverlapMs: 1_000,
  upstreamScanPages: 5,
  subscriptionBuffer: 10,
  subscriptionMaxFeeds: 10,
  subscriptionMaxStreams: 4_000,
  rooms: new StreamRooms(67_108_864),
};

/** Where a stream of deliveries alone begins. */
const beginning: Beginning = { eventId: null, from: 'Last-Event-ID', hasStates: false };

/** A client whose list has one delivery more each time that it is asked. */
function createGrowingClient() {
  let calls = 0;
  const client: Client = {
    async fetch<Body>() {
      calls++;
      const rows = [{ id: `d-${calls}`, started_at: timestampAt(calls) }];
      const body = { rows, meta: { totalResults: 1, pageSize: 250 } };
      return { bytes: null, read: async () => body as Body, forget: () => {} };
    },
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
  };
  return client;
}

function createCaller(key: string): Caller & { readonly signal: CancelSource } {
  const request = { requestId: 'id', upstreamCalls: 0 };
  return { key, identity: key, request, signal: new CancelSource(), deadline: Infinity };
}

const resultOf = () => ({ parts: [Buffer.from('x')], bytes: 1, errorCodes: [], isLast: false });

test('the room of a caller is one for all of its feeds, from the first to the last', async () => {
  const rooms = new StreamRooms(67_108_864);
  const feeds = createDeliveryFeeds(createGrowingClient(), { ...options, rooms, subscriptionPollMs: 600_000 });
  const [first, second] = [createCaller('key'), createCaller('key')];
  const source = await feeds.follow({}, first, beginning);
  const room = rooms.of('key');
  await feeds.follow({ filter: { status: { eq: 'failed' } } }, second, beginning);
  // The only stream that is read leaves, and the other one has not been joined yet.
  source.join('key', resultOf, { write: () => {}, end: () => {} });
  first.signal.abort(new Error('gone'));
  expect(feeds.size()).toEqual({ streams: 1, lists: 1 });
  expect(rooms.of('key')).toBe(room);
  second.signal.abort(new Error('gone'));
  expect(rooms.of('key')).not.toBe(room);
});

test.for(['has left', 'was too slow'])('what waits for a reader takes room until it %s', async (end) => {
  const { weight } = deliveryOf({ id: 'd-2', started_at: timestampAt(2) });
  // An eighth is for deliveries of one caller.
  const rooms = new StreamRooms(8 * 4 * weight);
  const feeds = createDeliveryFeeds(createGrowingClient(), { ...options, rooms, subscriptionBuffer: 1_000 });
  const caller = createCaller('key');
  const source = await feeds.follow({}, caller, beginning);
  const room = rooms.of('key');
  // Its connection takes nothing.
  source.join('key', resultOf, { write: () => {}, end: () => {} });
  await expect.poll(() => room.bytes.deliveries).toBeGreaterThan(3 * weight);
  const now = performance.now();
  if (end === 'has left') caller.signal.abort(new Error('gone'));
  else vi.spyOn(performance, 'now').mockReturnValue(now + 5_000);
  await expect.poll(() => [feeds.size().streams, room.bytes]).toEqual([0, { deliveries: 0, results: 0 }]);
  vi.restoreAllMocks();
});

test('a stream that its feed has ended takes no room any more', async () => {
  const rooms = new StreamRooms(67_108_864);
  const client = createGrowingClient();
  const feeds = createDeliveryFeeds(client, { ...options, rooms });
  const source = await feeds.follow({}, createCaller('key'), beginning);
  const room = rooms.of('key');
  client.fetch = () => Promise.reject(new GatewayError('FORBIDDEN'));
  source.join('key', resultOf, { write: (_events, taken) => setImmediate(taken), end: () => {} });
  await expect.poll(() => rooms.of('key') === room).toBe(false);
});

test('a follower who leaves before the first reading gets the reason, and the others go on', async () => {
  const first = Promise.withResolvers<undefined>();
  const client = createGrowingClient();
  const slow: Client = { ...client, fetch: (call, caller) => first.promise.then(() => client.fetch(call, caller)) };
  const feeds = createDeliveryFeeds(slow, options);
  const [leaving, staying] = [createCaller('key'), createCaller('key')];
  const left = feeds.follow({}, leaving, beginning);
  const stays = feeds.follow({}, staying, beginning);
  leaving.signal.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(feeds.follow({}, leaving, beginning)).rejects.toThrow('gone');
  expect(feeds.size()).toEqual({ streams: 1, lists: 1 });
  first.resolve(undefined);
  const ended = Promise.withResolvers<void>();
  const written = Promise.withResolvers<() => void>();
  (await stays).join('key', resultOf, {
    write: (_events, taken) => written.resolve(taken),
    end: () => ended.resolve(),
  });
  (await written.promise)();
  staying.signal.abort(new Error('gone'));
  await ended.promise;
});
