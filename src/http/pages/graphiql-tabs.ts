import { readFile } from 'node:fs/promises';

/** A tab of GraphiQL in the form that the page takes: one operation, and its headers as JSON text. */
export interface Tab {
  readonly query: string;
  readonly headers: string;
}

/** The headers of a new tab, as JSON text: a key that the sandbox takes, for which users put their own. */
export const tabHeaders = headersText({});

// In the order of the tabs. Variables have defaults in the files, so that each operation runs as it is.
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
// Further headers of single tabs.
const moreHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The sandbox delays reports for this key, so that users see the pieces come one after another.
  'answer-in-pieces': { Authorization: 'Bearer slow-report-key' },
  explain: { 'X-Explain': '1' },
};

function headersText(more: Readonly<Record<string, string>>): string {
  return JSON.stringify({ Authorization: 'Bearer sandbox-key', ...more }, null, 2);
}

/** Reads the ready operations of `operations/*.graphql`, in the order of their tabs. Rejects where a file cannot be read. */
export async function readTabs(): Promise<readonly Tab[]> {
  return Promise.all(
    stems.map(async (stem) => {
      const query = await readFile(new URL(`operations/${stem}.graphql`, import.meta.url), 'utf8');
      return { query: query.trimEnd(), headers: headersText(moreHeaders[stem] ?? {}) };
    }),
  );
}
