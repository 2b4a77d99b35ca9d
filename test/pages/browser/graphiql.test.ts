import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { answer, choose, copied, open, opened, run, show, visibleText } from './graphiql-page.ts';
import { startGateway, startStage, type Stage } from './stage.ts';
import { expectQuiet, observe, type Visit } from './visit.ts';

let stage: Stage;
/** Whose sandbox is within it. */
let app: App;
/** Before an upstream that is no sandbox, as far as it knows. */
let other: App;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  stage = await startStage({ isSandbox: false });
  other = stage.app;
  app = await startGateway(stage.sandbox, { sandbox: stage.sandbox, explain: true }, { SUBSCRIPTION_POLL_MS: '200' });
});

afterAll(async () => {
  await app?.close();
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

const key = (): Locator => page.getByLabel('Key', { exact: true });
const footer = (): Locator => page.locator('.footer');
const operation = (of = page): Promise<string> => visibleText(of, '.graphiql-query-editor');
/** The answer as far as it is in view. */
const shown = (): Promise<string> => visibleText(page, '.graphiql-response');

/** What the browser keeps for this origin. */
const kept = (): Promise<string> =>
  page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));

describe('GraphiQL', () => {
  it('opens with a query and a key, and shows an answer with its status, time, size and calls', async () => {
    await open(page, app.url);
    expect(await page.title()).toBe('Switchboard: GraphiQL');
    expect(await key().inputValue()).toBe('sandbox-key');
    expect((await run(page)).status()).toBe(200);
    await expect.poll(() => footer().innerText()).toMatch(/200 · [\d.]+ m?s · [\d.]+ kB · 5 calls/);
    expect(await shown()).not.toContain('explain');
    await show(page, 'Calls');
    const calls = page.locator('.calls details');
    expect(await calls.locator('summary').allInnerTexts()).toEqual(
      Array.from({ length: 5 }, () => expect.stringMatching(/^GET \/\w+[^]* m?s$/)),
    );
    await calls.first().locator('summary').click();
    expect(await calls.first().innerText()).toMatch(/Query\s+start_date=2026-10-01/);
    const curl = calls.first().getByRole('button', { name: 'Copy as curl' });
    expect(await copied(page, curl)).toMatch(/^curl .*\$API_KEY.*charges_summary/);
    expectQuiet(visit, app.url);
  });

  it('is walked through: first page, example, history, link, report, fault, live delivery', async () => {
    await page.goto(`${app.url}/`);
    await page.getByRole('link', { name: 'Open it in GraphiQL' }).click();
    await page.waitForURL('**/graphql');
    await opened(page);
    await expect.poll(() => operation()).toContain('chargesSummary(');

    await choose(page, 'An answer in pieces (@defer)');
    expect(await page.getByRole('combobox', { name: 'Fault' }).inputValue()).toBe('slow-breakdown');
    await run(page);
    await expect.poll(shown).toMatch(/"grandTotal": "[\d.]+"[^]*"totalCount": 1800/);
    await choose(page, 'An error beside data');
    expect(await shown()).toBe('');
    expect(await page.getByRole('combobox', { name: 'Fault' }).inputValue()).toBe('');
    await run(page);
    await expect.poll(shown).toMatch(/"locations"/);

    await show(page, 'History');
    await page.locator('.graphiql-history').getByText('Pieces', { exact: true }).click();
    await expect.poll(() => operation()).toContain('query Pieces');
    const link = await copied(page, page.getByRole('button', { name: 'Share' }));
    expect(link).not.toContain('sandbox-key');
    const second = await stage.chromium.context.newPage();
    await open(second, app.url, new URL(link).search);
    await expect.poll(() => operation(second)).toContain('query Pieces');
    expect(second.url()).toBe(`${app.url}/graphql`);
    await second.close();

    await choose(page, 'A month by phone number');
    await run(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('charges-breakdown-2026-10-01.csv');
    expect((await text(await download.createReadStream())).trim().split('\n').length).toBeGreaterThan(1_800);

    await key().fill('mine');
    await page.getByRole('combobox', { name: 'Fault' }).selectOption('rate-limited');
    const headers = (await run(page)).request().headers();
    expect([headers['authorization'], headers['x-sandbox']]).toEqual(['Bearer mine', 'rate-limited']);
    await expect.poll(shown).toContain('RATE_LIMITED');
    await page.getByRole('combobox', { name: 'Fault' }).selectOption('');
    await page.getByRole('combobox', { name: 'Account' }).selectOption('small');
    expect((await run(page)).request().headers()['x-sandbox']).toBe('small');
    await page.getByRole('combobox', { name: 'Account' }).selectOption('');
    expect(await key().inputValue()).toBe('mine');

    await choose(page, 'Deliveries as they come');
    await run(page);
    const streams = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
    await expect.poll(streams).toMatch(/^switchboard_streams 1$/m);
    const top = async (): Promise<unknown> => (await page.locator('.graphiql-container').boundingBox())?.y;
    const before = await top();
    await page.getByRole('button', { name: 'Make a delivery' }).click();
    await page.getByText(/^Made \S+ \(delivered\)\.$/).waitFor();
    expect(await top()).toBe(before);
    await answer(page).getByText('"webhookDeliveries"').waitFor();
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(streams).toMatch(/^switchboard_streams 0$/m);
    await expect.poll(() => footer().innerText()).not.toContain('live');
    expect(await shown()).not.toContain('Abort');
    expectQuiet(visit, app.url);
  });

  it('opens a link with variables and the operation that it names, and runs nothing until it is told to', async () => {
    const query =
      'query One { ipConnections { totalCount } } query Two($n: Int) { missions(first: $n) { totalCount } }';
    const parts = new URLSearchParams({ query, variables: '{"n":3}', operationName: 'Two' });
    await open(page, app.url, `?${parts}`);
    await expect.poll(() => operation()).toContain('query Two');
    expect(visit.requests.filter((url) => url.endsWith('/graphql'))).toHaveLength(1);
    const command = await copied(page, page.getByRole('button', { name: 'Copy as curl' }));
    expect(command).toMatch(/"variables":\{"n":3\},"operationName":"Two"/);
    const code = await copied(page, page.getByRole('button', { name: 'Copy as fetch' }));
    expect(code).toMatch(
      /^const response = await fetch\('http[^]*body: "\{.*\\"operationName\\":\\"Two\\"\}",\n\}\);$/,
    );
    expect(command + code).not.toContain('sandbox-key');
    // It is prettified, and still in view.
    await page.getByRole('button', { name: /^Prettify/ }).click();
    await expect.poll(() => operation()).toMatch(/^query One \{\n {2}ipConnections \{/);
    expectQuiet(visit, app.url);
  });

  it('sends numbers as they are typed, and shows them as they were sent', async () => {
    const query = encodeURIComponent('query ($id: ID!) { ipConnection(id: $id) { id } }');
    await open(page, app.url, `?query=${query}&variables=${encodeURIComponent('{ "id": 1293384261075731499 }')}`);
    expect((await run(page)).request().postData()).toContain('"variables":{"id":1293384261075731499}');
    await page.route('**/graphql', (route) =>
      route.fulfill({ contentType: 'application/json', body: '{"data":{"a":9007199254740993,"b":[1.10,1e400]}}' }),
    );
    await run(page);
    await expect.poll(shown).toMatch(/9007199254740993,[^]*1\.10,[^]*1e400/);
    // It is kept from any other origin by its policy.
    const directive = await page.evaluate(`(async () => {
      const violation = new Promise((resolve) => addEventListener('securitypolicyviolation', resolve));
      await fetch('http://127.0.0.1:9/').catch(() => {});
      return (await violation).effectiveDirective;
    })()`);
    expect(directive).toBe('connect-src');
  });
});

describe('The key of GraphiQL', () => {
  it('is asked for before an upstream that is no sandbox, sent with queries, and kept nowhere', async () => {
    await open(page, other.url);
    expect(await key().inputValue()).toBe('');
    expect(await page.getByRole('combobox', { name: 'Fault' }).count()).toBe(0);
    await run(page);
    await expect.poll(shown).toContain('UNAUTHENTICATED');
    await key().fill('my-own-key');
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines').click();
    await page.keyboard.insertText('{ "X-Secret": "my-own-header" }');
    const sent = (await run(page)).request().headers();
    expect([sent['authorization'], sent['x-secret']]).toEqual(['Bearer my-own-key', 'my-own-header']);
    await answer(page).getByText('"data"').waitFor();
    const link = await copied(page, page.getByRole('button', { name: 'Share' }));
    // The history has the query, and neither of them.
    await expect.poll(kept).toContain('graphiql:queries');
    const texts = [await kept(), link];
    for (const each of texts) expect(each).not.toMatch(/my-own-(?:key|header)/);
    await open(page, other.url);
    expect(await key().inputValue()).toBe('');
    expectQuiet(visit, other.url);
  });
});

it('GraphiQL before a gateway that does not show its schema says so, and runs queries', async () => {
  const closed = await startGateway(stage.sandbox, {}, { INTROSPECTION: 'false' });
  await open(page, closed.url);
  await expect.poll(shown).toMatch(/introspection/i);
  await run(page);
  await expect.poll(shown).toContain('"data"');
  await closed.close();
});
