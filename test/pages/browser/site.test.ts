import { text as textOf } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../support/gateway.ts';
import { expectAccessible } from './accessibility.ts';
import { answer, choose, copied, open, opened, run, show, visibleText } from './graphiql-page.ts';
import { startGateway, startStage, type Stage } from './stage.ts';
import { expectQuiet, observe, overflow, type Visit } from './visit.ts';

let stage: Stage;
/** Whose sandbox is within it. */
let app: Gateway;
/** Before an upstream that is no sandbox, as far as it knows. */
let other: Gateway;
let page: Page;
let visit: Visit;

beforeAll(async () => {
  const env = { MCP: 'true', SUBSCRIPTION_POLL_MS: '200' };
  stage = await startStage({ isSandbox: false }, env);
  other = stage.app;
  app = await startGateway(stage.sandbox, { sandbox: stage.sandbox }, { ...env, EXPLAIN: 'true' });
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

/** What the browser keeps for this origin. */
const kept = (): Promise<string> =>
  page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
/** How many streams the gateway says are open. */
const streams = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();

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
    // The row behind it is told by its id: two deliveries of one second may read alike, and others come meanwhile.
    await page.getByRole('button', { name: 'Make one' }).click();
    await page.locator(`#live li ~ li[data-id="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await state('paused');
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
    expect(await kept()).not.toContain('a-key-of-mine');
    expectQuiet(visit, other.url);
  });
});

describe('A guide', () => {
  it('opens on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${app.url}/docs`);
    await page.getByRole('article').getByRole('link', { name: 'Lists and reports' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lists and reports' }).waitFor();
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
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
});

const key = (): Locator => page.getByLabel('Key', { exact: true });
const footer = (): Locator => page.locator('.footer');
const operation = (of = page): Promise<string> => visibleText(of, '.graphiql-query-editor');
/** The answer as far as it is in view. */
const shown = (): Promise<string> => visibleText(page, '.graphiql-response');

describe('GraphiQL', () => {
  it('opens with a query and a key, and shows an answer with its status, time, size and calls', async () => {
    await open(page, app.url);
    expect(await page.title()).toBe('Switchboard: GraphiQL');
    expect(await key().inputValue()).toBe('sandbox-key');
    expect((await run(page)).status()).toBe(200);
    await expect.poll(() => footer().innerText()).toMatch(/200 · [\d.,]+ m?s · [\d.]+ kB · 5 calls/);
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

  it.each(['zstd', 'br'])('loads at most 1.6 MB until it is ready, its workers included, by %s', async (coding) => {
    await open(page, app.url);
    const loaded = (): readonly string[] => [...new Set(visit.requests)].filter((url) => url.startsWith(app.url));
    await expect.poll(() => loaded().filter((url) => url.includes('.worker-'))).toHaveLength(3);
    const headers = { accept: 'text/html', 'accept-encoding': coding };
    const sizes = loaded().map(async (url) => {
      const served = await fetch(url, { headers });
      await served.body?.cancel();
      return Number(served.headers.get('content-length'));
    });
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(1_600_000);
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

    await choose(page, 'The breakdown as CSV');
    await run(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('charges-breakdown-2026-10-01-2026-11-01.csv');
    expect((await textOf(await download.createReadStream())).trim().split('\n').length).toBeGreaterThan(1_800);

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
    expect(visit.requests.filter((url) => url.endsWith('/graphql'))).toEqual([]);
    const command = await copied(page, page.getByRole('button', { name: 'Copy as curl' }));
    expect(command).toMatch(/"variables":\{"n":3\},"operationName":"Two"/);
    expect(command).not.toContain('sandbox-key');
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
