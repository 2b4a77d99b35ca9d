import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startSwitchboard, type Switchboard } from '@switchboard-gateway/gateway/testing';
import { faults } from './faults.ts';
import { texts } from './page.js';

// With Playwright: what a person sees.
let server: Server;
let origin: string;
let gateway: Switchboard;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = request.url?.startsWith('/page.js') === true ? 'page.js' : 'page.html';
    response.setHeader('content-type', name === 'page.js' ? 'text/javascript' : 'text/html');
    void readFile(new URL(name, import.meta.url)).then((text) => response.end(text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await startSwitchboard({ env: { CORS_ORIGINS: origin } });
  const executablePath = process.env['CHROMIUM_PATH'];
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  page = await browser.newPage();
});
afterEach(() => gateway.sandbox.use());
afterAll(async () => {
  await browser.close();
  await gateway.close();
  server.close();
});

const open = (url = gateway.url) => page.goto(`${origin}/?key=any-key&api=${url}`);
const textOf = (selector: string) => page.locator(selector).textContent();

test.each(Object.entries(faults))('a person reads what %s means', async (code, fault) => {
  gateway.sandbox.use(fault);
  await open();
  await expect.poll(() => textOf('#problem')).toBe(texts[code as keyof typeof faults]);
});

test('a person reads what QUERY_TOO_COMPLEX means', async () => {
  await using strict = await startSwitchboard({ env: { LIMIT_COST: '1', CORS_ORIGINS: origin } });
  await open(strict.url);
  await expect.poll(() => textOf('#problem')).toBe(texts.QUERY_TOO_COMPLEX);
});

test('a person sees that an account is empty, and then its first delivery', async () => {
  gateway.sandbox.use('empty');
  await open();
  await page.locator('#empty').waitFor();
  // Whatever appears before the stream has begun is in the list, and not in the stream.
  const making = setInterval(() => gateway.sandbox.deliver({ connection: null, status: 'failed' }, 'empty'), 100);
  await page.locator('#deliveries li').first().waitFor();
  clearInterval(making);
  expect(await textOf('#deliveries li >> nth=0')).toMatch(/: failed$/);
  expect(await page.locator('#empty').isVisible()).toBe(false);
});
