import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { choose, clickPlay, open, openFirst } from '../../pages/browser/graphiql-page.ts';
import {
  answerAll,
  answerStream,
  ask,
  delivery,
  entries,
  entry,
  fulfill,
  panel,
  rows,
  toggle,
} from '../../pages/browser/graphiql-requests.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';

let stage: Stage;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({ explain: true });
  page = await stage.chromium.context.newPage();
});

afterAll(() => stage?.close());

beforeEach(async () => {
  visit = observe(page);
  await openFirst(page, stage.app.url);
});

afterEach(async () => {
  await page.unrouteAll();
  page.removeAllListeners();
});

describe('The panel of requests', () => {
  it('shows the whole query of a call, however narrow it is', async () => {
    await toggle(page).click();
    await ask(page, '{ ipConnections(first: 1) { nodes { webhookDeliveries(first: 1) { nodes { id } } } } }');
    const query = rows(page).filter({ hasText: 'hooks' }).first().locator('.call-query');
    expect(await query.textContent()).toContain('%2Fhooks&page[number]=1');
    for (const width of [1440, 1000, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const [whole, shown] = await query.evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight]);
      expect([width, whole]).toEqual([width, shown]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('copies a call as a line for curl that holds no key', async () => {
    await stage.chromium.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await toggle(page).click();
    await ask(page, '{ missions(first: 1) { totalCount } }');
    await entry(page).getByRole('button', { name: 'Copy as curl' }).click();
    await entry(page).getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^curl -g -H 'Authorization: Bearer '\$API_KEY .*\/ai\/missions\?page\[number\]=1&page\[size\]=1'$/,
    );
    expect(await panel(page).getByRole('status').textContent()).toContain('Copied');
    await stage.chromium.context.clearPermissions();
  });

  it('leaves the line for curl to be copied by hand where the browser refuses', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    });
    await toggle(page).click();
    await ask(page, '{ missions(first: 1) { totalCount } }');
    for (let press = 0; press < 2; press++) await entry(page).getByRole('button', { name: 'Copy as curl' }).click();
    const field = entry(page).getByRole('textbox');
    expect(await field.count()).toBe(1);
    expect(await field.inputValue()).toMatch(/^curl -g/);
    expect(await panel(page).getByRole('status').textContent()).toContain('by hand');
  });

  it('lies below the editors, as high as its bar is drawn or moved by keys, also after a reload', async () => {
    const heightOf = async (): Promise<number> => Math.round((await panel(page).boundingBox())?.height ?? 0);
    const editor = page.locator('.graphiql-query-editor');
    const before = await editor.boundingBox();
    await toggle(page).click();
    const beside = await editor.boundingBox();
    expect(beside?.width).toBe(before?.width);
    const bar = page.getByRole('separator', { name: 'Height of the requests' });
    const [box, usual] = [await bar.boundingBox(), await heightOf()];
    const [x, y] = [(box?.x ?? 0) + 300, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 120);
    await page.mouse.up();
    await expect.poll(heightOf).toBeGreaterThan(usual + 90);
    const drawn = await heightOf();
    await bar.press('ArrowDown');
    await expect.poll(heightOf).toBeLessThan(drawn);
    const moved = await heightOf();
    await page.reload();
    await toggle(page).and(page.locator('[aria-expanded="true"]')).waitFor();
    await expect.poll(heightOf).toBe(moved);
  });

  it('asks for calls and cost only while it is open, and stays as it was for the session', async () => {
    const wishes = async (): Promise<readonly unknown[]> => {
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await ask(page, '{ missions { totalCount } }', { 'X-Explain': '1' });
      const headers = (await sent).headers();
      return [headers['x-explain'], headers['x-cost']];
    };
    expect(await wishes()).toEqual(['1', undefined]);
    await toggle(page).click();
    // The wish of the tab and that of the panel are one.
    expect(await wishes()).toEqual(['1', '1']);
    await page.reload();
    await toggle(page).and(page.locator('[aria-expanded="true"]')).waitFor();
    expect(await panel(page).isVisible()).toBe(true);
    await toggle(page).click();
    expect(await wishes()).toEqual(['1', undefined]);
  });

  it('says why an answer lists no calls', async () => {
    await ask(page, '{ missions { totalCount } }');
    await toggle(page).click();
    expect(await entry(page).textContent()).toContain('Sent while this panel was closed');
    await answerAll(page, { data: { missions: { totalCount: 1 } } });
    await ask(page, '{ missions { totalCount } }');
    expect(await entry(page).textContent()).toContain('where EXPLAIN is on');
  });

  it('lists the calls of an answer in pieces, which come with its last', async () => {
    await toggle(page).click();
    await choose(page, 'Pieces');
    await clickPlay(page);
    await entry(page).getByText('GET /charges_breakdown').first().waitFor();
    await entry(page).getByText('GET /charges_summary').first().waitFor();
    expect(await entry(page).locator('summary').textContent()).toMatch(/^Pieces 200/);
  });

  it('lists errors with their codes and limits', async () => {
    await toggle(page).click();
    await ask(page, '{ ipConnections(first: 500) { nodes { webhookDeliveries(first: 500) { nodes { id } } } } }');
    expect(await entry(page).locator('.errors').textContent()).toMatch(
      /^QUERY_TOO_COMPLEX \(311,063, where 20,000 are allowed\)The query is beyond/,
    );
  });

  it('shows the first calls of thousands, and bars within their axis whatever their numbers say', async () => {
    await toggle(page).click();
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
      return { operation: 'GET /x', origin: 'own', status: 200, startMilliseconds, milliseconds };
    });
    await answerAll(page, { data: {}, extensions: { explain: [null, 'text', ...explain], cost: 'dear' } });
    await ask(page, '{ a }');
    expect(await rows(page).count()).toBe(100);
    expect(await entry(page).textContent()).toContain('and 4,900 more calls');
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
    await toggle(page).click();
    const hostile = `<img src=x onerror="globalThis.isHacked = true">`;
    const call = {
      operation: hostile,
      query: hostile,
      origin: hostile,
      status: hostile,
      curl: hostile,
    };
    // Nothing can make a text or a number of it.
    const odd = { toString: 1, valueOf: 1, toJSON: 1, some: 1 };
    const oddCall = { ...odd, operation: odd, status: odd, origin: odd, milliseconds: odd, retries: odd, bytes: odd };
    const errors = [{ message: hostile.repeat(10_000), path: [hostile], extensions: { code: hostile } }, null, 'x'];
    for (const answer of [
      { data: { a: 1 }, errors, extensions: { explain: [call] } },
      null,
      [],
      'text',
      { data: null, errors: 'none', extensions: [] },
      { data: { a: 1 }, errors: odd, extensions: { explain: [oddCall], cost: { estimated: odd } } },
      { data: null, errors: [{ message: odd, path: [odd, odd], extensions: { code: odd, limit: odd } }] },
      { data: { chargesBreakdownCsv: { content: `${hostile}\n${hostile}` } }, extensions: { explain: {}, cost: [] } },
    ]) {
      await answerAll(page, answer);
      await ask(page, '{ chargesBreakdownCsv { content } }');
    }
    expect(await panel(page).locator('img').count()).toBe(0);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isHacked'))).toBeUndefined();
    expect(await entries(page).count()).toBe(8);
    expect(await panel(page).getByText('no answer').count()).toBe(0);
    expect((await panel(page).textContent())?.length).toBeLessThan(10_000);
    expectQuiet(visit, stage.app.url);
  });

  it('tells a request that failed and an answer that is too long', async () => {
    await toggle(page).click();
    await page.route('**/graphql', (route) => route.abort());
    await ask(page, '{ a }');
    expect(await entry(page).locator('summary').textContent()).toMatch(/no answer: Failed to fetch/);
    await page.unrouteAll();
    await answerAll(page, { data: { text: 'x'.repeat(20_000_000) } });
    await ask(page, '{ a }');
    expect(await entry(page).textContent()).toContain('too long to be read here');
    expect(await entry(page).locator('summary').textContent()).toContain('20.0 MB');
  });

  it('keeps apart requests that run side by side, and the last twenty of all', async () => {
    await toggle(page).click();
    await page.route('**/graphql', (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      return fulfill(route, { data: {}, extensions: { explain: [{ operation: query }] } });
    });
    await page.evaluate(async () => {
      const send = (index: number): Promise<Response> =>
        fetch('/graphql', { method: 'POST', body: JSON.stringify({ query: `q${index}`, operationName: `Q${index}` }) });
      await Promise.all(Array.from({ length: 25 }, (_, index) => send(index)));
    });
    await expect.poll(() => entries(page).count()).toBe(20);
    const shown = await entries(page).allTextContents();
    expect(shown.map((text) => [/Q(\d+)/.exec(text)?.[1], /q(\d+)/.exec(text)?.[1]])).toEqual(
      Array.from({ length: 20 }, (_, index) => [`${24 - index}`, `${24 - index}`]),
    );
    await panel(page).getByRole('button', { name: 'Clear' }).click();
    expect(await entries(page).count()).toBe(0);
    await panel(page).getByText('Run an operation').waitFor();
  });

  it('is opened, read and closed by the keyboard alone', async () => {
    await page.locator('#key-remember').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await panel(page).isVisible()).toBe(true);
    await ask(page, '{ missions { totalCount } }');
    await panel(page).getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await rows(page).first().isVisible()).toBe(false);
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Copy as curl');
    await toggle(page).focus();
    await page.keyboard.press('Space');
    expect(await panel(page).isVisible()).toBe(false);
  });

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels, and axe finds nothing in %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await open(page, stage.app.url);
    await choose(page, 'Pieces');
    await toggle(page).click();
    await ask(page, '{ a: chargesBreakdownCsv(startDate: "2026-10-01") { content } }');
    await answerAll(page, {
      errors: [{ message: 'Refused', path: ['a'], extensions: { code: 'BAD' } }],
      data: { a: null },
    });
    await ask(page, '{ a }');
    await answerStream(page, [delivery({ status: 'failed' }), delivery({ status: 'delivered' })]);
    await ask(page, 'subscription { webhookDeliveries { id } }');
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('#request-panel details')) details.setAttribute('open', '');
    });
    // A colour on its way is none of the design.
    await panel(page).locator('.is-new').first().waitFor({ state: 'detached' });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const names = await panel(page)
      .locator('.waterfall tbody th')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    expect(Math.min(...names)).toBeGreaterThan(150);
    expect(await panel(page).getByRole('rowheader').count()).toBe(names.length);
    const box = await panel(page).boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(width);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: null });
  });
});
