import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { luminance } from './contrast.ts';
import { choose, clickPlay, open, play, tabNames, visibleText } from '../../pages/browser/graphiql-page.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';

const healthyTabs = [
  'Dashboard',
  'Summary',
  'Breakdown',
  'Csv',
  'History',
  'Connections',
  'Missions',
  'Deliveries',
  'LookUps',
  'Relations',
];
const piecesTab = 'Pieces';
const firstTabs = ['Dashboard'];

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ explain: true });
});

afterAll(() => stage?.close());

describe('GraphiQL in a browser', () => {
  let page: Page;
  let visit: Visit;

  beforeEach(async () => {
    page = await stage.chromium.context.newPage();
    visit = observe(page);
    await open(page, stage.app.url);
  });

  afterEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await page.close();
    expectQuiet(visit, stage.app.url);
    expectAsked(visit);
  });

  it('opens an example in place of an untouched one, beside what somebody has written, and again what was run', async () => {
    await choose(page, 'Missions');
    await expect.poll(() => tabNames(page)).toEqual(['Missions']);
    await page.locator('.graphiql-query-editor').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Mine { missions { totalCount } }');
    await expect.poll(() => tabNames(page)).toEqual(['Mine']);
    await clickPlay(page);
    await choose(page, 'Csv');
    await expect.poll(() => tabNames(page)).toEqual(['Mine', 'Csv']);
    await page.getByRole('button', { name: 'Examples' }).click();
    await expectAccessible(page);
    await page.locator('#lately').getByRole('button', { name: 'Mine' }).click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain('query Mine');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('sandbox-key');
  });

  it('has its header in one row', async () => {
    for (const width of [1920, 1440, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const height = (await page.locator('#top').boundingBox())?.height ?? 100;
      expect([width, height < 64 ? 'one row' : height]).toEqual([width, 'one row']);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    expect(await page.getByLabel('Key for all tabs').isVisible()).toBe(true);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await page.getByRole('link', { name: 'Guides' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('shows the pieces of an answer put together', async () => {
    await choose(page, piecesTab);
    await clickPlay(page);
    const shown = (): Promise<string> => visibleText(page, '.graphiql-response');
    for (const text of ['"chargesSummary"', '"chargesBreakdown"', '"totalCount"'])
      await expect.poll(shown).toContain(text);
  });

  it('shows the calls', async () => {
    await page.getByRole('button', { name: 'Explain', exact: true, expanded: false }).click();
    await choose(page, 'Relations');
    const { answer } = await play(page);
    await page.evaluate(() => sessionStorage.clear());
    expect(answer.errors).toBeUndefined();
    expect(answer.extensions?.explain?.map(({ operation }) => operation)).toContain('GET /webhook_deliveries');
  });

  it('keeps its tabs and its address over a reload, but no key in the storage of the browser', async () => {
    await choose(page, 'Missions');
    await expectStored(page, ['Missions']);
    await open(page, stage.app.url);
    await expect.poll(() => tabNames(page)).toEqual(['Missions']);
    expect(page.url()).toBe(`${stage.app.url}/graphql`);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('sandbox-key');
    const { answer } = await play(page);
    expect(answer.data).toHaveProperty('missions');
  });

  it('comes back unchanged after a reload without a single edit', async () => {
    await expectStored(page, firstTabs);
    await open(page, stage.app.url);
    await expect.poll(() => tabNames(page)).toEqual(firstTabs);
  });

  it.each(['light', 'dark'] as const)(
    'axe finds nothing in %s, with documentation and headers open',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await open(page, stage.app.url);
      expect((await play(page)).answer.errors).toBeUndefined();
      await expectAccessible(page);
      await page.getByRole('button', { name: /Documentation Explorer/ }).click();
      await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await expectAccessible(page);
      await openExplorer(page);
      await expectAccessible(page);
    },
  );

  it('names no icon by its minified code, in no pane and no dialog', async () => {
    const titles = (): Promise<readonly (string | null)[]> => page.locator('svg > title').allTextContents();
    const expectUnnamed = async (): Promise<void> => {
      await expect.poll(async () => (await titles()).join('')).toBe('');
      expect(await page.locator('svg:not([aria-hidden="true"]) > title').count()).toBe(0);
    };
    expect((await titles()).length).toBeGreaterThan(5);
    await expectUnnamed();
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
    await page.locator('.graphiql-doc-explorer').getByText('chargesSummary').first().waitFor();
    await expectUnnamed();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await expectUnnamed();
  });

  it.each([
    ['light', 'Dark'],
    ['dark', 'Light'],
  ] as const)('shows the whole page in the theme that is chosen: %s becomes %s', async (colorScheme, theme) => {
    await page.emulateMedia({ colorScheme: theme === 'Dark' ? 'dark' : 'light' });
    const ground = await luminance(page.locator('body'), 'backgroundColor');
    await page.emulateMedia({ colorScheme });
    expect(await luminance(page.locator('body'), 'backgroundColor')).not.toBe(ground);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByRole('button', { name: theme, exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await luminance(page.locator('body'), 'backgroundColor')).toBe(ground);
    await page.getByRole('button', { name: 'Explain', exact: true, expanded: false }).click();
    expect((await play(page)).answer.errors).toBeUndefined();
    await openExplorer(page);
    await expectAccessible(page);
    await page.evaluate(() => sessionStorage.clear());
  });

  it('gives the fields of its panes the room that their texts need', async () => {
    await openExplorer(page);
    const tooWide = (selector: string): Promise<readonly string[]> =>
      page.locator(selector).evaluateAll((inputs: HTMLInputElement[]) => {
        const context = document.createElement('canvas').getContext('2d');
        return inputs.flatMap((input) => {
          const { font, paddingLeft, paddingRight } = getComputedStyle(input);
          const text = input.value || input.placeholder;
          if (context === null) return [text];
          context.font = font;
          const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
          return context.measureText(text).width > room + 1 ? [text] : [];
        });
      });
    expect(await page.getByRole('textbox', { name: 'first', exact: true }).count()).toBeGreaterThan(1);
    expect(await tooWide('.graphiql-plugin input')).toEqual([]);
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.locator('.graphiql-doc-explorer-search-input input').waitFor();
    expect(await tooWide('.graphiql-doc-explorer-search-input input')).toEqual([]);
  });

  it.each([1440, 390])('shows the open tab, also a new one, at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.getByRole('button', { name: 'New tab' }).click();
    const tab = page.getByRole('button', { name: '<untitled>', pressed: true });
    await expect.poll(async () => isWithin(await tab.boundingBox(), width)).toBe(true);
    await page.getByRole('button', { name: 'Close <untitled>' }).click();
    await tab.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it('keeps the open tab in sight when a pane takes some of its room', async () => {
    await page.setViewportSize({ width: 1280, height: 844 });
    for (const name of [...healthyTabs, ...healthyTabs]) {
      await choose(page, name);
      await page.locator('.graphiql-query-editor').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('# mine');
    }
    await choose(page, 'Relations');
    const tab = page.locator('.graphiql-tab-button[aria-pressed="true"]');
    const isInSight = (): Promise<boolean> =>
      tab.evaluate((button) => {
        const list = button.closest('.graphiql-tabs')?.parentElement?.getBoundingClientRect();
        const { left, right } = button.getBoundingClientRect();
        return list !== undefined && left >= list.left && right <= list.right;
      });
    await expect.poll(isInSight).toBe(true);
    await page.getByRole('button', { name: 'Explain', exact: true, expanded: false }).click();
    await expect.poll(isInSight).toBe(true);
    await openExplorer(page);
    await expect.poll(isInSight).toBe(true);
    await page.evaluate(() => sessionStorage.clear());
  });

  it('leads to the first page and to Voyager', async () => {
    const header = page.getByRole('banner');
    expect(await header.locator('[aria-current="page"]').textContent()).toBe('GraphiQL');
    expect(await header.getByRole('link', { name: 'Voyager' }).getAttribute('href')).toBe('/voyager');
    expect(await header.getByRole('link', { name: 'Switchboard' }).getAttribute('href')).toBe('/');
  });

  it('shows our fields in its panes, and nothing that only routers need', async () => {
    await openExplorer(page);
    expect(await page.locator('.graphiql-plugin').textContent()).not.toMatch(/_service|_entities/);
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    const documentation = page.locator('.graphiql-doc-explorer');
    await documentation.getByRole('link', { name: 'Query', exact: true }).waitFor();
    expect(await documentation.textContent()).not.toMatch(/federation__|link__|_Service|_Any|_Entity/);
  });

  it('selects a field by a click in its explorer pane', async () => {
    await choose(page, 'Missions');
    await page.getByRole('button', { name: /GraphiQL Explorer/ }).click();
    await page.locator('.graphiql-plugin').getByText('offset', { exact: true }).click();
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toMatch(/^ +offset$/m);
    const { answer } = await play(page);
    expect(answer.errors).toBeUndefined();
    expect(answer.data?.['missions']).toMatchObject({ offset: 0 });
  });

  it('documents the schema, and completes what is typed', async () => {
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
    await page.locator('.graphiql-doc-explorer').getByText('chargesSummary').first().waitFor();
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'currency' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.type('user');
    const proposal = page.locator('.suggest-widget').getByText('userEmail').first();
    // The first proposals may come before the editor's worker has read the schema, and then hold none of its fields.
    const isProposed = async (): Promise<boolean> => {
      if (await proposal.isVisible()) return true;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      return proposal.isVisible();
    };
    await expect.poll(isProposed, { interval: 500 }).toBe(true);
  });
});

/** Waits until GraphiQL has stored its tabs. */
async function expectStored(page: Page, names: readonly string[]): Promise<void> {
  const stored = (): Promise<readonly string[]> =>
    page.evaluate(() => {
      const { tabs = [] } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
      return tabs.map(({ title }: { readonly title: string }) => title);
    });
  await expect.poll(stored).toEqual(names);
}

async function openExplorer(page: Page): Promise<void> {
  await page.getByRole('button', { name: /GraphiQL Explorer/ }).click();
  await page.locator('.graphiql-plugin').getByText('chargesSummary', { exact: true }).first().waitFor();
}

/** Whether a box lies within a window of this width. */
function isWithin(box: { readonly x: number; readonly width: number } | null, width: number): boolean {
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}

/** Every visit requests the page, and then at least the schema. */
function expectAsked({ requests }: Visit): void {
  expect(requests.filter((url) => url === `${stage.app.url}/graphql`).length).toBeGreaterThan(1);
}
