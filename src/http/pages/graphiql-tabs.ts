import { readFile } from 'node:fs/promises';

/** A tab of GraphiQL in the form that the page takes: one operation, and its headers as JSON text, where it has some of its own. */
export interface Tab {
  readonly query: string;
  readonly headers?: string;
}

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
// Headers of single tabs. The key of all others stands above them.
const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = { explain: { 'X-Explain': '1' } };
const sandboxHeaders: typeof headers = {
  ...headers,
  // The sandbox delays reports for this key, so that users see the pieces come one after another.
  'answer-in-pieces': { Authorization: 'Bearer slow-report-key' },
};

/** Reads the ready operations of `operations/*.graphql`, in the order of their tabs. Rejects where a file cannot be read. */
export async function readTabs({ isSandbox }: { readonly isSandbox: boolean }): Promise<readonly Tab[]> {
  const headersOf = isSandbox ? sandboxHeaders : headers;
  return Promise.all(
    stems.map(async (stem) => {
      const query = await readFile(new URL(`operations/${stem}.graphql`, import.meta.url), 'utf8');
      const own = headersOf[stem];
      return { query: query.trimEnd(), ...(own && { headers: JSON.stringify(own, null, 2) }) };
    }),
  );
}
