import type { Page, Route } from '../pages/browser/chromium.ts';

/** One page, and how it comes to be as its picture shows it. */
export interface Recipe {
  readonly name: PageName;
  /** In pixels of the page. */
  readonly size: { readonly width: number; readonly height: number };
  readonly prepare: (page: Page, urls: PageUrls) => Promise<void>;
}

export interface PageUrls {
  readonly gateway: string;
}

export const pageNames = ['home', 'graphiql', 'voyager'] as const;
export type PageName = (typeof pageNames)[number];

export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

/** The recipes of all pictures of pages. */
export const recipes: readonly Recipe[] = [
  { name: 'home', size: { width: 1280, height: 1220 }, prepare: prepareHome },
  { name: 'graphiql', size: { width: 1440, height: 900 }, prepare: prepareGraphiql },
  { name: 'voyager', size: { width: 1280, height: 800 }, prepare: prepareVoyager },
];

async function prepareHome(page: Page, { gateway }: PageUrls): Promise<void> {
  await page.route('**/graphql', fixMoments);
  await page.goto(`${gateway}/`);
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.locator('#live-state').getByText('live').waitFor();
  await page.locator('#calls li').first().waitFor();
  // A report that is kept from then on, in both pictures.
  await page.getByRole('button', { name: 'Run the query' }).click();
  await page.locator('#outcome').getByText('1 call to the API').waitFor();
  await page.locator('#state').getByText('ready').waitFor();
}

async function prepareGraphiql(page: Page, { gateway }: PageUrls): Promise<void> {
  await page.route('**/graphql', fixMoments);
  await page.goto(`${gateway}/graphql`);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-sidebar .graphiql-spin').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show Examples' }).click();
  await page.getByRole('button', { name: 'Connections and their deliveries' }).click();
  await page.locator('.graphiql-query-editor .view-line').getByText('Relations').first().waitFor();
  await page.getByRole('button', { name: 'Show Calls' }).click();
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.graphiql-response').getByText('"data"').first().waitFor();
  await page.locator('.calls details').first().waitFor();
  await page
    .locator('.footer [role="status"]')
    .first()
    .evaluate((status) => {
      status.textContent = status.textContent?.replace(/[\d,]+ ms/, '14 ms') ?? null;
    });
  await page.addStyleTag({ content: '.monaco-editor .cursor { visibility: hidden !important; }' });
}

/** Gives the explained calls of an answer moments that every run has in common: each begins after the one before. */
async function fixMoments(route: Route): Promise<void> {
  const request = route.request();
  const isStream = (await request.headerValue('accept')) === 'text/event-stream';
  if (request.method() !== 'POST' || isStream) return route.continue();
  const response = await route.fetch();
  const answer = (await response.json()) as { extensions?: { explain?: ExplainedCall[] } };
  for (const [at, call] of (answer.extensions?.explain ?? []).entries()) {
    call.startMilliseconds = 0.5 + 0.2 * at;
    call.milliseconds = 5 - 0.5 * at;
  }
  return route.fulfill({ response, json: answer });
}

interface ExplainedCall {
  startMilliseconds: number;
  milliseconds: number;
}

async function prepareVoyager(page: Page, { gateway }: PageUrls): Promise<void> {
  await page.goto(`${gateway}/voyager`);
  await page.locator('#picture-Query').waitFor();
}
