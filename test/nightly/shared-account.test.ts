import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { followDeliveries, shareFeed, type FeedEvent, type FeedOptions } from '../../client/src/feed.ts';
import { openIn } from '../live/subscription.ts';
import { startWay } from '../support/streams.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { refusal, type ScriptedUpstream } from '../support/scripted-upstream.ts';

interface Row {
  readonly id: string;
  readonly status: string;
}

const settings = { SUBSCRIPTION_POLL_MS: '20' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const live = ['LIVE', false];
const disconnected = ['PAUSED', false];

/** The deliveries of two accounts, which have their owner for a status. A key begins with the name of its account. */
function accounts(upstream: ScriptedUpstream) {
  const [alice, bob] = [new GrowingDeliveries(), new GrowingDeliveries()];
  const refused = new Set<string>();
  upstream.script((request) => {
    const credential = String(request.headers.authorization);
    if (refused.has(credential)) return refusal(401, '10009', 'Authentication failed');
    return (credential.includes('bob') ? bob : alice).answer(request);
  });
  const of = (deliveries: GrowingDeliveries, status: string) => (second: number) =>
    deliveries.add([second], { status });
  const add = { alice: of(alice, 'alice'), bob: of(bob, 'bob'), refused };
  add.alice(1);
  add.bob(1);
  return add;
}

/** A tab that follows until the test ends. */
function openTab(options: FeedOptions, begin: typeof shareFeed = shareFeed) {
  const events: FeedEvent<Row>[] = [];
  const stop = begin<Row>({ selection: 'id status', ...options }, (event) => events.push(event));
  onTestFinished(stop);
  return {
    events,
    stop,
    rows: () => events.flatMap((event) => (event.type === 'delivery' ? [event.delivery.status] : [])),
    states: () => events.flatMap((event) => (event.type === 'state' ? [[event.state, event.missed]] : [])),
    ends: () => events.flatMap((event) => (event.type === 'end' ? [event.hasAccountChanged] : [])),
  };
}

async function startBreakable(startWith: (settings: Readonly<Record<string, string>>) => Promise<Gateway>) {
  const gateway = await startWith(settings);
  const way = await startWay(gateway);
  onTestFinished(way.close);
  return { gateway, way, url: way.url };
}

/** A frontend's own server: it knows who is signed in by a cookie, here `session`, and asks the gateway with that account's key. */
async function startFrontend(gateway: Gateway) {
  const session = { key: 'alice' };
  const server = createServer(async (request, response) => {
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const headers = { ...bearer(session.key), 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body, signal: leaving.signal });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    Readable.fromWeb(answer.body as never)
      .on('error', () => {})
      .pipe(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    session,
    breakOff: () => server.closeAllConnections(),
  };
}

test('a tab whose account has changed is told its end, and those who stay go on', async ({ startWith, upstream }) => {
  const add = accounts(upstream);
  const { gateway, way, url } = await startBreakable(startWith);
  const signedIn: (string | null)[] = ['alice', 'alice', 'alice'];
  const tabs = [0, 1, 2].map((index) =>
    openTab({ url, headers: () => bearer(signedIn[index] ?? ''), account: () => signedIn[index] ?? null }),
  );
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });

  // The one that has the stream, and one that hears of it.
  signedIn[0] = 'bob';
  signedIn[1] = null;
  way.breakOff();
  for (const tab of tabs.slice(0, 2)) await expect.poll(tab.ends).toEqual([true]);
  await expect.poll(() => tabs[2]?.states()).toEqual([live, disconnected, live]);
  add.bob(10);
  add.alice(10);
  await expect.poll(() => tabs[2]?.rows()).toEqual(['alice']);
  expect(tabs.slice(0, 2).flatMap(({ rows }) => rows())).toEqual([]);
  expect(tabs[2]?.ends()).toEqual([]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  expect(upstream.requests.filter(({ headers }) => /bob/.test(String(headers.authorization)))).toEqual([]);
});

test('tabs whose account only a cookie tells share nothing, unless they can ask for it', async ({
  startWith,
  upstream,
}) => {
  const add = accounts(upstream);
  const gateway = await startWith(settings);
  const { url, session, breakOff } = await startFrontend(gateway);
  const basic = { authorization: 'Basic dGVhbTp0ZWFt' };
  const apart = [
    openTab({ url }),
    openTab({ url }),
    openTab({ url, headers: basic }),
    openTab({ url, headers: basic }),
  ];
  for (const { states } of apart) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 4, lists: 1 });
  for (const { stop } of apart) stop();
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });

  const account = () => Promise.resolve(session.key);
  const tabs = [1, 2].map(() => openTab({ url, account }));
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  session.key = 'bob';
  add.bob(10);
  breakOff();
  for (const { ends } of tabs) await expect.poll(ends).toEqual([true]);
  expect(tabs.flatMap(({ rows }) => rows())).toEqual([]);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
  const later = [1, 2].map(() => openTab({ url, account }));
  for (const { states } of later) await expect.poll(states).toEqual([live]);
  add.bob(11);
  for (const { rows } of later) await expect.poll(rows).toEqual(['bob']);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
});

