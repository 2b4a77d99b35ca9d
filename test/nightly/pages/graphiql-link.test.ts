import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clickPlay, tabNames, visibleText } from '../../pages/browser/graphiql-page.ts';
import { startStage, type Stage } from '../../pages/browser/stage.ts';
import { expectQuiet, observe, type Visit } from '../../pages/browser/visit.ts';

const query = 'query Second($first: Int) { missions(first: $first) { totalCount } }';
const address = `/graphql?${new URLSearchParams({ query, variables: '{"first":3}', operationName: 'Second' })}`;

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(() => stage?.close());

describe('a link to GraphiQL with a query', () => {
  let page: Page;
  let visit: Visit;
  let sent: string[];

  beforeEach(async () => {
    page = await stage.chromium.context.newPage();
    visit = observe(page);
    sent = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (request.method() === 'POST' && !body.includes('IntrospectionQuery')) sent.push(body);
    });
    await page.goto(stage.app.url + address);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await page.locator('.graphiql-sidebar .graphiql-spin').waitFor({ state: 'detached' });
  });

  afterEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await page.close();
    expectQuiet(visit, stage.app.url);
  });

  it('opens the tab that it has opened before, and keeps it over a reload', async () => {
    const tabs = await tabNames(page);
    await page.goto(stage.app.url + address);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(await tabNames(page)).toEqual(tabs);
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(await tabNames(page)).toEqual(tabs);
    expect(await visibleText(page, '.graphiql-query-editor')).toContain('query Second');
  });

  it('comes from a request that was run, beside lines for curl and fetch that hold no key', async () => {
    await stage.chromium.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#panel-toggle').click();
    await clickPlay(page);
    const copied = async (form: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy the request as ${form}` }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const link = new URL(await copied('link'));
    expect(link.origin + link.pathname).toBe(`${stage.app.url}/graphql`);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      query,
      variables: '{"first":3}',
      operationName: 'Second',
    });
    expect(await copied('curl')).toMatch(
      /^curl -s http:\S+\/graphql -H "Authorization: Bearer \$KEY" .* -d '\{"query":/,
    );
    expect(await copied('fetch')).toContain('Bearer ${key}');
    expect([await copied('curl'), await copied('fetch'), link.href].join('\n')).not.toContain('sandbox-key');
    await stage.chromium.context.clearPermissions();
  });
});
