import { onTestFinished, vi } from 'vitest';
import { followDeliveries, shareFeed, type FeedEvent, type FeedOptions } from '../../../client/src/feed.ts';
import { waitMs } from '../../../client/src/follow.ts';
import { openIn, quick, test } from '../subscription.ts';
import { refusal } from '../../support/scripted-upstream.ts';
import { startWay } from '../../support/streams.ts';
import { expect, type Gateway } from '../../support/gateway.ts';

const key = 'a-key';
const live = ['LIVE', null, false];
const disconnected = ['PAUSED', 'DISCONNECTED', false];
const refused = () => refusal(401, '10009', 'Authentication failed');
const failed = { status: { eq: 'failed' } };

/** Follows a gateway, alone or with others, until the test ends. */
function follow(url: string, options: Partial<FeedOptions> = {}, begin: typeof shareFeed = followDeliveries) {
  const events: FeedEvent<{ readonly id: string }>[] = [];
  const stop = begin<{ readonly id: string }>({ url, key, selection: 'id', ...options }, (event) => events.push(event));
  onTestFinished(stop);
  return {
    events,
    stop,
    ids: () => events.flatMap((event) => (event.type === 'delivery' ? [event.delivery.id] : [])),
    states: () =>
      events.flatMap((event) => (event.type === 'state' ? [[event.state, event.reason, event.missed]] : [])),
    ends: () => events.flatMap((event) => (event.type === 'end' ? [event.errors] : [])),
  };
}

const urlOf = ({ url }: Gateway): string => `${url}/graphql`;

/** Follows, and is live. */
async function followed(gateway: Gateway, ...how: [options?: Partial<FeedOptions>, begin?: typeof shareFeed]) {
  const feed = follow(urlOf(gateway), ...how);
  await expect.poll(feed.states).toEqual([live]);
  return feed;
}

/** The cursor of a feed that was live once, and has been left. */
async function cursorOfVisit(gateway: Gateway, options: Partial<FeedOptions> = {}): Promise<string | null> {
  const feed = await followed(gateway, options);
  feed.stop();
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  expect(feed.events).toHaveLength(1);
  const [state] = feed.events;
  return state?.type === 'state' ? state.cursor : null;
}

test('a feed has each delivery once, over a cut and a restart', async ({ deliveries, gateway, startWith }) => {
  const other = await startWith(quick);
  const way = await startWay(gateway);
  onTestFinished(way.close);
  const feed = follow(way.url);
  await expect.poll(feed.states).toEqual([live]);
  const sent = [...deliveries.add([10, 11])];
  await expect.poll(feed.ids).toEqual(sent);

  way.breakOff();
  sent.push(...deliveries.add([9, 12]));
  await expect.poll(feed.ids).toEqual(sent);
  expect(feed.states()).toEqual([live, disconnected, live]);

  way.lead(other);
  await gateway.close();
  sent.push(...deliveries.add([14, 15]));
  await expect.poll(feed.ids).toEqual(sent);
  expect(feed.states().map(([state]) => state)).toEqual(['LIVE', 'PAUSED', 'LIVE', 'PAUSED', 'LIVE']);
  expect(feed.ends()).toEqual([]);
});

test('a feed takes a silent connection for a broken one', async ({ deliveries, gateway }) => {
  const way = await startWay(gateway);
  onTestFinished(way.close);
  const feed = follow(way.url, { silenceMs: 1500 });
  await expect.poll(feed.states).toContainEqual(live);
  way.hush();
  const sent = deliveries.add([10]);
  await expect.poll(feed.ids).toEqual(sent);
  expect(feed.states()).toContainEqual(disconnected);
});

test('a feed goes on behind a cursor, and ends when it is told to', async ({ deliveries, gateway }) => {
  const options = { headers: () => ({ authorization: 'Bearer another-key' }), filter: failed, silenceMs: Infinity };
  const after = await cursorOfVisit(gateway, options);
  const [id] = deliveries.add([10], { status: 'failed' });
  deliveries.add([11], { status: 'delivered' });
  const fragments = 'fragment Row on WebhookDelivery { id }';
  const second = follow(urlOf(gateway), { ...options, after, selection: '...Row', fragments });
  await expect.poll(second.ids).toEqual([id]);
});

test('a feed begins anew where its cursor is too old, and says so', async ({ deliveries, startWith }) => {
  const gateway = await startWith({ ...quick, UPSTREAM_SCAN_PAGES: '2' });
  const after = await cursorOfVisit(gateway);
  deliveries.add(Array.from({ length: 3000 }, (_, index) => 10 + index));
  const second = follow(urlOf(gateway), { after });
  await expect.poll(second.states).toEqual([
    ['PAUSED', 'QUERY_TOO_COMPLEX', false],
    ['LIVE', null, true],
  ]);
  expect(second.ids()).toEqual([]);
});