test('tabs of one account share a stream over new keys, and one that is refused ends alone', async ({
  startWith,
  upstream,
}) => {
  const add = accounts(upstream);
  const { gateway, way, url } = await startBreakable(startWith);
  const account = () => 'alice';
  const keys = ['alice-1', 'alice-2', 'alice-3'];
  const tabs = [0, 1, 2].map((index) => openTab({ url, headers: () => bearer(keys[index] ?? ''), account }));
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  keys[0] = 'alice-4';
  way.breakOff();
  for (const { states } of tabs) await expect.poll(states).toEqual([live, disconnected, live]);
  add.alice(10);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice']);
  const used = new Set(upstream.requests.map(({ headers }) => headers.authorization));
  expect(used).toEqual(new Set(['Bearer alice-1', 'Bearer alice-4']));

  add.refused.add('Bearer alice-4');
  await expect.poll(() => tabs[0]?.ends()).toEqual([false]);
  await expect.poll(() => tabs[2]?.states()).toEqual([live, disconnected, live, disconnected, live]);
  add.alice(20);
  for (const tab of tabs.slice(1)) await expect.poll(tab.rows).toEqual(['alice', 'alice']);
  expect(tabs.slice(1).flatMap(({ ends }) => ends())).toEqual([]);
});

test('a tab comes to the stream of another key, and goes on behind what it has', async ({ startWith, upstream }) => {
  const add = accounts(upstream);
  const { gateway, way, url } = await startBreakable(startWith);
  let key = 'alice-1';
  const tabs = [openTab({ url, headers: () => bearer(key) }), openTab({ url, headers: () => bearer('alice-2') })];
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  add.alice(10);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice']);
  key = 'alice-2';
  way.breakOff();
  add.alice(11);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice', 'alice']);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  add.alice(12);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice', 'alice', 'alice']);
});

test('a tab that comes to a stream that is further than its own cursor is told that it has missed some', async ({
  startWith,
  upstream,
}) => {
  const add = accounts(upstream);
  const { url } = await startBreakable(startWith);
  const earlier = openTab({ url, key: 'alice' });
  await expect.poll(earlier.states).toEqual([live]);
  const [state] = earlier.events;
  const after = state?.type === 'state' ? state.cursor : null;
  earlier.stop();
  add.alice(10);
  const first = openTab({ url, key: 'alice', after });
  await expect.poll(first.rows).toEqual(['alice']);
  const second = openTab({ url, key: 'alice', after });
  await expect.poll(second.states).toEqual([['LIVE', true]]);
  expect(second.rows()).toEqual([]);
  const others = openTab({ url, key: 'alice' });
  await expect.poll(others.states).toEqual([live]);
});

