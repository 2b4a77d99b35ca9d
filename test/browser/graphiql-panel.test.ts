import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { expectAccessible } from './accessibility.ts';
import { startChromium, type Chromium } from './chromium.ts';
import { choose, clickPlay, open, play } from './graphiql-page.ts';
import { expectQuiet, observe, picture, type Visit } from './visit.ts';

let sandbox: Sandbox;
let app: App;
let chromium: Chromium;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', uptime: () => performance.now() });
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_BASE_URL: sandbox.baseUrl });
  app = await startApp({ ...config, explain: true, upstreamBaseUrl: sandbox.baseUrl }, { isSandbox: true });
  chromium = await startChromium();
  page = await chromium.context.newPage();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
  await sandbox?.close();
});

beforeEach(async () => {
  visit = observe(page);
  await page.goto(`${app.url}/graphql`);
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await open(page, app.url);
});

afterEach(async () => {
  await page.unrouteAll();
  page.removeAllListeners();
});

describe('The panel of requests', () => {
  it('shows the calls of an operation as a waterfall, its cost, and nothing of its key', async () => {
    await toggle().click();
    await play(page);
    await picture(page, 'panel-calls');
    await expect.poll(() => rows().count()).toBe(5);
    expect(await entry().locator('summary').textContent()).toMatch(/^Dashboard 200 · [\d.]+ kB · [\d.]+ m?s$/);
    expect(await entry().textContent()).toMatch(/Cost: estimated [\d,]+, 5 calls made5 calls: 5 sent/);
    expect(await rows().first().textContent()).toMatch(
      /^chargesSummaryGET \/charges_summary\?start_date=.*200own.*kB.*ms.*curl$/,
    );
    expect(await entry().getByRole('columnheader').allTextContents()).toEqual([
      'Call',
      'Status',
      'Bytes',
      'Time',
      'Copy',
    ]);
    expect(await panel().textContent()).not.toContain('sandbox-key');
    expectQuiet(visit, app.url);
  });

  it('copies a call as a line for curl that holds no key', async () => {
    await chromium.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await toggle().click();
    await ask('{ missions(first: 1) { totalCount } }');
    await entry().getByRole('button', { name: 'Copy as curl' }).click();
    await entry().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^curl -g -H 'Authorization: Bearer '\$API_KEY .*\/ai\/missions\?page\[number\]=1&page\[size\]=1'$/,
    );
    expect(await panel().getByRole('status').textContent()).toContain('Copied');
    await chromium.context.clearPermissions();
  });

  it('leaves the line for curl to be copied by hand where the browser refuses', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    });
    await toggle().click();
    await ask('{ missions(first: 1) { totalCount } }');
    for (let press = 0; press < 2; press++) await entry().getByRole('button', { name: 'Copy as curl' }).click();
    const field = entry().getByRole('textbox');
    expect(await field.count()).toBe(1);
    expect(await field.inputValue()).toMatch(/^curl -g/);
    expect(await panel().getByRole('status').textContent()).toContain('by hand');
  });

  it('asks for calls and cost only while it is open, and stays as it was for the session', async () => {
    const wishes = async (): Promise<readonly unknown[]> => {
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await ask('{ missions { totalCount } }', { 'X-Explain': '1' });
      const headers = (await sent).headers();
      return [headers['x-explain'], headers['x-cost']];
    };
    expect(await wishes()).toEqual(['1', undefined]);
    await toggle().click();
    // The wish of the tab and that of the panel are one.
    expect(await wishes()).toEqual(['1', '1']);
    await page.reload();
    await toggle().and(page.locator('[aria-expanded="true"]')).waitFor();
    expect(await panel().isVisible()).toBe(true);
    await toggle().click();
    expect(await wishes()).toEqual(['1', undefined]);
  });

  it('says why an answer lists no calls', async () => {
    await ask('{ missions { totalCount } }');
    await toggle().click();
    expect(await entry().textContent()).toContain('Sent while this panel was closed');
    await answerAll({ data: { missions: { totalCount: 1 } } });
    await ask('{ missions { totalCount } }');
    expect(await entry().textContent()).toContain('where EXPLAIN is on');
  });

  it('says of an answer in pieces that it lists no calls', async () => {
    await toggle().click();
    await choose(page, 'Pieces');
    await clickPlay(page);
    await entry().getByText('An answer in pieces lists no calls').waitFor();
    expect(await entry().locator('summary').textContent()).toMatch(/^Pieces 200/);
  });

  it('lists errors with their codes and limits', async () => {
    await toggle().click();
    await ask('{ ipConnections(first: 500) { nodes { webhookDeliveries(first: 500) { nodes { id } } } } }');
    expect(await entry().locator('.errors').textContent()).toMatch(
      /^QUERY_TOO_COMPLEX \(311,003, where 20,000 are allowed\)The query is beyond/,
    );
  });

  it('shows the first calls of thousands, and bars within their axis whatever their numbers say', async () => {
    await toggle().click();
    const measures = [
      [0, 5],
      [-5, 3],
      [4, -1],
      [1e308, 1e308],
      ['soon', null],
      [null, 2],
      [{}, [1]],
    ];
    const explain = Array.from({ length: 5_000 }, (_, index) => {
      const [startMilliseconds, milliseconds] = measures[index % measures.length] ?? [];
      return { field: `f${index}`, operation: 'GET /x', origin: 'own', status: 200, startMilliseconds, milliseconds };
    });
    await answerAll({ data: {}, extensions: { explain: [null, 'text', ...explain], cost: 'dear' } });
    await ask('{ a }');
    expect(await rows().count()).toBe(100);
    expect(await entry().textContent()).toContain('and 4,900 more calls');
    const stray = await page.evaluate(
      () =>
        [...document.querySelectorAll('.waterfall .axis')].filter((axis) => {
          const [outer, bar] = [axis.getBoundingClientRect(), axis.firstElementChild!.getBoundingClientRect()];
          return bar.left < outer.left - 1 || bar.right > outer.right + 1 || bar.width < 1;
        }).length,
    );
    expect(stray).toBe(0);
  });

  it('takes texts of the API as texts, and strange answers as answers', async () => {
    await toggle().click();
    const hostile = `<img src=x onerror="globalThis.isHacked = true">`;
    const call = {
      field: hostile,
      operation: hostile,
      query: hostile,
      origin: hostile,
      status: hostile,
      curl: hostile,
    };
    const errors = [{ message: hostile.repeat(10_000), path: [hostile], extensions: { code: hostile } }, null, 'x'];
    for (const answer of [
      { data: { a: 1 }, errors, extensions: { explain: [call] } },
      null,
      [],
      'text',
      { data: null, errors: 'none', extensions: [] },
      { data: { chargesBreakdownCsv: { content: `${hostile}\n${hostile}` } }, extensions: { explain: {}, cost: [] } },
    ]) {
      await answerAll(answer);
      await ask('{ chargesBreakdownCsv { content } }');
    }
    expect(await panel().locator('img').count()).toBe(0);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isHacked'))).toBeUndefined();
    expect(await panel().locator('details').count()).toBe(6);
    expect((await panel().textContent())?.length).toBeLessThan(10_000);
    expectQuiet(visit, app.url);
  });

  it('tells a request that failed and an answer that is too long', async () => {
    await toggle().click();
    await page.route('**/graphql', (route) => route.abort());
    await ask('{ a }');
    expect(await entry().locator('summary').textContent()).toMatch(/no answer: Failed to fetch/);
    await page.unrouteAll();
    await answerAll({ data: { text: 'x'.repeat(20_000_000) } });
    await ask('{ a }');
    expect(await entry().textContent()).toContain('too long to be read here');
    expect(await entry().locator('summary').textContent()).toContain('20.0 MB');
  });

  it('keeps apart requests that run side by side, and the last twenty of all', async () => {
    await toggle().click();
    await page.route('**/graphql', (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      return fulfill(route, { data: {}, extensions: { explain: [{ field: query }] } });
    });
    await page.evaluate(async () => {
      const send = (index: number): Promise<Response> =>
        fetch('/graphql', { method: 'POST', body: JSON.stringify({ query: `q${index}`, operationName: `Q${index}` }) });
      await Promise.all(Array.from({ length: 25 }, (_, index) => send(index)));
    });
    await expect.poll(() => panel().locator('details').count()).toBe(20);
    const shown = await panel().locator('details').allTextContents();
    expect(shown.map((text) => [/Q(\d+)/.exec(text)?.[1], /q(\d+)/.exec(text)?.[1]])).toEqual(
      Array.from({ length: 20 }, (_, index) => [`${24 - index}`, `${24 - index}`]),
    );
    await panel().getByRole('button', { name: 'Clear' }).click();
    expect(await panel().locator('details').count()).toBe(0);
    await panel().getByText('Run an operation').waitFor();
  });

  it('is opened, read and closed by the keyboard alone', async () => {
    await page.locator('#key-remember').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await panel().isVisible()).toBe(true);
    await ask('{ missions { totalCount } }');
    await panel().getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await rows().first().isVisible()).toBe(false);
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Copy as curl');
    await toggle().focus();
    await page.keyboard.press('Space');
    expect(await panel().isVisible()).toBe(false);
  });

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels, and axe finds nothing in %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await open(page, app.url);
    await choose(page, 'Pieces');
    await toggle().click();
    await ask('{ a: chargesBreakdownCsv(startDate: "2026-10-01") { content } }');
    await answerAll({ errors: [{ message: 'Refused', path: ['a'], extensions: { code: 'BAD' } }], data: { a: null } });
    await ask('{ a }');
    await answerStream([delivery({ status: 'failed' }), delivery({ status: 'delivered' })]);
    await ask('subscription { webhookDeliveries { id } }');
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('#request-panel details')) details.setAttribute('open', '');
    });
    // A colour on its way is none of the design.
    await panel().locator('.is-new').first().waitFor({ state: 'detached' });
    await expectAccessible(page);
    await picture(page, `panel-${width}-${colorScheme}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const box = await panel().boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(width);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: null });
  });
});

function delivery(values: object): object {
  const of = { id: 'd', startedAt: '2026-10-31T23:00:05.000000Z', webhook: { eventType: 'call_answered' } };
  return { data: { webhookDeliveries: { ...of, ...values } } };
}

function panel(): Locator {
  return page.getByRole('complementary', { name: 'Requests' });
}

/** The newest request. */
function entry(): Locator {
  return panel().locator('details').first();
}

function rows(): Locator {
  return entry().locator('.waterfall tbody tr');
}

function toggle(): Locator {
  return page.locator('#key-bar').getByRole('button', { name: 'Explain' });
}

/** Sends an operation as GraphiQL does, and waits for the end of its answer. */
async function ask(query: string, headers: Record<string, string> = {}): Promise<void> {
  await page.evaluate(
    async ([body, more]) => {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body,
      }).catch(() => null);
      await response?.text();
    },
    [JSON.stringify({ query }), headers] as const,
  );
}

async function answerAll(value: unknown): Promise<void> {
  await page.unrouteAll();
  await page.route('**/graphql', (route) => fulfill(route, value));
}

async function answerStream(payloads: readonly unknown[]): Promise<void> {
  await page.unrouteAll();
  const body = payloads.map((payload) => `event: next\ndata: ${JSON.stringify(payload)}\n\n`).join('');
  await page.route('**/graphql', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
}

function fulfill(route: Route, value: unknown): Promise<void> {
  return route.fulfill({ contentType: 'application/json', body: JSON.stringify(value) });
}
