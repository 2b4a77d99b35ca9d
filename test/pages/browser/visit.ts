import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The requests of a page so far, and the complaints of its console. */
export type Visit = ReturnType<typeof observe>;

/** Begins to write down what a page does. */
export function observe(page: Page) {
  const visit = { requests: [] as readonly string[], complaints: [] as readonly string[] };
  const complain = (text: string): unknown => (visit.complaints = [...visit.complaints, text]);
  page.on('request', (request) => (visit.requests = [...visit.requests, request.url()]));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complain(message.text());
  });
  page.on('pageerror', (error) => complain(String(error)));
  return visit;
}

/** The promises of every visit: requests go to its own origin, and the console has no complaint. */
export function expectQuiet({ requests, complaints }: Visit, origin: string): void {
  const foreign = requests.filter((url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin);
  expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
}

/** By how many pixels a page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
