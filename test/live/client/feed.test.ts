import { onTestFinished } from 'vitest';
import { followDeliveries, shareFeed, type FeedEvent, type FeedListener } from '../../../client/src/feed.ts';
import { waitMs } from '../../../client/src/follow.ts';
import { openIn } from '../subscription.ts';
import { startWay } from '../../support/streams.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { GrowingDeliveries } from '../../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

interface Row {
  readonly id: string;
}

const settings = { SUBSCRIPTION_POLL_MS: '20', UPSTREAM_BREAKER_OPEN_MS: '1' };
const selection = 'id';
const key = 'a-key';

function growing(upstream: ScriptedUpstream): GrowingDeliveries {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2]);
  upstream.script(deliveries.answer);
  return deliveries;
}

/** Listens by a function of the package until the test ends. */
function listen(begin: (listener: FeedListener<Row>) => () => void) {
  const events: FeedEvent<Row>[] = [];
  const stop = begin((event) => events.push(event));
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

const live = ['LIVE', null, false];
const disconnected = ['PAUSED', 'DISCONNECTED', false];
const urlOf = ({ url }: Gateway): string => `${url}/graphql`;

test('a feed has each delivery once, over cut connections and a restart', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith(settings);
  const other = await startWith(settings);
  const way = await startWay(gateway);
  onTestFinished(way.close);
  const feed = listen((listener) => followDeliveries({ url: way.url, key, selection }, listener));
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

test('a feed takes a silent connection for a broken one', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const way = await startWay(await startWith(settings));
  onTestFinished(way.close);
  const options = { url: way.url, key, selection, silenceMs: 1500 };
  const feed = listen((listener) => followDeliveries(options, listener));
  await expect.poll(feed.states).toContainEqual(live);
  way.hush();
  const sent = deliveries.add([10]);
  await expect.poll(feed.ids).toEqual(sent);
  expect(feed.states()).toContainEqual(disconnected);
});

test('a feed goes on behind a cursor, and ends when it is told to', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith(settings);
  const options = { url: urlOf(gateway), headers: () => ({ authorization: `Bearer ${key}` }), selection };
  const filter = { status: { eq: 'failed' } };
  const first = listen((listener) => followDeliveries({ ...options, filter }, listener));
  await expect.poll(first.states).toEqual([live]);
  first.stop();
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  const [id] = deliveries.add([10], { status: 'failed' });
  deliveries.add([11], { status: 'delivered' });
  const [state] = first.events;
  const after = state?.type === 'state' ? state.cursor : null;
  const fragments = 'fragment Row on WebhookDelivery { id }';
  const further = { ...options, filter, after, selection: '...Row', fragments };
  const second = listen((listener) => followDeliveries(further, listener));
  await expect.poll(second.ids).toEqual([id]);
  expect(first.events).toHaveLength(1);
});

test('a feed begins anew where its cursor is too old, and says so', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith({ ...settings, UPSTREAM_SCAN_PAGES: '2' });
  const options = { url: urlOf(gateway), key, selection };
  const first = listen((listener) => followDeliveries(options, listener));
  await expect.poll(first.states).toEqual([live]);
  first.stop();
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  deliveries.add(Array.from({ length: 3000 }, (_, index) => 10 + index));
  const [state] = first.events;
  const after = state?.type === 'state' ? state.cursor : null;
  const second = listen((listener) => followDeliveries({ ...options, after }, listener));
  await expect.poll(second.states).toEqual([
    ['PAUSED', 'QUERY_TOO_COMPLEX', false],
    ['LIVE', null, true],
  ]);
  expect(second.ids()).toEqual([]);
});

test('a feed ends with the error of a refused key or a wrong selection', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
  const url = urlOf(gateway);
  const refused = listen((listener) => followDeliveries({ url, key, selection }, listener));
  await expect.poll(refused.ends).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }]]);
  const wrong = listen((listener) => followDeliveries({ url, key, selection: 'idd' }, listener));
  await expect.poll(wrong.ends).toMatchObject([[{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]]);
  upstream.script(() => ({ status: 404, text: 'no gateway' }));
  const elsewhere = listen((listener) => followDeliveries({ url: upstream.baseUrl, key }, listener));
  await expect.poll(elsewhere.ends).toMatchObject([[{ message: 'The gateway answered 404, and no stream.' }]]);
  expect([refused, wrong, elsewhere].map(({ events }) => events.length)).toEqual([1, 1, 1]);
});

test('a feed waits where the gateway has no room, and begins when it has', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith({ ...settings, SUBSCRIPTION_MAX_STREAMS: '1' });
  const options = { url: urlOf(gateway), key, selection };
  const first = listen((listener) => followDeliveries(options, listener));
  await expect.poll(first.states).toEqual([live]);
  const second = listen((listener) => followDeliveries(options, listener));
  await expect.poll(second.states).toEqual([['PAUSED', 'RATE_LIMITED', false]]);
  first.stop();
  await expect.poll(second.states).toEqual([['PAUSED', 'RATE_LIMITED', false], live]);
  const sent = deliveries.add([10]);
  await expect.poll(second.ids).toEqual(sent);
});

test('a wait doubles up to half a minute, and is never shorter than the gateway says', () => {
  expect([0, 1, 2, 3, 9].map((failures) => waitMs(failures, null, 1))).toEqual([1000, 2000, 4000, 8000, 30_000]);
  expect(waitMs(0, null, 0)).toBe(500);
  expect(waitMs(0, 60, 0)).toBeGreaterThanOrEqual(60_000);
});

test('listeners of one key share one stream, whoever leaves', async ({ startWith, upstream }) => {
  const deliveries = growing(upstream);
  const gateway = await startWith(settings);
  const options = { url: urlOf(gateway), key, selection };
  const first = listen((listener) => shareFeed(options, listener));
  await expect.poll(first.states).toEqual([live]);
  const second = listen((listener) => shareFeed(options, listener));
  await expect.poll(second.states).toEqual([live]);
  const sent = [...deliveries.add([10, 11])];
  await expect.poll(first.ids).toEqual(sent);
  await expect.poll(second.ids).toEqual(sent);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });

  first.stop();
  const later = deliveries.add([12, 13]);
  await expect.poll(second.ids).toEqual([...sent, ...later]);
  expect(first.ids()).toEqual(sent);
  const third = listen((listener) => shareFeed(options, listener));
  await expect.poll(third.states).toEqual([live]);
  expect(third.ids()).toEqual([]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
});

test('listeners of another key or filter have a stream of their own', async ({ startWith, upstream }) => {
  growing(upstream);
  const gateway = await startWith(settings);
  const options = { url: urlOf(gateway), key, selection };
  const filter = { status: { eq: 'failed' } };
  const all = [options, { ...options, key: 'another-key' }, { ...options, filter }].map((each) =>
    listen((listener) => shareFeed(each, listener)),
  );
  for (const { states } of all) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 3, lists: 3 });
  const keys = new Set(upstream.requests.map(({ headers }) => headers.authorization));
  expect(keys).toEqual(new Set(['Bearer a-key', 'Bearer another-key']));
});

test('all who share a stream are told its end', async ({ startWith, upstream }) => {
  growing(upstream);
  const gateway = await startWith(settings);
  const options = { url: urlOf(gateway), key, selection };
  const all = [1, 2].map(() => listen((listener) => shareFeed(options, listener)));
  for (const { states } of all) await expect.poll(states).toEqual([live]);
  upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
  for (const { ends } of all) await expect.poll(ends).toMatchObject([[{ extensions: { code: 'UNAUTHENTICATED' } }]]);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
});
