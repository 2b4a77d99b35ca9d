import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../pages/browser/accessibility.ts';
import { choose, clickPlay, isSubscription, openFirst, play } from '../../pages/browser/graphiql-page.ts';
import {
  answerAll,
  answerStream,
  ask,
  delivery,
  entries,
  entry,
  panel,
  toggle,
} from '../../pages/browser/graphiql-requests.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe } from '../../pages/browser/visit.ts';

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await startStage();
  page = await stage.chromium.context.newPage();
});

afterAll(() => stage?.close());

beforeEach(async () => {
  await openFirst(page, stage.app.url);
});

afterEach(async () => {
  await page.unrouteAll();
  page.removeAllListeners();
});

describe('Live deliveries in GraphiQL', () => {
  it('keep a moment on one line, whatever stands before it', async () => {
    const events = ['call', 'call_answered', 'call_recording_saved', 'conference_participant_joined'];
    await answerStream(
      page,
      events.map((eventType) => delivery({ status: 'delivered', webhook: { eventType } })),
    );
    await toggle(page).click();
    await ask(page, 'subscription { webhookDeliveries { id } }');
    for (const width of [1440, 1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const moments = await items().locator('time').all();
      expect([width, await Promise.all(moments.map((moment) => moment.evaluate(linesOf)))]).toEqual([
        width,
        events.map(() => 1),
      ]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('are a list that grows, of which each run keeps its own', async () => {
    const visit = observe(page);
    await choose(page, 'LiveDeliveries', 'subscription');
    await clickPlay(page, 1, isSubscription);
    const news = page.getByRole('button', { name: /^Live \(\d+\)$/ });
    await news.waitFor();
    await news.click();
    expect(await panel(page).isVisible()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
    expect(await news.isVisible()).toBe(false);
    await expect.poll(() => items().count()).toBeGreaterThan(1);
    expect(await items().first().textContent()).toMatch(/^(?:delivered|failed)[a-z_]+2026-[\d:.T-]+Z[\da-f-]{36}$/);
    await page.locator('.graphiql-execute-button').click();
    await entry(page)
      .getByText(/^stopped · /)
      .waitFor();
    const seen = await items().allTextContents();
    await clickPlay(page, 1, isSubscription);
    await expect.poll(() => entries(page).count()).toBe(2);
    const first = entries(page).nth(1);
    expect(await first.locator('.deliveries li').allTextContents()).toEqual(seen);
    await page.locator('.graphiql-execute-button').click();
    await entry(page)
      .getByText(/^stopped · /)
      .waitFor();
    expectQuiet(visit, stage.app.url);
  });

  it('are bounded, newest first, and end with their reason', async () => {
    await toggle(page).click();
    const failure = { data: null, errors: [{ message: 'Gone', extensions: { code: 'UNAUTHENTICATED' } }] };
    const deliveries = Array.from({ length: 300 }, (_, index) => delivery({ id: `d${index}` }));
    await answerStream(page, [...deliveries, failure]);
    await ask(page, 'subscription { webhookDeliveries { id } }');
    expect(await items().count()).toBe(200);
    expect((await items().allTextContents()).slice(0, 2)).toEqual(['UNAUTHENTICATED', expect.stringMatching(/d299$/)]);
    expect(await entry(page).textContent()).toContain('301 events, the newest 200 are shown');
    expect(await entry(page).locator('> summary').textContent()).toContain('ended by UNAUTHENTICATED');
  });

  it('end where the gateway ends them, with its reason', async () => {
    const failure = { data: null, errors: [{ message: 'Stopping', extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] };
    const events = [delivery({ status: 'failed' }), failure].map(
      (event) => `event: next\ndata: ${JSON.stringify(event)}`,
    );
    const body = [...events, 'event: complete\ndata:', ''].join('\n\n');
    await page.route(/\/graphql\?/, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await choose(page, 'LiveDeliveries', 'subscription');
    await toggle(page).click();
    await clickPlay(page, 1, isSubscription);
    await entry(page)
      .getByText(/^ended by UPSTREAM_UNAVAILABLE · \d/)
      .waitFor({ timeout: 5_000 });
    expect(await items().count()).toBe(2);
  });

  it('open to all that they hold, and can be filtered', async () => {
    await toggle(page).click();
    await answerStream(page, [
      delivery({ status: 'failed', id: 'first-id' }),
      delivery({ status: 'delivered', id: 'second-id', webhook: { eventType: 'call_ended', more: 'hidden-text' } }),
    ]);
    await ask(page, 'subscription { webhookDeliveries { id } }');
    await items().first().locator('summary').click();
    await items().first().locator('pre').getByText('hidden-text').waitFor();
    const filter = panel(page).getByRole('searchbox');
    await filter.fill('FIRST-id');
    expect(await Promise.all((await items().all()).map((item) => item.isVisible()))).toEqual([false, true]);
    await filter.fill('hidden-text');
    expect(await Promise.all((await items().all()).map((item) => item.isVisible()))).toEqual([true, false]);
    await expectAccessible(page);
  });

  it('are read out now and then, and not one by one', async () => {
    await toggle(page).click();
    await page.evaluate(() => {
      const texts: (string | null)[] = [];
      const status = document.querySelector('#request-panel [role="status"]')!;
      new MutationObserver(() => texts.push(status.textContent)).observe(status, { childList: true });
      Reflect.set(globalThis, 'readOut', texts);
    });
    await answerStream(
      page,
      Array.from({ length: 100 }, () => delivery({})),
    );
    await ask(page, 'subscription { webhookDeliveries { id } }');
    const readOut = await page.evaluate(() => Reflect.get(globalThis, 'readOut') as readonly string[]);
    expect(readOut).toEqual(['Unnamed operation has ended after 100 events']);
  });

  it('are texts, whatever they hold', async () => {
    await toggle(page).click();
    const hostile = `<img src=x onerror="globalThis.isHacked = true">`;
    const long = hostile.repeat(20_000);
    await answerStream(page, [
      delivery({ status: hostile, id: long, startedAt: null, webhook: null }),
      delivery({ status: { a: hostile }, webhook: { eventType: [hostile] } }),
      { data: { renamed: { payload: long } } },
      { data: { webhookDeliveries: null } },
      { data: null },
      { data: null, errors: [{ extensions: { code: { toString: 1 } } }] },
      null,
      'text',
      [],
    ]);
    await ask(page, 'subscription { webhookDeliveries { id } }');
    expect(await items().count()).toBe(9);
    expect(await panel(page).locator('img').count()).toBe(0);
    expect((await panel(page).textContent())?.length).toBeLessThan(5_000);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'isHacked'))).toBeUndefined();
  });

  it('arrive without motion where the reader wants none', async () => {
    await toggle(page).click();
    const animation = async (): Promise<string> => {
      await answerStream(page, [delivery({})]);
      await ask(page, 'subscription { webhookDeliveries { id } }');
      return items()
        .first()
        .evaluate((item) => getComputedStyle(item).animationName);
    };
    expect(await animation()).toBe('arrival');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await animation()).toBe('none');
    await page.emulateMedia({ reducedMotion: null });
  });
});

describe('A CSV report in GraphiQL', () => {
  it('is a table of its first rows, and a file of all', async () => {
    await choose(page, 'Csv');
    await play(page);
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    expect(await entry(page).textContent()).toContain(
      'chargesBreakdownCsv: 4,109 rows, of which the first 100 are shown',
    );
    expect(await entry(page).locator('.report tbody tr').count()).toBe(100);
    expect(await entry(page).locator('.report thead').textContent()).toContain('service_owner_email');
    expect(await entry(page).getByRole('cell', { name: 'Caller name ("CNAM") storage' }).count()).toBeGreaterThan(0);
    const name = 'charges-breakdown-2026-10-01-2026-11-01.csv';
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      entry(page)
        .getByRole('button', { name: `Download ${name}` })
        .click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const exported = await fetch(
      `${stage.app.url}/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01`,
      {
        headers: { authorization: 'Bearer sandbox-key' },
      },
    );
    expect(await text(await download.createReadStream())).toBe(await exported.text());
  });

  it.each([
    ['{ chargesBreakdownCsv(startDate: "2026-10-01") { content } }', 'chargesBreakdownCsv', {}, ''],
    ['{ a: chargesBreakdownCsv(startDate: "2026-10-01") { b: content } }', 'a', {}, ''],
    [
      '{ a: chargesBreakdownCsv(startDate: "2026-10-01") { address: url text: content } }',
      'a',
      { address: '/exports/charges-breakdown.csv?startDate=2026-10-01' },
      '-2026-10-01',
    ],
  ] as const)('is found in %s', async (query, field, members, period) => {
    await toggle(page).click();
    const member = /(\w+): content/.exec(query)?.[1] ?? 'content';
    await answerAll(page, {
      data: { [field]: { __typename: 'X', ...members, [member]: 'x,y\r\n"1,\r\n""",2\r\n3' }, other: null },
    });
    await ask(page, query);
    expect(await entry(page).locator('.report td').allTextContents()).toEqual(['1,\r\n"', '2', '3']);
    await entry(page)
      .getByRole('button', { name: `Download charges-breakdown${period}.csv`, exact: true })
      .waitFor();
  });

  it('is shown once for each alias, and not where an answer only looks like one', async () => {
    await toggle(page).click();
    await answerAll(page, {
      data: { a: { content: 'x\n1' }, b: { content: 'x\n1\n2' }, c: { content: 'no' }, d: 'x' },
    });
    const report = 'chargesBreakdownCsv(startDate: "2026-10-01") { content }';
    await ask(page, `{ a: ${report} b: ${report} c: other { content } d }`);
    const counts = await entry(page).locator('.report > p').allTextContents();
    expect(counts.map((count) => count.split(' Download')[0])).toEqual(['a: 1 row', 'b: 2 rows']);
  });
});

/** The deliveries of the newest request. */
function items(): Locator {
  return entry(page).locator('.deliveries li');
}

/** On how many lines the text of an element stands. */
function linesOf(element: Element): number {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getClientRects().length;
}
