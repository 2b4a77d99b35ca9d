import type { CDPSession, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { open, visibleText } from '../../pages/browser/graphiql-page.ts';
import { panel, rows, toggle } from '../../pages/browser/graphiql-requests.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, overflow, type Visit } from '../../pages/browser/visit.ts';

let stage: Stage;
let page: Page;
let hand: CDPSession;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({ explain: true });
});

afterAll(() => stage?.close());

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
  hand = await stage.chromium.context.newCDPSession(page);
  await hand.send('Emulation.setTouchEmulationEnabled', { enabled: true });
});

afterEach(async () => {
  await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
  await page.close();
});

const editor = (): Locator => page.locator('.graphiql-query-editor .monaco-editor').first();
const answer = (): Locator => page.locator('.graphiql-response .monaco-editor').first();

/** Opens GraphiQL with its panel on a screen of a size, and runs its first operation, by a finger. */
async function begin(width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await open(page, stage.app.url);
  await tap(toggle(page));
  await tap(page.locator('.graphiql-execute-button'));
  await page.locator('.graphiql-response').getByText('"data"').first().waitFor();
  await rows(page).nth(4).waitFor();
}

describe('GraphiQL on a small screen, with its panel open', () => {
  it.each([
    [390, 844],
    [320, 640],
    [844, 390],
  ])('gives editor, answer and panel the width of %i by %i pixels, one below the other', async (width, height) => {
    await begin(width, height);
    const boxes = await Promise.all([editor(), answer(), panel(page)].map(boxOf));
    for (const box of boxes) {
      expect(box.width).toBeGreaterThan(width * 0.75);
      expect(box.height).toBeGreaterThan(Math.min(250, height * 0.5));
    }
    const edges = boxes.flatMap(({ y, height: tall }) => [y, y + tall]);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
    expect(await overflow(page)).toBe(0);
    await expectAccessible(page);
    expectQuiet(visit, stage.app.url);
  });

  it('can be scrolled by a finger: the page beside the panes, and the text of the answer within its own', async () => {
    await begin(390, 844);
    await page.locator('.graphiql-toolbar').scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => window.scrollY);
    await swipe(page.locator('.graphiql-editor-tools'), 120);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(before);
    await swipe(answer(), 160);
    await expect.poll(() => visibleText(page, '.graphiql-response')).not.toMatch(/^\{\n/);
    await panel(page).scrollIntoViewIfNeeded();
    const below = await page.evaluate(() => window.scrollY);
    await swipe(rows(page).first(), 160);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(below);
  });

  it('has nothing to press that is too small for a finger', async () => {
    await begin(390, 844);
    const pressed = 'button:not(.graphiql-tab-close):visible, input:not([type=checkbox]):visible, summary:visible';
    const targets = page.locator('main').locator(pressed);
    const boxes = await Promise.all((await targets.all()).map(boxOf));
    expect(boxes.length).toBeGreaterThan(20);
    const small = boxes.filter((box) => box.width < 36 || box.height < 36);
    expect(small).toEqual([]);
    await tap(page.getByRole('button', { name: 'New tab' }));
    // It has its place within the tab.
    expect((await boxOf(page.locator('.graphiql-tab-active .graphiql-tab-close'))).width).toBeGreaterThanOrEqual(24);
  });

  it('is written in by a finger and the keys, and documents the schema across the screen', async () => {
    await begin(390, 844);
    await tap(editor());
    await page.keyboard.press('Home');
    await page.keyboard.type('# mine ');
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain('# mine ');
    await tap(page.getByRole('button', { name: /Documentation Explorer/ }));
    const documentation = page.locator('.graphiql-doc-explorer');
    await documentation.getByRole('link', { name: 'Query', exact: true }).waitFor();
    expect((await boxOf(documentation)).width).toBeGreaterThan(300);
    expect(await overflow(page)).toBe(0);
  });
});

it('brings the panel into sight when it is opened below an answer, at 390 pixels', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, stage.app.url);
  await tap(page.locator('.graphiql-execute-button'));
  await page.locator('.graphiql-response').getByText('"data"').first().waitFor();
  await tap(toggle(page));
  const bottom = async (): Promise<number> => {
    const { y, height } = await boxOf(panel(page));
    return y + height;
  };
  await expect.poll(bottom).toBeLessThan(845);
});

/** Where something is in the window. */
async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('It is not shown.');
  return box;
}

async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  await locator.scrollIntoViewIfNeeded();
  const [box, size] = [await boxOf(locator), page.viewportSize()];
  const bottom = Math.min(box.y + box.height, size?.height ?? 0);
  return { x: box.x + box.width / 2, y: (Math.max(box.y, 0) + bottom) / 2 };
}

type Point = Awaited<ReturnType<typeof middleOf>>;

const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Point[]): Promise<unknown> =>
  hand.send('Input.dispatchTouchEvent', { type, touchPoints });

async function tap(locator: Locator): Promise<void> {
  await touch('touchStart', await middleOf(locator));
  await touch('touchEnd');
}

/** Moves a finger up over something by so many pixels. */
async function swipe(locator: Locator, distance: number): Promise<void> {
  const { x, y } = await middleOf(locator);
  await touch('touchStart', { x, y });
  for (let moved = 0; moved <= distance; moved += 10) await touch('touchMove', { x, y: y - moved });
  await touch('touchEnd');
}
