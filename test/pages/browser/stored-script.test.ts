import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import type { Gateway } from '../../support/gateway.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';
import { planted, plantedTexts, startPlantedUpstream } from './planted-texts.ts';
import type { Chromium } from './chromium.ts';
import { open, run, show, visibleText } from './graphiql-page.ts';
import { openBrowser, startGateway } from './stage.ts';

let sandbox: Sandbox;
let upstream: Awaited<ReturnType<typeof startPlantedUpstream>>;
let app: Gateway;
let chromium: Chromium;
let page: Page;
let found: string[];

beforeAll(async () => {
  sandbox = await startFixedSandbox();
  upstream = await startPlantedUpstream(sandbox.baseUrl);
  app = await startGateway({ baseUrl: upstream.baseUrl }, {}, { MCP: 'true', EXPLAIN: 'true' });
  chromium = await openBrowser();
});

afterAll(async () => {
  await chromium?.close();
  await app?.close();
  await upstream?.close();
  await sandbox?.close();
});

beforeEach(async () => {
  page = await chromium.context.newPage();
  found = [];
  await page.exposeFunction(planted.replace('()', ''), () => void found.push('a script ran'));
  await page.exposeFunction('violated', (directive: string) => void found.push(`the policy stopped ${directive}`));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      (globalThis as unknown as { violated(directive: string): void }).violated(effectiveDirective),
    );
  });
});

afterEach(() => page.close());

/** What became of the planted texts: scripts that ran, that the policy stopped, and elements that a text has made. */
async function findings(): Promise<readonly string[]> {
  // What a text has begun has time to happen: an image that cannot be loaded reports that in a task of its own.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  const elements = await page.evaluate((call) => {
    const runs = /^(?:on.*|href|src|srcdoc|action|formaction|data|xlink:href|style)$/;
    const made = [...document.querySelectorAll('*')].filter(
      (element) =>
        (/^(?:script|iframe)$/i.test(element.tagName) && element.textContent.includes(call)) ||
        [...element.attributes].some(({ name, value }) => runs.test(name) && value.includes(call)),
    );
    return made.map(({ tagName }) => `a text made ${tagName}`);
  }, planted);
  return [...new Set([...found, ...elements])];
}

describe('No text of the API runs a script', () => {
  it('on the first page, in data and in errors', async () => {
    await page.goto(`${app.url}/`);
    const answer = page.locator('#answer');
    await expect.poll(() => answer.textContent()).toContain('connectionName');
    expect(await answer.textContent()).toContain(planted);
    await page.getByLabel('Your key').fill('invalid-key');
    await page.keyboard.press('Enter');
    await expect.poll(() => answer.textContent()).toContain('UNAUTHENTICATED');
    expect(await answer.textContent()).toContain(planted);
    expect(await findings()).toEqual([]);
  });

  it('in GraphiQL: its answers, and what Calls and History show of them', async () => {
    const shown = (): Promise<string> => visibleText(page, '.graphiql-response');
    const query =
      '{ ipConnections(first: 1) { nodes { connectionName tags } } missions(first: 1) { nodes { metadata } } }';
    await open(page, app.url, `?query=${encodeURIComponent(query)}`);
    await run(page);
    await expect.poll(shown).toContain('planted');
    await page.getByLabel('Key', { exact: true }).fill('invalid-key');
    await run(page);
    await expect.poll(shown).toContain('UNAUTHENTICATED');
    expect(await shown()).toContain('planted');
    await show(page, 'Calls');
    await show(page, 'History');
    await page.locator('.graphiql-history li').first().waitFor();
    expect(await findings()).toEqual([]);
  });
});

const text = encodeURIComponent(plantedTexts.join(' '));
it.each([
  `/?${text}#${text}`,
  `/${text}`,
  `/docs/guide/start.md?${text}#${text}`,
  `/voyager?q=${text}#${text}`,
  `/graphql?query=${encodeURIComponent('{ missions { totalCount } }')}&operationName=${text}&variables=${text}&extensions=${text}`,
  `/exports/charges-breakdown.csv?startDate=${text}&endDate=${text}`,
])('No link runs a script to $0', async (path) => {
  const response = await page.goto(app.url + path);
  const type = response?.headers()['content-type'] ?? '';
  if (!type.startsWith('text/html')) expect(response?.headers()['x-content-type-options']).toBe('nosniff');
  await page.waitForLoadState();
  expect(await findings()).toEqual([]);
});

it('A text that is taken for HTML is found, although the policy stops its script', async () => {
  await page.goto(`${app.url}/voyager`);
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), plantedTexts[0] ?? '');
  await expect
    .poll(findings)
    .toEqual(expect.arrayContaining(['a text made IMG', expect.stringMatching(/^the policy stopped script-src/)]));
});
