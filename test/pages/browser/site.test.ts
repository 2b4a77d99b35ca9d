import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { expectAccessible } from './accessibility.ts';
import { visibleText } from './graphiql-page.ts';
import { startGateway, startStage, type Stage } from './stage.ts';
import { expectQuiet, observe, overflow, type Visit } from './visit.ts';

let stage: Stage;
/** Whose sandbox is within it. */
let app: App;
/** Before an upstream that is no sandbox, as far as it knows. */
let other: App;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  const env = { MCP: 'true', SUBSCRIPTION_POLL_MS: '200' };
  stage = await startStage({ isSandbox: false }, env);
  other = stage.app;
  app = await startGateway(stage.sandbox, { sandbox: stage.sandbox, explain: true }, env);
});

afterAll(async () => {
  await app?.close();
  await stage?.close();
});

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
});

afterEach(() => page.close());

describe('The first page', () => {
  async function answered(text: string): Promise<void> {
    await expect.poll(() => page.locator('#answer').textContent()).toContain(text);
  }
  const rows = (): Locator => page.locator('#live li:has(strong)');
  const state = (text: string): Promise<void> => page.locator('#live-state').getByText(text, { exact: true }).waitFor();

  it.each([1440, 390])('opens with an answer and live deliveries, at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${app.url}/`);
    await answered('"totalCount": 604');
    await page.locator('#state').getByText('ready').waitFor();
    await state('live');
    if (width < 1000) await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
    expectQuiet(visit, app.url);
  });

  it('runs the query that somebody writes, shows its calls, and opens it in GraphiQL', async () => {
    await page.goto(`${app.url}/`);
    await answered('"totalCount": 604');
    const text = '{ missions(first: 1) { totalCount } } # <b>mine</b> "text"';
    await page.getByLabel('Query', { exact: true }).fill(text);
    await page.keyboard.press('Control+Enter');
    await answered('"totalCount": 230');
    expect(await page.locator('#calls code').allTextContents()).toEqual([expect.stringContaining('GET /ai/missions')]);
    await page.getByRole('link', { name: 'Open it in GraphiQL' }).click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain(text);
    expectQuiet(visit, app.url);
  });

  it('shows a delivery that is made, and stops when it is told to', async () => {
    await page.goto(`${app.url}/`);
    await state('live');
    const { id } = stage.sandbox.deliver({ status: 'failed' });
    await page.locator(`#live li[data-id="${id}"]`).waitFor();
    expect(await rows().count()).toBe(6);
    // The second row is told by its id: two deliveries of one second may read alike.
    await page.getByRole('button', { name: 'Make one' }).click();
    await page.locator(`#live li:nth-child(2)[data-id="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await state('paused');
    const streams = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
    await expect.poll(streams).toMatch(/^switchboard_streams 0$/m);
    expectQuiet(visit, app.url);
  });

  it('asks an upstream nothing until somebody gives it a key, and keeps none', async () => {
    await page.goto(`${other.url}/`);
    await page.locator('#state').getByText('ready').waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await state('enter your key first');
    expect(visit.requests.filter((url) => url.endsWith('/graphql'))).toEqual([]);
    await page.getByLabel('Your key').fill('a-key-of-mine');
    await page.keyboard.press('Enter');
    await answered('"totalCount": 604');
    expect(visit.requests.filter((url) => url.includes('a-key-of-mine'))).toEqual([]);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
    expect(kept).not.toContain('a-key-of-mine');
    expectQuiet(visit, other.url);
  });
});

describe('A guide', () => {
  it('opens on a phone, in the theme that is chosen for all pages', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${app.url}/docs/guide/start.md`);
    await page.getByLabel('Theme').selectOption('dark');
    await page.goto(`${app.url}/docs`);
    const scheme = (): Promise<string> =>
      page.evaluate(() => [getComputedStyle(document.body).colorScheme, localStorage['graphiql:theme']].join(' '));
    expect(await scheme()).toBe('dark dark');
    await page.getByRole('article').getByRole('link', { name: 'Lists and reports' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lists and reports' }).waitFor();
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
    await page.getByLabel('Theme').selectOption('System');
    expect(await scheme()).toBe('light dark ');
    expectQuiet(visit, app.url);
  });

  it('finds what is sought in all guides, by the keyboard', async () => {
    await page.goto(`${app.url}/docs/clients/urql.md`);
    await page.keyboard.press('/');
    await page.keyboard.type('infinite scrol');
    await page.getByRole('search').getByRole('listitem').first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lists and reports' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#pagination-lists-and-cursors');
    expectQuiet(visit, app.url);
  });

  it('copies its code, and opens its queries in GraphiQL', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
    await page.goto(`${app.url}/docs/guide/start.md`);
    const code = page.locator('.code').filter({ hasText: '/schema.graphql -o' });
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -s ${app.url}/schema.graphql -o schema.graphql`,
    );
    await page.getByRole('link', { name: 'Run in GraphiQL', exact: true }).first().click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain('{ missions { totalCount } }');
  });
});

describe('The picture of the schema', () => {
  const box = (name: string): Locator => page.locator(`#picture-${name}`);
  const centre = async (name: string): Promise<readonly [x: number, y: number]> => {
    const { x, y, width } = (await box(name).boundingBox()) ?? { x: NaN, y: NaN, width: NaN };
    return [Math.round(x + width / 2), Math.round(y)];
  };

  it('moves with a drag, zooms with the wheel, and leads from a field to its type', async () => {
    await page.goto(`${app.url}/voyager`);
    const [x, y] = await centre('Query');
    await page.mouse.move(x, y + 105);
    await page.mouse.down();
    await page.mouse.move(x - 60, y + 65, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => centre('Query')).toEqual([x - 60, y - 40]);
    const before = (await box('Query').boundingBox())?.width ?? NaN;
    await page.mouse.wheel(0, -300);
    await expect.poll(async () => ((await box('Query').boundingBox())?.width ?? NaN) / before).toBeCloseTo(2, 1);
    await page.getByRole('button', { name: 'Show all' }).click();
    for (const name of ['Query', 'HttpHeader', 'MonthDetail']) {
      const [at] = await centre(name);
      expect([name, at > 0 && at < 1280]).toEqual([name, true]);
    }
    await box('Query').getByText('missions(…)').click();
    expect(new URL(page.url()).hash).toBe('#picture-Mission');
    expectQuiet(visit, app.url);
  });

  it('finds names as they are typed, and shows them one after the other', async () => {
    await page.goto(`${app.url}/voyager`);
    await page.getByLabel('Search the names').fill('SipRegion');
    expect(await page.locator('.is-found').allTextContents()).toEqual(['sipRegion']);
    await page.keyboard.press('Enter');
    const isInFrame = (): Promise<boolean> =>
      page.locator('.is-found').evaluate((found) => {
        const [name, frame] = [found, found.closest('#picture')].map((each) => each?.getBoundingClientRect());
        return name!.left > frame!.left && name!.right < frame!.right && name!.bottom < frame!.bottom;
      });
    await expect.poll(isInFrame).toBe(true);
    expectQuiet(visit, app.url);
  });
});