test('a feed ends with the error of a refused key or a wrong selection', async ({ gateway, upstream }) => {
  upstream.script(refused);
  const unknown = follow(urlOf(gateway));
  await expect.poll(unknown.ends).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }]]);
  const wrong = follow(urlOf(gateway), { selection: 'idd' });
  await expect.poll(wrong.ends).toMatchObject([[{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]]);
  upstream.script(() => ({ status: 404, text: 'no gateway' }));
  const elsewhere = follow(upstream.baseUrl);
  await expect.poll(elsewhere.ends).toMatchObject([[{ message: 'The gateway answered 404, without a result.' }]]);
  expect([unknown, wrong, elsewhere].map(({ events }) => events.length)).toEqual([1, 1, 1]);
});

test('a feed whose key has expired asks its function for another, once', async ({ deliveries, gateway, upstream }) => {
  upstream.script((request) =>
    /old/.test(`${request.headers.authorization}`) ? refused() : deliveries.answer(request),
  );
  const expired = ['PAUSED', 'UNAUTHENTICATED', false];
  const withKeys = (...keys: string[]) =>
    follow(urlOf(gateway), { headers: () => ({ authorization: `Bearer ${keys.shift()}` }) });
  const renewed = withKeys('old', 'new');
  await expect.poll(renewed.states).toEqual([expired, live]);
  const revoked = withKeys('old', 'old');
  await expect.poll(revoked.ends).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }]]);
  expect(revoked.states()).toEqual([expired]);
});

test('a feed waits where the gateway has no room, and begins when it has', async ({ deliveries, startWith }) => {
  const gateway = await startWith({ ...quick, SUBSCRIPTION_MAX_STREAMS: '1' });
  const first = await followed(gateway);
  const second = follow(urlOf(gateway));
  const limited = ['PAUSED', 'RATE_LIMITED', false];
  await expect.poll(second.states).toEqual([limited]);
  first.stop();
  await expect.poll(second.states).toEqual([limited, live]);
  const sent = deliveries.add([10]);
  await expect.poll(second.ids).toEqual(sent);
});

test.for([
  [429, { errors: [{ code: 1000, message: 'busy' }] }, '7200'],
  [503, { errors: 'down' }, new Date(Date.now() + 7_200_000).toUTCString()],
] as const)('a feed waits as long as a proxy says with %i and %j', async ([status, json, wait], { upstream }) => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  upstream.script(() => ({ status, json, headers: { 'retry-after': wait } }));
  const { events } = follow(upstream.baseUrl);
  await expect.poll(() => events).toMatchObject([{ state: 'PAUSED', reason: 'DISCONNECTED' }]);
  expect(Math.max(...timers.mock.calls.map(([, ms = 0]) => ms))).toBeGreaterThan(3_600_000);
});

test('a wait doubles up to half a minute', () => {
  expect([0, 1, 2, 3, 9].map((failures) => waitMs(failures, null, 1))).toEqual([1000, 2000, 4000, 8000, 30_000]);
  expect([waitMs(0, null, 0), waitMs(0, 1e9, 0)]).toEqual([500, 2 ** 31 - 1]);
});

test('listeners of one key share one stream, whoever leaves', async ({ deliveries, gateway }) => {
  const first = await followed(gateway, {}, shareFeed);
  const second = await followed(gateway, {}, shareFeed);
  const sent = [...deliveries.add([10, 11])];
  await expect.poll(first.ids).toEqual(sent);
  await expect.poll(second.ids).toEqual(sent);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });

  first.stop();
  const later = deliveries.add([12, 13]);
  await expect.poll(second.ids).toEqual([...sent, ...later]);
  expect(first.ids()).toEqual(sent);
  const third = await followed(gateway, {}, shareFeed);
  expect(third.ids()).toEqual([]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
});

test('listeners of another key or filter have a stream of their own', async ({ gateway, upstream }) => {
  for (const options of [{}, { key: 'another-key' }, { filter: failed }]) await followed(gateway, options, shareFeed);
  expect(await openIn(gateway)).toEqual({ streams: 3, lists: 3 });
  const keys = new Set(upstream.requests.map(({ headers }) => headers.authorization));
  expect(keys).toEqual(new Set(['Bearer a-key', 'Bearer another-key']));
});

test('all who share a stream are told its end', async ({ gateway, upstream }) => {
  const all = [await followed(gateway, {}, shareFeed), await followed(gateway, {}, shareFeed)];
  upstream.script(refused);
  for (const { ends } of all) await expect.poll(ends).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }]]);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
});
