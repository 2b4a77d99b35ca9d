import { readFile } from 'node:fs/promises';

/** A tab of GraphiQL as it is handed to the page: one operation, and the headers as JSON text. */
export interface Tab {
  readonly query: string;
  readonly headers: string;
}

/** The headers that every new tab starts with, as JSON text: a key that the sandbox takes, to be replaced by one's own. */
export const tabHeaders = headersText({});

// In the order of the tabs. Variables have their values as defaults in the file, so that each operation runs as it stands.
const stems = [
  'dashboard',
  'charges-summary',
  'charges-breakdown',
  'charges-breakdown-csv',
  'charges-history',
  'ip-connections',
  'missions',
  'webhook-deliveries',
  'live-deliveries',
  'look-ups',
  'relations',
  'answer-in-pieces',
  'explain',
  'with-error',
];
// What a tab sends besides.
const moreHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The sandbox makes this key wait for reports, so that the pieces can be seen to come apart.
  'answer-in-pieces': { Authorization: 'Bearer slow-report-key' },
  explain: { 'X-Explain': '1' },
};

function headersText(more: Readonly<Record<string, string>>): string {
  return JSON.stringify({ Authorization: 'Bearer sandbox-key', ...more }, null, 2);
}

/** Reads the ready operations of `operations/*.graphql`, in the order of their tabs; rejects where one cannot be read. */
export async function readTabs(): Promise<readonly Tab[]> {
  return Promise.all(
    stems.map(async (stem) => {
      const query = await readFile(new URL(`operations/${stem}.graphql`, import.meta.url), 'utf8');
      return { query: query.trimEnd(), headers: headersText(moreHeaders[stem] ?? {}) };
    }),
  );
}
