import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clickPlay, open } from '../../pages/browser/graphiql-page.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';

/** In front of an upstream that is no sandbox, as far as it knows. */
let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ isSandbox: false });
});

afterAll(() => stage?.close());

describe('The key of GraphiQL', () => {
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
  });

  it('is kept on the device while that is asked for, and no longer', async () => {
    await field(page).fill('my-own-key');
    await page.getByLabel('Remember on this device').check();
    const other = await stage.chromium.context.newPage();
    await open(other, stage.app.url);
    expect(await field(other).inputValue()).toBe('my-own-key');
    await other.getByLabel('Remember on this device').uncheck();
    expect(await other.evaluate(() => JSON.stringify(localStorage))).not.toContain('my-own-key');
    await other.close();
  });

  it('goes with all else that is stored on the device when that is cleared', async () => {
    await field(page).fill('my-own-key');
    await page.getByLabel('Remember on this device').check();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('button', { name: 'Clear data' }).click();
    await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).not.toContain('my-own-key');
  });

  it('gives way to a key among the headers of a tab', async () => {
    await field(page).fill('my-own-key');
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.locator('.graphiql-editor-tool .monaco-editor:visible').click();
    await page.keyboard.insertText('{"authorization": "Bearer tab-key"}');
    const isOwn = (request: Request): boolean => request.headers()['authorization'] === 'Bearer tab-key';
    expect((await clickPlay(page, 1, isOwn)).status()).toBe(200);
  });

  it('is not sent where no header can carry it', async () => {
    for (const key of ['two words', 'schlüssel', '🔑', 'a\u0007b']) {
      await field(page).fill(key);
      const response = await clickPlay(page, 1);
      expect([key, response.request().headers()['authorization']]).toEqual([key, undefined]);
      await state(page).getByText('This is no key').waitFor();
      await page.locator('.graphiql-response').getByText('UNAUTHENTICATED').first().waitFor();
    }
  });

  it('is hidden until it is to be shown', async () => {
    expect(await field(page).getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await field(page).getAttribute('type')).toBe('text');
  });
});

function field(page: Page): ReturnType<Page['locator']> {
  return page.locator('#key');
}

function state(page: Page): ReturnType<Page['locator']> {
  return page.locator('#key-state');
}
