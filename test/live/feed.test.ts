import { subscribe, type EventStream } from '../support/streams.ts';
import { describe, expect, type Gateway } from '../support/gateway.ts';
import type { Json } from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';
import { all, errorsOf, idsOf, leave, polls, quick, seconds, still, test } from './subscription.ts';

const feed = `subscription Feed($after: String, $status: String) {
  deliveryFeed(after: $after, filter: { status: { eq: $status } }) {
    ... on DeliveryArrived { cursor delivery { id } }
    ... on FeedStateChanged { state since cursor reason missed }
  }
}`;

const follow = (gateway: Gateway, variables = {}, headers = {}) => subscribe(gateway, feed, { variables, headers });

const eventsOf = ({ events }: EventStream): readonly Json[] =>
  events.filter(({ data }) => data?.data != null).map(({ data }) => data.data.deliveryFeed);
const arrivedIn = (stream: EventStream): readonly string[] =>
  eventsOf(stream).flatMap(({ delivery }) => delivery?.id ?? []);
const statesOf = (stream: EventStream): readonly unknown[] =>
  eventsOf(stream).flatMap(({ state, reason, missed }) => (state === undefined ? [] : [[state, reason, missed]]));
const positionOf = ({ cursor }: Json): string => cursor ?? '';
const live = ['LIVE', null, false];
const down: Reply = { status: 503, text: 'down' };
const cursorsOf = (stream: EventStream): readonly string[] => eventsOf(stream).map(positionOf);

/** Resolves when so many events have come. */
const come = (stream: EventStream, count: number) => expect.poll(() => eventsOf(stream).length).toBe(count);

/** Follows, and waits for the first so many events. */
async function followed(gateway: Gateway, variables = {}, count = 1): Promise<EventStream> {
  const stream = await follow(gateway, variables);
  await come(stream, count);
  return stream;
}

