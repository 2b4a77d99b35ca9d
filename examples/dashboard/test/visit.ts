import type { Locator, Request } from '../../../test/pages/browser/chromium.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { enterKey, settle, startDashboard, type Dashboard, type Visit } from './dashboard.ts';

/** The key that tests enter unless they need another one. */
export const key = 'sandbox-key-of-this-test';

/** Whether a request is for an operation of that name. */
export const asks = (request: Request, operation: string): boolean =>
  new RegExp(`(?:query|subscription) ${operation}\\b`).test(request.postData() ?? '');

/** Starts a dashboard for a file of tests and opens a page of it for each; what this returns is of the current one. */
export function visitDashboard(uptime = () => 0) {
  let dashboard: Dashboard;
  let visit: Visit;
  beforeAll(async () => {
    dashboard = await startDashboard(uptime);
  });
  afterAll(async () => {
    await dashboard?.close();
  });
  beforeEach(async () => {
    visit = await dashboard.open();
  });
  afterEach(async () => {
    await visit.page.close();
    expectQuietVisit(visit, dashboard.url);
  });

  const section = (id: string): Locator => visit.page.locator(`#${id}`);
  const rowsOf = (id: string): Locator => section(id).locator('tbody tr:not(.below)');
  return {
    get url() {
      return dashboard.url;
    },
    streams: (): Promise<number> => dashboard.streams(),
    get visit() {
      return visit;
    },
    section,
    rowsOf,
    rangeOf: (id: string): Locator => section(id).locator('.pager p'),
    button: (id: string, name: string): Locator => section(id).getByRole('button', { name, exact: true }),
    begin: async (own = key): Promise<void> => {
      await enterKey(visit.page, own);
      await settle(visit.page);
    },
    /** The texts of a table's column, by its heading. */
    column: async (id: string, head: string): Promise<readonly string[]> => {
      const heads = await section(id).locator('thead th').allTextContents();
      const at = heads.findIndex((text) => text.startsWith(head));
      return rowsOf(id)
        .locator(`td:nth-child(${at + 1})`)
        .allTextContents();
    },
  };
}

/** The promises of every visit: requests go to its own origin, no address has the key, and the console has no complaint. */
function expectQuietVisit({ requests, complaints }: Visit, url: string): void {
  const foreign = requests.filter((address) => !/^(?:data|blob):/.test(address) && !address.startsWith(url));
  const telling = requests.filter((address) => address.includes(key));
  expect({ foreign, telling, complaints }).toEqual({ foreign: [], telling: [], complaints: [] });
}
