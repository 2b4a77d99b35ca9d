import { readdirSync, readFileSync } from 'node:fs';
import type { Page, Request, Response } from 'playwright-core';
import { expect } from 'vitest';

/** A response as GraphiQL gets it. */
export interface Answer {
  readonly extensions?: { readonly explain?: readonly { readonly operation: string }[] };
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly path?: readonly unknown[]; readonly extensions: { readonly code: string } }[];
}

/** Opens GraphiQL, and waits for its editor and its schema. */
export async function open(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/graphql`);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  // The schema has arrived when the button for fetching it stops turning.
  await page.locator('.graphiql-sidebar .graphiql-spin').waitFor({ state: 'detached' });
}

/** Opens GraphiQL as for the first time: nothing is kept of an earlier visit. */
export async function openFirst(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/health`);
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await open(page, origin);
}

export async function tabNames(page: Page): Promise<readonly string[]> {
  const names = await page.locator('.graphiql-tab-button').allTextContents();
  return names.map((name) => name.trim());
}

const tabs = new URL('../../../src/explorer/examples/', import.meta.url);
/** The names in the menu of examples, by the names of their operations. */
const examples = new Map(
  readdirSync(tabs).flatMap((file) =>
    readFileSync(new URL(file, tabs), 'utf8')
      .split(/\n\n(?=#)/)
      .map((text) => [/^(?:query|subscription) (\w+)/m.exec(text)?.[1], /^# (.*)/.exec(text)?.[1] ?? ''] as const),
  ),
);

/** Opens an example by the menu. */
export async function choose(page: Page, name: string, kind = 'query'): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click();
  await page
    .locator('#examples')
    .getByRole('button', { name: examples.get(name) ?? '', exact: true })
    .first()
    .click();
  await expect.poll(() => visibleText(page, '.graphiql-query-editor')).toContain(`${kind} ${name}`);
}

/** Whether a request is one that play sends, and not the one that fetches the schema. */
function isOperation(request: Request): boolean {
  return request.method() === 'POST' && !(request.postData() ?? '').includes('IntrospectionQuery');
}

/** Clicks play, and returns the response once the pane shows it. */
export async function play(
  page: Page,
): Promise<{ readonly answer: Answer; readonly authorization: string | undefined }> {
  const response = await clickPlay(page);
  await page.locator('.graphiql-response').getByText('"data"').first().waitFor();
  return {
    answer: (await response.json()) as Answer,
    authorization: response.request().headers()['authorization'],
  };
}

export const mostClicks = 5;

/**
 * The button means "stop" until GraphiQL has shown the last response, and sends nothing right after another tab was chosen. So a
 * click that sends nothing is repeated.
 */
export async function clickPlay(page: Page, clicks = 1, isSought = isOperation): Promise<Response> {
  // A busy page may send late, so each click waits longer. The last one has no other behind it.
  const timeout = clicks === mostClicks ? 40_000 : 2_000 * 2 ** (clicks - 1);
  const sent = page.waitForRequest(isSought, { timeout }).catch(() => null);
  await page.locator('.graphiql-execute-button').click();
  const response = await (await sent)?.response();
  if (response != null) return response;
  if (clicks === mostClicks) throw new Error(`${mostClicks} clicks on play sent nothing.`);
  return clickPlay(page, clicks + 1, isSought);
}

/** GraphiQL subscribes by GET. */
export function isSubscription(request: Request): boolean {
  return request.url().includes('/graphql?') && request.url().includes('subscription');
}

/** The text of an editor's visible lines, in which the editor shows spaces as unbreakable ones. */
export async function visibleText(page: Page, selector: string): Promise<string> {
  const lines = await page.locator(`${selector} .view-line`).allTextContents();
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
