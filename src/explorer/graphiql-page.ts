import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { hasSandbox, icon, joinModules, readOwn, writeHeader, type SitePlace } from './frame.ts';
import type { PageSource } from './page.ts';

/** What GraphiQL's page holds besides its ready operations. */
export interface GraphiqlOptions {
  readonly links: readonly SitePlace[];
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in the field from the beginning. */
  readonly isSandbox: boolean;
}

// Each stands behind those that it imports.
const scripts = ['readers', 'frame', 'tabs', 'views', 'panel', 'fetch'].map((name) => `graphiql-${name}.js`);
const styles = ['tokens.css', 'header.css', 'graphiql.css', 'graphiql-panel.css'];

/** Writes the page of GraphiQL with its ready operations. The nine megabytes take half a second with their compression. */
export function writeGraphiql({ links, isSandbox }: GraphiqlOptions): PageSource {
  const tabs = readTabs(isSandbox);
  const options = {
    endpoint: '/graphql',
    title: 'Switchboard: GraphiQL',
    favicon: icon,
    defaultTabs: tabs,
    defaultEditorToolsVisibility: false,
    // By default the headers of a tab, which may hold a key, would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, without its variables.
    onEditQuery: null,
  };
  const own = `(() => {\n${joinModules(hasSandbox(links) ? ['sandbox-controls.js', ...scripts] : scripts)}\n\nopenTabs(${JSON.stringify(tabs)});\n})();\n`;
  const html = [
    insert(
      '<meta charset="utf-8" />',
      '<meta name="viewport" content="width=device-width, initial-scale=1" />',
      'after',
    ),
    insert('</style>', styles.map(readOwn).join('\n'), 'before'),
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

const sandboxControls =
  '<span id="sandbox-offers"></span><button id="sandbox-delivery" type="button">Make a delivery</button><span id="sandbox-state" role="status"></span>';

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
          ${hasSandbox(links) ? sandboxControls : ''}
          <span id="key-state" role="status"></span>
          <span id="panel-buttons">
            <button id="panel-news" type="button" hidden></button>
            <button id="panel-toggle" type="button" aria-expanded="false" aria-controls="request-panel">Explain</button>
          </span>
        </form>
        <p id="schema-notice" role="status" hidden></p>
        <div id="workbench">
          <div id="root"></div>
          <div id="panel-bar" role="separator" aria-label="Height of the requests" aria-controls="request-panel" aria-valuemin="15" aria-valuemax="85" tabindex="0" hidden></div>
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

/** A tab of GraphiQL in the form that the page takes: one operation, and its headers as JSON text, where it has some of its own. */
interface Tab {
  readonly query: string;
  readonly headers?: string;
}

// In the order of the tabs.
const files = ['dashboard', 'charges', 'lists', 'responses'];
// Headers of single operations. The key of all others stands above them.
const headers: Readonly<Record<string, object>> = { Explain: { 'X-Explain': '1' } };
// The sandbox delays the breakdown for this key, so that users see the pieces come one after another.
const sandboxHeaders: typeof headers = { ...headers, Pieces: { Authorization: 'Bearer slow-breakdown-key' } };

/**
 * Reads the ready operations of `tabs/*.graphql`. Each begins with a comment. Its variables have defaults, so that it runs as it
 * is.
 */
function readTabs(isSandbox: boolean): Tab[] {
  const headersOf = isSandbox ? sandboxHeaders : headers;
  const operations = files.flatMap((name) =>
    readOwn(`tabs/${name}.graphql`)
      .trimEnd()
      .split(/\n\n(?=#)/),
  );
  return operations.map((query) => {
    const [, name = ''] = /^(?:query|subscription) (\w+)/m.exec(query) ?? [];
    const own = headersOf[name];
    return { query, ...(own && { headers: JSON.stringify(own, null, 2) }) };
  });
}
