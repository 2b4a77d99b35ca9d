import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openIn } from '../../live/subscription.ts';
import { startWay } from '../../support/streams.ts';
import { installClient, type ClientInstallation } from '../../support/process.ts';
import { expect, test } from '../../support/gateway.ts';
import { listenOnLoopback } from '../../support/http.ts';
import type { Json } from '../../support/records.ts';
import { GrowingDeliveries } from '../../support/moving-upstream.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';
import type { Chromium } from './chromium.ts';
import { openBrowser } from './stage.ts';

let chromium: Chromium;
let installed: ClientInstallation;
let origin: string;
let close: () => Promise<void>;

const page = (access: object): string => `<!doctype html><title>Live</title><script type="module">
  import { shareFeed } from './feed.js';
  window.events = [];
  shareFeed({ ...${JSON.stringify(access)}, ${more} }, (event) => events.push(event));
</script>`;

/** What the pages of the origin follow, and what of it is code. */
let access: object = {};
let more = '';

// A frontend of another origin, with the modules of the package as they are, or without one of them.
beforeAll(async () => {
  [chromium, installed] = await Promise.all([openBrowser(), installClient()]);
  const dist = join(installed.folder, 'node_modules/@switchboard-gateway/client/dist');
  const server = createServer(({ url = '/' }, response) => {
    const [, without] = /^\/without-(\w+)\//.exec(url) ?? [];
    const name = /[\w-]+\.js$/.exec(url)?.[0];
    if (name === 'feed-worker.js' && without === 'script') response.writeHead(404).end();
    else if (name === undefined) response.setHeader('content-type', 'text/html').end(page(access));
    else response.setHeader('content-type', 'text/javascript').end(readFileSync(join(dist, name)));
  });
  ({ origin, close } = await listenOnLoopback(server));
});

afterAll(async () => {
  await close?.();
  await chromium?.close();
  await installed?.[Symbol.asyncDispose]();
});

const eventsOf = (tab: Page): Promise<readonly Json[]> => tab.evaluate('globalThis.events');
const idsOf = async (tab: Page) => (await eventsOf(tab)).flatMap(({ delivery }) => delivery?.id ?? []);

/** The deliveries of two accounts, whose keys are their names. */
function accounts(upstream: ScriptedUpstream) {
  const [alice, bob] = [new GrowingDeliveries(), new GrowingDeliveries()];
  alice.add([1], { id: 'alice-0' });
  bob.add([1], { id: 'bob-0' });
  upstream.script((request) => (/bob/.test(String(request.headers.authorization)) ? bob : alice).answer(request));
  return { alice, bob };
}

async function openTab(path = '/', script = ''): Promise<Page> {
  const tab = await chromium.context.newPage();
  await tab.addInitScript(script);
  await tab.goto(origin + path);
  await expect.poll(() => eventsOf(tab)).toMatchObject([{ type: 'state', state: 'LIVE' }]);
  return tab;
}

test('a tab that signs in anew leaves the stream, and no other gets its rows', async ({ startWith, upstream }) => {
  const { alice, bob } = accounts(upstream);
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '20', CORS_ORIGINS: origin });
  const way = await startWay(gateway);
  onTestFinished(way.close);
  access = { url: way.url, selection: 'id' };
  more = 'headers: () => ({ authorization: `Bearer ${sessionStorage.account ?? "alice"}` })';
  const [first, second] = [await openTab(), await openTab()];
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  await first.evaluate('sessionStorage.account = "bob"');
  way.breakOff();
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 2, lists: 2 });
  await expect.poll(async () => (await eventsOf(second)).at(-1)).toMatchObject({ state: 'LIVE' });
  bob.add([10], { id: 'bob-1' });
  alice.add([10], { id: 'alice-1' });
  await expect.poll(() => idsOf(first)).toContain('bob-1');
  await expect.poll(() => idsOf(second)).toEqual(['alice-1']);
  expect((await idsOf(first)).filter((id) => !id.startsWith('bob'))).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});

test.for([
  ['by a worker', '/', '', 0],
  ['where the script of the worker cannot be had', '/without-script/', '', 1],
  ['where there are no workers', '/without-workers/', 'delete globalThis.SharedWorker', 1],
] as const)('the tabs of an origin share one stream %s', async ([, path, script, locks], { startWith, upstream }) => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2]);
  upstream.script(deliveries.answer);
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '20', CORS_ORIGINS: origin });
  access = { url: `${gateway.url}/graphql`, key: 'a-key', selection: 'id' };
  more = '';
  const open = () => openTab(path, script);
  const visit = await open();
  const [{ cursor: after }] = await eventsOf(visit);
  await visit.close();
  access = { ...access, after };
  const [first, second] = [await open(), await open()];
  const sent = [...deliveries.add([10, 11])];
  await expect.poll(() => idsOf(first)).toEqual(sent);
  await expect.poll(() => idsOf(second)).toEqual(sent);
  expect(await openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  // Without a worker, one of the tabs has the lock.
  expect(await second.evaluate('navigator.locks.query().then(({ held }) => held.length)')).toBe(locks);

  await first.close();
  const later = deliveries.add([12, 13]);
  await expect.poll(() => idsOf(second)).toEqual([...sent, ...later]);
  const third = await open();
  expect(await idsOf(third)).toEqual([]);
  // Only this one comes behind a cursor at which the stream no longer stands.
  const missed = [second, third].map(async (tab) => (await eventsOf(tab))[0].missed);
  expect(await Promise.all(missed)).toEqual([false, true]);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  await Promise.all([second.close(), third.close()]);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
});
