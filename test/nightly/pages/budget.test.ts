import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';
import type { Gateway } from '../../support/gateway.ts';

let stage: Stage;
let app: Gateway;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage();
  app = await startGateway(stage.sandbox, {}, { MCP: 'true', EXPLAIN: 'true' });
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

const mostBytes = 60_000;
/** What people see as movement begins at a tenth. */
const mostShift = 0.02;

describe.each(['/', '/docs', '/docs/guide/start.md', '/docs/clients/apollo.md'])('%s', (path) => {
  it.each([1440, 390])('stays within its budget at %i pixels', async (width) => {
    const sent: number[] = [];
    const bodies: Promise<unknown>[] = [];
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (!['document', 'script', 'stylesheet', 'font', 'image'].includes(type)) return;
      if (new URL(response.url()).origin !== app.url) return;
      bodies.push(response.body().then((body) => sent.push(gzipSync(body).length)));
    });
    await page.addInitScript(() => {
      const shifts: { value: number; hadRecentInput: boolean }[] = [];
      const note = (list: PerformanceObserverEntryList): unknown =>
        shifts.push(...(list.getEntries() as unknown as typeof shifts));
      new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
      Reflect.set(globalThis, 'shifts', shifts);
    });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(app.url + path);
    if (path === '/') {
      await page.locator('#calls li').first().waitFor();
      await page.locator('#live li:has(strong)').first().waitFor();
    }
    await page.waitForLoadState('load');
    await Promise.all(bodies);
    const bytes = sent.reduce((total, each) => total + each, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(mostBytes);
    const found = await page.evaluate(() => ({
      blocking: document.querySelectorAll('script[src]:not([defer], [async], [type="module"])').length,
      sheets: document.querySelectorAll('link[rel="stylesheet"]').length,
      unsized: [...document.querySelectorAll('img, body svg:not(svg svg)')].filter(
        (image) => !image.hasAttribute('width') || !image.hasAttribute('height'),
      ).length,
      shift: (Reflect.get(globalThis, 'shifts') as { value: number; hadRecentInput: boolean }[])
        .filter(({ hadRecentInput }) => !hadRecentInput)
        .reduce((total, { value }) => total + value, 0),
    }));
    expect(found).toEqual({ blocking: 0, sheets: 1, unsized: 0, shift: expect.any(Number) });
    expect(found.shift).toBeLessThan(mostShift);
    expectQuiet(visit, app.url);
  });
});
