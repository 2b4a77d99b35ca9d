import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { visibleText } from '../../pages/browser/graphiql-page.ts';
import { startGateway, startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let stage: Stage;
let app: App;
let upstreamApp: App;

beforeAll(async () => {
  const env = { SUBSCRIPTION_POLL_MS: '200' };
  stage = await startStage({ isSandbox: false }, env);
  upstreamApp = stage.app;
  app = await startGateway(stage.sandbox, { sandbox: stage.sandbox, explain: true }, env);
});

afterAll(async () => {
  await app?.close();
  await stage?.close();
});

const widths = [1440, 1280, 390, 320];
const schemes = ['light', 'dark'] as const;

describe('The first page', () => {
  let page: Page;
  let visit: Visit;

  beforeEach(async () => {
    page = await stage.chromium.context.newPage();
    visit = observe(page);
  });

  afterEach(async () => {
    await page.close();
  });

  async function answered(text: string): Promise<void> {
    await expect.poll(() => page.locator('#answer').textContent()).toContain(text);
  }
  const rows = (): Locator => page.locator('#live li:has(strong)');
  const state = (text: string): Promise<void> => page.locator('#live-state').getByText(text, { exact: true }).waitFor();

  describe.each(schemes)('in %s', (colorScheme) => {
    it.each(widths)('is accessible at %i pixels, with its answer, and no wider than the screen', async (width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/`);
      await answered('"totalCount": 604');
      await page.locator('#state').getByText('ready').waitFor();
      await state('live');
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
      expectQuiet(visit, app.url);
    });

    it.each([1280, 390])('is followed by an accessible page for what there is not, at %i pixels', async (width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/nothing`);
      await page.getByText('There is no such page').waitFor();
      await expectAccessible(page);
      expect(await overflow(page)).toBe(0);
      // The browser complains about the status of the page itself.
      visit.complaints = visit.complaints.filter((text) => !text.includes('404'));
      expectQuiet(visit, app.url);
      await page.getByRole('link', { name: 'Begin at the first page' }).click();
      await page.locator('#answer').waitFor();
    });
  });

  it('cuts nothing and leaves no hole among its cards, at any width', async () => {
    await page.goto(`${app.url}/`);
    await page.locator('.waterfall').waitFor();
    for (let width = 320; width <= 1_500; width += 59) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await overflow(page)]).toEqual([width, 0]);
      const cut = await page
        .locator('main :is(.card, .cards li, #live li, #answer, .editor, .waterfall)')
        .evaluateAll((elements) =>
          elements.filter((each) => each.scrollWidth > each.clientWidth + 1).map(({ outerHTML }) => outerHTML),
        );
      expect([width, cut]).toEqual([width, []]);
      const ends = await page.locator('.cards li').evaluateAll((cards) => {
        const boxes = cards.map((card) => card.getBoundingClientRect());
        return boxes.filter(({ top }, at) => boxes[at + 1]?.top !== top).map(({ right }) => Math.round(right));
      });
      expect([width, new Set(ends).size]).toEqual([width, 1]);
    }
  });

  it('runs the query that somebody writes, in colours, and shows its calls', async () => {
    await page.goto(`${app.url}/`);
    await answered('"totalCount": 604');
    const query = page.getByLabel('Query', { exact: true });
    const text = '{ missions(first: 1) { totalCount } } # <b>mine</b> "text"';
    await query.fill(text);
    expect(await page.locator('#coloured').textContent()).toBe(`${text}\n`);
    expect(await page.locator('#coloured .comment').textContent()).toBe('# <b>mine</b> "text"');
    expect(await page.locator('#coloured .constant').textContent()).toBe('1');
    await query.press('Control+Enter');
    await answered('"totalCount": 230');
    expect(await page.locator('#answer .constant').textContent()).toBe('230');
    await page
      .locator('#outcome')
      .getByText(/^Answered: HTTP 200, \d+ ms, 1 call to the API$/)
      .waitFor();
    expect(await page.locator('#calls tbody tr').count()).toBe(1);
    expect(await page.locator('#calls th[scope="row"]').textContent()).toContain('GET /ai/missions');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
    await page.locator('#calls').getByRole('button', { name: 'Copy as curl' }).click();
    await page.locator('#outcome').getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/ai/missions?');
    await page.getByRole('link', { name: 'Open it in GraphiQL' }).click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain(text);
    expectQuiet(visit, app.url);
  });

  it('lays the field exactly over its colours', async () => {
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/`);
      await page.getByLabel('Query', { exact: true }).fill(`{\n${'  a'.repeat(100)}\n  missions { totalCount }\n}\n`);
      const boxes = await page.locator('#query, #coloured').evaluateAll((elements) =>
        elements.map((each) => {
          const { font, letterSpacing, padding, tabSize } = getComputedStyle(each);
          const { x, y, width: wide, height } = each.getBoundingClientRect();
          return { font, letterSpacing, padding, tabSize, x, y, wide, height, lines: each.scrollHeight };
        }),
      );
      expect(boxes[0]).toEqual(boxes[1]);
    }
  });

  it('shows live deliveries, one that is made among them, and stops when it is told to', async () => {
    await page.goto(`${app.url}/`);
    await state('live');
    expect(await rows().count()).toBe(6);
    const made = await fetch(`${app.url}/sandbox/deliveries`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
      body: JSON.stringify({ type: 'call_recording_saved', status: 'failed' }),
    });
    const { data } = (await made.json()) as { data: { id: string } };
    const row = page.locator(`#live li[data-id="${data.id}"]`);
    await row.waitFor();
    expect(await row.textContent()).toMatch(/^failedcall_recording_saved[\d:]{8}$/);
    expect(await row.getAttribute('class')).toBe('is-new');
    expect(await rows().count()).toBe(6);
    await page.getByRole('button', { name: 'Pause' }).click();
    await state('paused');
    const streams = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
    await expect.poll(streams).toMatch(/^switchboard_streams 0$/m);
    await page.getByRole('button', { name: 'Make a delivery' }).click();
    const said = (await page.getByText(/^Made the delivery/).textContent()) ?? '';
    const [id = ''] = /[\da-f-]{36}/.exec(said) ?? [];
    expect(await page.locator(`#live li[data-id="${id}"]`).count()).toBe(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator(`#live li[data-id="${id}"]`).waitFor();
    await state('live');
    expectQuiet(visit, app.url);
  });

  it('moves nothing for those who want no motion, until they follow', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${app.url}/`);
    await answered('"totalCount": 604');
    expect(await rows().count()).toBe(0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await state('live');
    await page.locator('#live .is-new').first().waitFor();
    const motion = await page
      .locator('#live .is-new')
      .first()
      .evaluate((row) => getComputedStyle(row).animationName);
    expect(motion).toBe('none');
  });

  it('says that the answer has errors where the key is not taken', async () => {
    await page.goto(`${upstreamApp.url}/`);
    await page.getByLabel('Your key').fill('invalid-key');
    await page.getByRole('button', { name: 'Run the query' }).click();
    await page.locator('#outcome').getByText('Answered with errors').waitFor();
    expect(await page.locator('#answer').textContent()).toContain('UNAUTHENTICATED');
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator('#live-state.bad').waitFor();
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Your key').fill('no key at all');
    await page.keyboard.press('Enter');
    await page.locator('#outcome').getByText('This is no key').waitFor();
  });

  it('has its texts, its links and its places without JavaScript', async () => {
    const context = await stage.chromium.context.browser()?.newContext({ javaScriptEnabled: false });
    if (context === undefined) throw new Error('There is no browser.');
    const bare = await context.newPage();
    await bare.setViewportSize({ width: 390, height: 844 });
    await bare.goto(`${app.url}/`);
    await bare.getByRole('button', { name: 'Menu' }).click();
    await bare.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Guides' }).click();
    await expect.poll(() => bare.getByRole('heading', { level: 1 }).textContent()).toBe('Guides');
    await context.close();
  });

  it('is operated by the keyboard alone', async () => {
    await page.goto(`${app.url}/`);
    const seen: string[] = [];
    for (let press = 0; press < 20; press++) {
      await page.keyboard.press('Tab');
      seen.push(
        await page.evaluate(() => document.activeElement?.getAttribute('href') ?? document.activeElement?.id ?? ''),
      );
    }
    const places = ['/graphql', '/voyager', '/schema.graphql', 'live-toggle', 'live-make', 'key', 'query', 'answer'];
    for (const place of places) expect(seen).toContain(place);
  });
});
