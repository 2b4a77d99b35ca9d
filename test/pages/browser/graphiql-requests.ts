import type { Locator, Page, Route } from 'playwright-core';

/** The payload of an event. */
export function delivery(values: object): object {
  const of = { id: 'd', startedAt: '2026-10-31T23:00:05.000000Z', webhook: { eventType: 'call_answered' } };
  return { data: { webhookDeliveries: { ...of, ...values } } };
}

/** The panel of requests. */
export function panel(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Requests' });
}

/** All requests. An event of a stream is one of its own kind. */
export function entries(page: Page): Locator {
  return panel(page).locator('details:has(> summary > h3)');
}

/** The newest request. */
export function entry(page: Page): Locator {
  return entries(page).first();
}

/** The calls of the newest request. */
export function rows(page: Page): Locator {
  return entry(page).locator('.waterfall tbody tr');
}

/** The button that opens the panel. */
export function toggle(page: Page): Locator {
  return page.locator('#panel-toggle');
}

/** Sends an operation as GraphiQL does, and waits for the end of its answer. */
export async function ask(page: Page, query: string, headers: Record<string, string> = {}): Promise<void> {
  await page.evaluate(
    async ([body, more]) => {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body,
      }).catch(() => null);
      await response?.text();
    },
    [JSON.stringify({ query }), headers] as const,
  );
}

/** Answers every operation of the page with a value. */
export async function answerAll(page: Page, value: unknown): Promise<void> {
  await page.unrouteAll();
  await page.route('**/graphql', (route) => fulfill(route, value));
}

/** Answers every operation with a stream of payloads, which then ends. */
export async function answerStream(page: Page, payloads: readonly unknown[]): Promise<void> {
  await page.unrouteAll();
  const body = payloads.map((payload) => `event: next\ndata: ${JSON.stringify(payload)}\n\n`).join('');
  await page.route('**/graphql', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
}

/** Answers one request with a value. */
export function fulfill(route: Route, value: unknown): Promise<void> {
  return route.fulfill({ contentType: 'application/json', body: JSON.stringify(value) });
}
