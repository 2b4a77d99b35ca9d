import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { startSwitchboard, type Switchboard } from '@switchboard-gateway/gateway/testing';
import { preview, type PreviewServer } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Results {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

export let gateway: Switchboard;
export let page: Page;
let server: PreviewServer;
let browser: Browser;

beforeAll(async () => {
  gateway = await startSwitchboard();
  server = await preview({
    root,
    preview: { host: '127.0.0.1', port: 0, proxy: { '/graphql': gateway.url, '/exports': gateway.url } },
  });
  const executablePath = process.env['CHROMIUM_PATH'];
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
});
beforeEach(async () => {
  page = await browser.newPage();
});
afterEach(async () => {
  await page.close();
  gateway.sandbox.use();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await gateway?.close();
});

/** Opens a page of the app, such as `connections`, with a key. */
export async function open(address: string, key = 'sandbox-key'): Promise<void> {
  await page.goto(`${server.resolvedUrls?.local[0]}#/${address}`);
  await enterKey(key);
}

export async function enterKey(key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await press('Use key');
}

export async function search(text: string): Promise<void> {
  await page.getByLabel('Name contains').fill(text);
  await press('Search');
}

export const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();
export const alert = (): Locator => page.getByRole('alert');
export const rows = (): Locator => page.locator('.rows li');

/** Waits for a text. */
export const see = (text: string): Promise<void> => page.getByText(text).first().waitFor();

/** Expects that axe finds nothing, in light and in dark. */
export async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as Results;
    expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
  }
}
