import type { Locator, Page, Response } from 'playwright-core';

/** Opens GraphiQL, with a link's query where there is one, and waits for it. */
export async function open(page: Page, origin: string, search = ''): Promise<void> {
  await page.goto(`${origin}/graphql${search}`);
  await opened(page);
}

/** Waits for the editor and its schema. */
export async function opened(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  // The schema has arrived when the button for fetching it stops turning.
  await page.locator('.graphiql-sidebar .graphiql-spin').waitFor({ state: 'detached' });
}

/** Opens a plugin, such as Calls, where it is not open. */
export async function show(page: Page, plugin: string): Promise<void> {
  const button = page.getByRole('button', { name: `Show ${plugin}` });
  if (await button.isVisible()) await button.click();
  await page.getByRole('button', { name: `Hide ${plugin}` }).waitFor();
}

/** Opens an example, and waits until the editor knows its operation. */
export async function choose(page: Page, name: string): Promise<void> {
  await show(page, 'Examples');
  await page.locator('.examples').getByRole('button', { name, exact: true }).click();
  await page.getByText(`# ${name}`.replaceAll(' ', '\u00a0')).first().waitFor();
}

/** Runs what the editor holds, and returns the response once it has begun. */
export async function run(page: Page): Promise<Response> {
  const responded = page.waitForResponse((response) => {
    const body = response.request().postData() ?? '';
    return response.url().endsWith('/graphql') && body !== '' && !body.includes('IntrospectionQuery');
  });
  await page.locator('.graphiql-execute-button').click();
  return responded;
}

/** What a button gives to be copied, where the browser has no clipboard. */
export async function copied(page: Page, button: Locator): Promise<string> {
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: null, configurable: true }));
  const asked = page.waitForEvent('dialog');
  const clicked = button.click();
  const dialog = await asked;
  const text = dialog.defaultValue();
  await dialog.dismiss();
  await clicked;
  return text;
}

/** The pane of the answer. */
export function answer(page: Page): Locator {
  return page.locator('.graphiql-response');
}

/** The text of an editor's visible lines, in which the editor shows spaces as unbreakable ones. */
export async function visibleText(page: Page, selector: string): Promise<string> {
  const lines = await page.locator(`${selector} .view-line`).allTextContents();
  return lines.join('\n').replaceAll('\u00a0', ' ');
}
