import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build, preview } from 'vite';
import { startChromium, type Locator, type Page } from '../../../test/pages/browser/chromium.ts';
import { startGateway } from '../gateway.ts';
import { pageInFrontOf } from '../page.ts';

/** Pictures of what was tested, not committed. */
const screenshots = join(import.meta.dirname, 'screenshots');

/** The built page in front of a gateway and its sandbox, in a browser. */
export interface Dashboard {
  readonly url: string;
  /** A page of its own at the address, before a key is entered. */
  open(): Promise<Visit>;
  /** How many streams the gateway has open. */
  streams(): Promise<number>;
  close(): Promise<void>;
}

/** A page with its requests and the lines of its console. */
export interface Visit {
  readonly page: Page;
  readonly requests: string[];
  readonly complaints: string[];
  /** Expects a complaint with this text, which the test causes. */
  expect(part: string): void;
}

/** Builds the page and starts all that it needs, with a sandbox that has new deliveries only as its `uptime` grows. */
export async function startDashboard(uptime: () => number): Promise<Dashboard> {
  await mkdir(screenshots, { recursive: true });
  const gateway = await startGateway({ LOG_LEVEL: 'silent' }, uptime);
  const options = { ...pageInFrontOf(gateway, 0), logLevel: 'warn' as const };
  await build(options);
  const server = await preview(options);
  const chromium = await startChromium();
  const url = server.resolvedUrls?.local[0] ?? '';
  return {
    url,
    async open() {
      const page = await chromium.context.newPage();
      await page.setViewportSize({ width: 1280, height: 900 });
      // A screenshot waits until the page has stopped scrolling.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const expected: string[] = [];
      const visit: Visit = { page, requests: [], complaints: [], expect: (part) => void expected.push(part) };
      page.on('request', (request) => visit.requests.push(request.url()));
      page.on('console', (message) => {
        const isComplaint = ['error', 'warning'].includes(message.type());
        if (isComplaint && !expected.some((part) => message.text().includes(part)))
          visit.complaints.push(message.text());
      });
      page.on('pageerror', (error) => visit.complaints.push(String(error)));
      await page.goto(url);
      return visit;
    },
    async streams() {
      const response = await fetch(`${gateway.url}/metrics`);
      return Number(/^switchboard_streams (\d+)$/m.exec(await response.text())?.[1]);
    },
    async close() {
      await chromium.close();
      await server.close();
      await gateway.close();
    },
  };
}

/** Enters a key as a person does. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.locator('#key').fill(key);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.locator('#charges').waitFor();
}

/** Waits until nothing on the page is loading any more. */
export async function settle(page: Page): Promise<void> {
  await page.locator('[aria-busy="true"], .placeholder').first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .placeholder') === null);
}

/** Takes a picture of the page from its head, or of a part of it. */
export async function picture(of: Page | Locator, name: string): Promise<void> {
  // Sticky elements would cover a part that is taller than the window.
  const style = 'page' in of ? '.top { position: static !important; }' : '';
  await of.screenshot({ path: join(screenshots, `${name}.png`), style });
}