test('tabs pause while the one that has the stream cannot tell who it is, and go on when it can', async ({
  startWith,
  upstream,
}) => {
  const add = accounts(upstream);
  const { way, url } = await startBreakable(startWith);
  const never = new Promise<Record<string, string>>(() => {});
  let headers: () => Record<string, string> | Promise<Record<string, string>> = () => bearer('alice');
  const options = { url, headers: () => headers(), silenceMs: 5000 };
  const tabs = [openTab(options), openTab(options)];
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  for (const failing of [() => Promise.reject(new Error('signed out')), () => never]) {
    const before = tabs.map(({ states }) => states().length);
    headers = failing;
    way.breakOff();
    for (const [index, { states }] of tabs.entries())
      await expect.poll(() => states().slice(before[index])[0]).toEqual(disconnected);
    headers = () => bearer('alice');
    for (const { states } of tabs) await expect.poll(() => states().at(-1)).toEqual(live);
  }
  add.alice(10);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice']);
});

test('a tab whose page cannot tell at the beginning who it is says so, and follows when it can', async ({
  startWith,
  upstream,
}) => {
  accounts(upstream);
  const { url } = await startBreakable(startWith);
  let headers: () => Promise<Record<string, string>> = () => new Promise(() => {});
  const tab = openTab({ url, headers: () => headers(), silenceMs: 500 });
  await expect.poll(tab.states).toEqual([disconnected]);
  headers = () => Promise.resolve(bearer('alice'));
  await expect.poll(tab.states).toEqual([disconnected, live]);
});

test('tabs of two accounts share nothing from the beginning, and one in which nobody is signed in follows nothing', async ({
  startWith,
  upstream,
}) => {
  const add = accounts(upstream);
  const { gateway, url } = await startBreakable(startWith);
  const of = (key: string) => openTab({ url, headers: () => bearer(key), account: () => key });
  const tabs = [of('alice'), of('bob'), of('alice')];
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  expect(await openIn(gateway)).toEqual({ streams: 2, lists: 2 });
  add.alice(10);
  add.bob(10);
  for (const { rows } of tabs) await expect.poll(rows).toHaveLength(1);
  expect(tabs.map(({ rows }) => rows()[0])).toEqual(['alice', 'bob', 'alice']);
  const nobody = [shareFeed, followDeliveries].map((begin) => openTab({ url, account: () => null }, begin));
  for (const { ends, events } of nobody) {
    await expect.poll(ends).toEqual([true]);
    expect(events).toHaveLength(1);
  }
});

test('a feed of its own ends when its account changes', async ({ startWith, upstream }) => {
  accounts(upstream);
  const { way, url } = await startBreakable(startWith);
  let signedIn = 'alice';
  const tab = openTab({ url, headers: () => bearer(signedIn), account: () => signedIn }, followDeliveries);
  await expect.poll(tab.states).toEqual([live]);
  signedIn = 'bob';
  way.breakOff();
  await expect.poll(tab.ends).toEqual([true]);
  expect(upstream.requests.filter(({ headers }) => /bob/.test(String(headers.authorization)))).toEqual([]);
});

test('a tab from which the browser takes the lock goes on as one of all', async ({ startWith, upstream }) => {
  const add = accounts(upstream);
  const { gateway, url } = await startBreakable(startWith);
  const tabs = [openTab({ url, key: 'alice' }), openTab({ url, key: 'alice' })];
  for (const { states } of tabs) await expect.poll(states).toEqual([live]);
  const { held = [] } = await navigator.locks.query();
  expect(held).toHaveLength(1);
  await navigator.locks.request(held[0]?.name ?? '', { steal: true }, () => {});
  await expect.poll(() => tabs[1]?.states().length).toBeGreaterThan(1);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  add.alice(10);
  for (const { rows } of tabs) await expect.poll(rows).toEqual(['alice']);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 1, lists: 1 });
});