describe('a feed', () => {
  test('says first that it is live and from where; deliveries have cursors', async ({ deliveries, gateway }) => {
    const stream = await followed(gateway);
    const [first] = eventsOf(stream);
    const since = expect.any(String);
    expect(first).toEqual({ state: 'LIVE', since, cursor: stream.lastEventId, reason: null, missed: false });
    expect(Math.abs(Date.parse(first?.since ?? '') - Date.now())).toBeLessThan(60_000);
    const added = deliveries.add([10, 11, 12]);
    await come(stream, 4);
    expect(arrivedIn(stream)).toEqual(added);
    expect(new Set(cursorsOf(stream)).size).toBe(4);
    expect(cursorsOf(stream).at(-1)).toBe(stream.lastEventId);
  });

  test('goes on behind any of its cursors, at another process too', async ({ deliveries, gateway, startWith }) => {
    const first = await followed(gateway);
    const before = deliveries.add(seconds(10, 5));
    await come(first, 6);
    first.close();
    const missed = deliveries.add(seconds(20, 60));
    const other = await startWith(quick);
    for (const [index, after] of cursorsOf(first).entries()) {
      // The first, one in the middle and the last.
      if (![0, 3, 5].includes(index)) continue;
      const second = await followed(other, { after }, 1 + before.length - index + missed.length);
      expect(arrivedIn(second)).toEqual([...before.slice(index), ...missed]);
      expect(statesOf(second)).toEqual([live]);
      expect(cursorsOf(second)[0]).toBe(after);
      second.close();
    }
  });

  test('goes on behind Last-Event-ID where it has a cursor too', async ({ deliveries, gateway }) => {
    const first = await followed(gateway);
    const [, second] = deliveries.add([10, 11]);
    await come(first, 3);
    first.close();
    const [after, lastEventId = ''] = cursorsOf(first);
    const back = await follow(gateway, { after }, { 'last-event-id': lastEventId });
    await come(back, 2);
    expect(arrivedIn(back)).toEqual([second]);
  });

  test('goes on with a cursor of webhookDeliveries, which has no states', async ({ deliveries, gateway }) => {
    const plain = await subscribe(gateway, all);
    await plain.begun;
    await leave(gateway, plain);
    const added = deliveries.add([10]);
    const stream = await followed(gateway, { after: plain.lastEventId }, 2);
    expect(arrivedIn(stream)).toEqual(added);
  });

  test('pauses while the API cannot be read, and then loses nothing', async ({ deliveries, gateway, upstream }) => {
    const [stream, plain] = [await followed(gateway), await subscribe(gateway, all)];
    upstream.script(() => down);
    await come(stream, 2);
    const added = deliveries.add([10, 11]);
    const joined = await followed(gateway);
    upstream.script(deliveries.answer);
    await come(stream, 5);
    await come(joined, 4);
    const [pausedAt] = eventsOf(joined);
    expect(statesOf(stream)).toEqual([live, ['PAUSED', 'UPSTREAM_ERROR', false], live]);
    expect(eventsOf(stream).slice(0, 3).map(positionOf)).toEqual(Array(3).fill(pausedAt?.cursor));
    expect(statesOf(joined)).toEqual([['PAUSED', 'UPSTREAM_ERROR', false], live]);
    expect([arrivedIn(stream), arrivedIn(joined), idsOf(plain)]).toEqual([added, added, added]);
  });

  test('begins paused where the API is down, without a cursor', async ({ deliveries, gateway, upstream }) => {
    upstream.script(() => down);
    const stream = await followed(gateway);
    const paused = { state: 'PAUSED', reason: 'UPSTREAM_ERROR', missed: false };
    expect(eventsOf(stream)[0]).toMatchObject({ ...paused, cursor: null });
    const plain = await subscribe(gateway, all);
    await plain.ended;
    expect(errorsOf(plain)).toMatchObject([{ extensions: { retryable: true } }]);
    upstream.script(deliveries.answer);
    await come(stream, 2);
    const late = await followed(gateway);
    const added = deliveries.add([10]);
    await come(stream, 3);
    await come(late, 2);
    expect([statesOf(stream)[1], statesOf(late)[0]]).toEqual([live, live]);
    expect([arrivedIn(stream), arrivedIn(late)]).toEqual([added, added]);
  });

  test('tells one who joins a pause of it at once', async ({ deliveries, startWith, upstream }) => {
    deliveries.add([-100]);
    // Without counts a second call shows where the list ends, and there is none.
    upstream.script((request) => ({ json: { data: (deliveries.answer(request).json as Json).data, meta: {} } }));
    const env = { SUBSCRIPTION_POLL_MS: '60000', UPSTREAM_SCAN_PAGES: '1', OPERATION_TIMEOUT_MS: '1500' };
    const gateway = await startWith(env);
    const first = await followed(gateway);
    first.close();
    const paused = ['PAUSED', 'QUERY_TOO_COMPLEX', false];
    const back = await followed(gateway, { after: first.lastEventId });
    const late = await followed(gateway, { after: first.lastEventId });
    expect([statesOf(back), statesOf(late)]).toEqual([[paused], [paused]]);
  });

  test('says so where more has come in a pause than can be read', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ ...quick, UPSTREAM_SCAN_PAGES: '4' });
    const [stream, plain] = [await followed(gateway), await subscribe(gateway, all)];
    deliveries.add(seconds(20, 1_100));
    deliveries.add([9_000]);
    await come(stream, 3);
    expect(statesOf(stream)).toEqual([live, ['PAUSED', 'QUERY_TOO_COMPLEX', false], ['LIVE', null, true]]);
    await plain.ended;
    expect(errorsOf(plain)).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
    const added = deliveries.add([9_001]);
    await come(stream, 4);
    expect(arrivedIn(stream)).toEqual(added);
    // Of the next pause it has missed nothing.
    upstream.script(() => down);
    await come(stream, 5);
    upstream.script(deliveries.answer);
    await come(stream, 6);
    expect(statesOf(stream).slice(3)).toEqual([['PAUSED', 'UPSTREAM_ERROR', false], live]);
  });
});

describe('the cursor of a feed', () => {
  test.for(['', 'forged', '1.20261001000000000000..AAAAAAAA', 'x'.repeat(4_000)])(
    'is refused without a call where it is %j',
    async (after, { gateway, upstream }) => {
      const stream = await follow(gateway, { after });
      await stream.ended;
      const message = expect.stringContaining('after');
      expect(errorsOf(stream)).toMatchObject([
        { message, extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } },
      ]);
      expect(upstream.requests).toEqual([]);
    },
  );

  test('is refused where it is of another filter', async ({ startWith, upstream }) => {
    const gateway = await startWith(still);
    const first = await followed(gateway);
    const calls = upstream.requests.length;
    const stream = await follow(gateway, { after: first.lastEventId, status: 'failed' });
    await stream.ended;
    expect(errorsOf(stream)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }]);
    expect(upstream.requests).toHaveLength(calls);
  });
});

test('a hundred feeds at cursors of their own take the calls of one', async ({ deliveries, startWith, upstream }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '100' });
  const first = await followed(gateway);
  const added = deliveries.add(seconds(10, 9));
  await come(first, 10);
  const cursors = cursorsOf(first);
  const streams = await Promise.all(
    Array.from({ length: 100 }, (_, index) => follow(gateway, { after: cursors[index % 10] })),
  );
  const last = deliveries.add([30]);
  const wanted = streams.map((_, index) => [...added.slice(index % 10), ...last]);
  await expect.poll(() => streams.map(arrivedIn)).toEqual(wanted);
  const before = upstream.requests.length;
  await polls(upstream, 3);
  expect(upstream.requests.length - before).toBeLessThan(10);
});
