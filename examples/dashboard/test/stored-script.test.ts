import { describe, expect, it } from 'vitest';
import { createPlanting, planted } from '../../../test/support/planted-texts.ts';
import type { Page, Route } from '../../../test/pages/browser/chromium.ts';
import { visitDashboard } from './visit.ts';

const dashboard = visitDashboard();
const plant = createPlanting();

/** Answers as the gateway does, with texts that would run a script where the page took them for HTML. */
async function plantTexts(route: Route): Promise<void> {
  const response = await route.fetch();
  const isJson = (response.headers()['content-type'] ?? '').includes('json');
  return route.fulfill(isJson ? { response, json: plant(await response.json()) } : { response });
}

async function begin(page: Page): Promise<readonly string[]> {
  const ran: string[] = [];
  await page.exposeFunction(planted.replace('()', ''), () => void ran.push('a script ran'));
  await page.route('**/graphql', plantTexts);
  await dashboard.begin();
  return ran;
}

describe('No text of the API', () => {
  it('runs a script, in whatever section it stands', async () => {
    const { page } = dashboard.visit;
    const ran = await begin(page);
    for (const section of ['connections', 'missions', 'deliveries'])
      expect([section, (await dashboard.section(section).textContent())?.includes(planted)]).toEqual([section, true]);
    const made = await page.locator('main img, main iframe, main script, [onerror], [onload], [onfocus]').count();
    const links = await page
      .locator('[href], [src]')
      .evaluateAll(
        (all, call) =>
          all.filter((each) => (each.getAttribute('href') ?? each.getAttribute('src') ?? '').includes(call)).length,
        planted,
      );
    expect({ ran, made, links }).toEqual({ ran: [], made: 0, links: 0 });
  });

  it('would go unseen', async () => {
    const { page } = dashboard.visit;
    const ran = await begin(page);
    dashboard.visit.expect('');
    await page.evaluate(() => {
      const texts = document.createTreeWalker(
        document.querySelector('#missions') ?? document.body,
        NodeFilter.SHOW_TEXT,
      );
      const html = Array.from({ length: 500 }, () => texts.nextNode()?.textContent ?? '').join('');
      document.body.insertAdjacentHTML('beforeend', html);
    });
    await expect.poll(() => ran).toContain('a script ran');
  });
});
