import { icon, readOwn, writeHeader, type SitePlace } from './frame.ts';
import type { PageSource } from './page.ts';

/** What GraphiQL's page holds besides its ready operations. */
export interface GraphiqlOptions {
  readonly links: readonly SitePlace[];
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in the field from the beginning. */
  readonly isSandbox: boolean;
}

// Each stands behind those that it imports.
const scripts = [
  'graphiql-readers.js',
  'graphiql-frame.js',
  'graphiql-fetch.js',
  'graphiql-views.js',
  'graphiql-panel.js',
];
const styles = ['tokens.css', 'header.css', 'graphiql.css', 'graphiql-panel.css'];

/** Writes the page of GraphiQL with its ready operations. The nine megabytes take half a second with their compression. */
export async function writeGraphiql({ links, isSandbox }: GraphiqlOptions): Promise<PageSource> {
  const [{ renderGraphiQL }, tabs] = await Promise.all([
    import('@graphql-yoga/render-graphiql'),
    readTabs({ isSandbox }),
  ]);
  const [ownScripts, ownStyles] = await Promise.all([joinModules(scripts), readAll(styles)]);
  const options = {
    endpoint: '/graphql',
    title: 'Switchboard: GraphiQL',
    favicon: icon,
    defaultTabs: [...tabs],
    defaultEditorToolsVisibility: false,
    // By default the headers of a tab, which may hold a key, would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, and a reload would then show JSON instead of the page.
    onEditQuery: null,
  };
  const own = `(() => {\n${ownScripts}\n${rememberQuery(tabs[0]?.query)}})();\n`;
  const html = [
    insert(
      '<meta charset="utf-8" />',
      '<meta name="viewport" content="width=device-width, initial-scale=1" />',
      'after',
    ),
    insert('</style>', ownStyles, 'before'),
    insert('<div id="root"></div>', writeFrame(links, isSandbox), 'instead'),
    insert('<script>', own, 'after'),
  ].reduce((text, edit) => edit(text), renderGraphiQL(options));
  return {
    html,
    script: html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>')),
    // The script makes styles and workers while it runs.
    allowed: {
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
      'font-src': 'data:',
      'worker-src': 'blob:',
      'connect-src': "'self'",
    },
  };
}

/** Writes what stands around GraphiQL: the header, the field for the key, and the panel of requests. */
function writeFrame(links: readonly SitePlace[], isSandbox: boolean): string {
  const [value, placeholder] = isSandbox ? ['sandbox-key', 'any key'] : ['', 'key of your account'];
  return `${writeHeader(links, '/graphql')}
      <main>
        <h1 class="unseen">GraphiQL</h1>
        <form id="key-bar" aria-label="Key">
          <label for="key">Key for all tabs</label>
          <input id="key" type="password" value="${value}" placeholder="${placeholder}" autocomplete="off" spellcheck="false" />
          <button id="key-show" type="button" aria-pressed="false">Show</button>
          <label><input id="key-remember" type="checkbox" /> Remember on this device</label>
          <span id="key-state" role="status"></span>
          <span id="panel-buttons">
            <button id="panel-news" type="button" hidden></button>
            <button id="panel-toggle" type="button" aria-expanded="false" aria-controls="request-panel">Explain</button>
          </span>
        </form>
        <p id="schema-notice" role="status" hidden></p>
        <div id="workbench">
          <div id="root"></div>
          <aside id="request-panel" aria-label="Requests" hidden></aside>
        </div>
      </main>`;
}

/** Puts a text at the first occurrence of a tag; throws where the page does not have it, after an update of GraphiQL. */
function insert(tag: string, text: string, where: 'before' | 'after' | 'instead'): (html: string) => string {
  return (html) => {
    if (!html.includes(tag)) throw new Error(`GraphiQL's page has no ${tag}.`);
    const inserted = { before: text + tag, after: tag + text, instead: text }[where];
    return html.replace(tag, () => inserted);
  };
}

/** Joins modules of this folder to one text. */
async function joinModules(names: readonly string[]): Promise<string> {
  return (await readAll(names)).replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, '');
}

async function readAll(names: readonly string[]): Promise<string> {
  return (await Promise.all(names.map(readOwn))).join('\n');
}

/**
 * Returns a script that stores the first tab's query as the one last seen. GraphiQL stores a query only when it is edited. After
 * a reload without an edit it would find no tab for its query, and add an untitled one.
 */
function rememberQuery(query = ''): string {
  // A browser without storage throws here, and has nothing to repair.
  return `try { localStorage['graphiql:query'] ??= ${JSON.stringify(query)}; } catch {}\n`;
}

/** A tab of GraphiQL in the form that the page takes: one operation, and its headers as JSON text, where it has some of its own. */
interface Tab {
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
async function readTabs({ isSandbox }: { readonly isSandbox: boolean }): Promise<readonly Tab[]> {
  const headersOf = isSandbox ? sandboxHeaders : headers;
  return Promise.all(
    stems.map(async (stem) => {
      const query = await readOwn(`operations/${stem}.graphql`);
      const own = headersOf[stem];
      return { query: query.trimEnd(), ...(own && { headers: JSON.stringify(own, null, 2) }) };
    }),
  );
}
