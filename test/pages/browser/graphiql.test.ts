import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { expectAccessible } from './accessibility.ts';
import { choose, clickPlay, isSubscription, mostClicks, open, play, tabNames, visibleText } from './graphiql-page.ts';
import { entry, panel, rows, toggle } from './graphiql-requests.ts';
import { startGateway, startStage, type Stage } from './stage.ts';
import { expectQuiet, observe, overflow, type Visit } from './visit.ts';

let stage: Stage;
/** Before an upstream that is no sandbox, as far as it knows. */
let other: App;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({ explain: true });
  other = await startGateway(stage.sandbox, { isSandbox: false });
});

afterAll(async () => {
  await other?.close();
  await stage?.close();
});

beforeEach(async () => {
  page = await stage.chromium.context.newPage();
  visit = observe(page);
});

afterEach(async () => {
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

describe('GraphiQL', () => {
  it('opens with a query and a key that the sandbox takes, and its first play has an answer', async () => {
    await open(page, stage.app.url);
    expect(await page.title()).toBe('Switchboard: GraphiQL');
    expect(await page.getByLabel('Key for all tabs').inputValue()).toBe('sandbox-key');
    expect(await visibleText(page, '.graphiql-query-editor .monaco-editor')).toContain('query Dashboard');
    const response = await clickPlay(page, mostClicks);
    const { data, errors } = (await response.json()) as { data: object; errors?: unknown };
    await page.locator('.graphiql-response').getByText('"data"').first().waitFor();
    expect(errors).toBeUndefined();
    expect(Object.values(data)).toHaveLength(5);
    await expectAccessible(page);
    expectQuiet(visit, stage.app.url);
  });

  it('is kept from any other origin by its policy', async () => {
    await open(page, stage.app.url);
    const directive = await page.evaluate(`(async () => {
      const violation = new Promise((resolve) => addEventListener('securitypolicyviolation', resolve));
      await fetch('http://127.0.0.1:9/').catch(() => {});
      return (await violation).effectiveDirective;
    })()`);
    expect(directive).toBe('connect-src');
  });

  it('shows live deliveries as they come, until it is told to stop', async () => {
    await open(page, stage.app.url);
    await choose(page, 'LiveDeliveries', 'subscription');
    await clickPlay(page, 1, isSubscription);
    await page.locator('.graphiql-response').getByText('"webhookDeliveries"').first().waitFor();
    const streams = async (): Promise<string> => (await fetch(`${stage.app.url}/metrics`)).text();
    expect(await streams()).toMatch(/^switchboard_streams 1$/m);
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(streams).toMatch(/^switchboard_streams 0$/m);
    expectQuiet(visit, stage.app.url);
  });

  it('shows the calls of an operation as a waterfall, its cost, and nothing of its key', async () => {
    await open(page, stage.app.url);
    await toggle(page).click();
    await clickPlay(page, mostClicks);
    await expect.poll(() => rows(page).count()).toBe(5);
    expect(await entry(page).textContent()).toMatch(/Cost: estimated [\d,]+, 5 calls made5 calls: 5 sent/);
    expect(await rows(page).first().textContent()).toMatch(/^GET \/charges_summary\?start_date=.*curl$/);
    expect(await panel(page).textContent()).not.toContain('sandbox-key');
    expectQuiet(visit, stage.app.url);
  });

  it('fits a phone, with its panel open', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(page, stage.app.url);
    await toggle(page).click();
    await clickPlay(page, mostClicks);
    await rows(page).nth(4).waitFor();
    expect(await overflow(page)).toBe(0);
    expectQuiet(visit, stage.app.url);
  });

  it('opens the query of a link in a tab beside the first one, and runs nothing', async () => {
    const query = 'query Second($first: Int) { missions(first: $first) { totalCount } }';
    const parts = new URLSearchParams({ query, variables: '{"first":3}', operationName: 'Second' });
    await page.goto(`${stage.app.url}/graphql?${parts}`);
    await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain('query Second');
    expect(await tabNames(page)).toEqual(['Dashboard', 'Second']);
    expect(page.url()).toBe(`${stage.app.url}/graphql`);
    const { answer } = await play(page);
    expect(answer.data).toEqual({ missions: { totalCount: 230 } });
    expectQuiet(visit, stage.app.url);
  });
});

describe('The key of GraphiQL', () => {
  const field = (): Locator => page.locator('#key');
  const state = (text: string): Promise<void> => page.locator('#key-state').getByText(text).waitFor();

  it('is asked for before an upstream that is no sandbox, and told where the API refuses it', async () => {
    await open(page, other.url);
    expect(await page.content()).not.toContain('sandbox-key');
    expect(await field().inputValue()).toBe('');
    await clickPlay(page, mostClicks);
    await state('Enter a key');
    await page.locator('.graphiql-response').getByText('UNAUTHENTICATED').first().waitFor();
    await field().fill('invalid-key');
    await clickPlay(page);
    await state('The API did not take this key');
    expectQuiet(visit, other.url);
  });

  it('is sent with every query, and kept for the session alone', async () => {
    await open(page, other.url);
    await field().fill('my-own-key');
    const { answer, authorization } = await play(page);
    expect([authorization, answer.errors]).toEqual(['Bearer my-own-key', undefined]);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('my-own-key');
    await open(page, other.url);
    expect(await field().inputValue()).toBe('my-own-key');
    const beside = await stage.chromium.context.newPage();
    await open(beside, other.url);
    expect(await beside.locator('#key').inputValue()).toBe('');
    await beside.close();
    expectQuiet(visit, other.url);
  });
});

it('GraphiQL before a gateway that does not show its schema says so, and runs queries', async () => {
  const closed = await startGateway(stage.sandbox, {}, { INTROSPECTION: 'false' });
  await open(page, closed.url);
  await page.getByText('The gateway does not show its schema').waitFor();
  expect((await play(page)).answer.errors).toBeUndefined();
  await closed.close();
});
