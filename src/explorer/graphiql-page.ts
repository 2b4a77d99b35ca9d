import { hasSandbox, icon, joinModules, readOwn, writeHeader, type SitePlace } from './frame.ts';
import { addressOf, type Asset, type PageSource } from './page.ts';

/** What GraphiQL's page holds besides its ready operations. */
export interface GraphiqlOptions {
  readonly links: readonly SitePlace[];
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in the field from the beginning. */
  readonly isSandbox: boolean;
}

// Each stands behind those that it imports.
const scripts = ['readers', 'frame', 'examples', 'tabs', 'views', 'panel', 'fetch'].map(
  (name) => `graphiql-${name}.js`,
);
const styles = ['tokens.css', 'header.css', 'graphiql.css', 'graphiql-panel.css'];

/** What the package has of GraphiQL, apart from each other. */
interface Bundle {
  readonly css: string;
  readonly js: string;
  readonly editorWorkerService: string;
  readonly jsonWorker: string;
  readonly graphqlWorker: string;
}

/** The page and its files. */
interface GraphiqlPage {
  readonly page: PageSource;
  readonly assets: readonly Asset[];
}

/** Writes the page of GraphiQL with its examples. The nine megabytes of its files take half a second with their compression. */
export async function writeGraphiql({ links, isSandbox }: GraphiqlOptions): Promise<GraphiqlPage> {
  const bundle = (await import(
    new URL('graphiql.js', import.meta.resolve('@graphql-yoga/render-graphiql')).href
  )) as Bundle;
  const workers: readonly Asset[] = [
    { name: 'editor-worker.js', text: bundle.editorWorkerService },
    { name: 'json-worker.js', text: bundle.jsonWorker },
    { name: 'graphql-worker.js', text: bundle.graphqlWorker },
  ];
  const groups = readExamples(isSandbox);
  const [editor, json, graphql] = workers.map(addressOf);
  const given = { groups, workers: { editorWorkerService: editor, json, graphql } };
  const own = joinModules(hasSandbox(links) ? ['sandbox-controls.js', ...scripts] : scripts);
  const style: Asset = { name: 'graphiql.css', text: [bundle.css, ...styles.map(readOwn)].join('\n') };
  const explorer: Asset = {
    name: 'explorer.js',
    text: `(() => {\nconst given = ${JSON.stringify(given)};\n${own}\nbegin(given);\n})();\n`,
  };
  const program: Asset = {
    name: 'graphiql.js',
    text: `${bundle.js};\nYogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), graphiqlOptions);\n`,
  };
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Switchboard: GraphiQL</title>
    <link rel="icon" href="${icon}" />
    <link rel="stylesheet" href="${addressOf(style)}" />
    <script defer src="${addressOf(explorer)}"></script>
    <script defer src="${addressOf(program)}"></script>
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    ${writeFrame(links, isSandbox, groups)}
  </body>
</html>
`;
  // The program makes styles while it runs.
  const allowed = {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'img-src': 'data:',
    'font-src': 'data:',
    'worker-src': "'self'",
    'connect-src': "'self'",
  };
  return { page: { html, script: '', allowed }, assets: [style, explorer, program, ...workers] };
}

const sandboxControls =
  '<span id="sandbox-offers"></span><button id="sandbox-delivery" type="button">Make a delivery</button>';

/** Writes what stands around GraphiQL: the header with examples and the key, and the panel of requests. */
function writeFrame(links: readonly SitePlace[], isSandbox: boolean, groups: readonly ExampleGroup[]): string {
  const [value, placeholder] = isSandbox ? ['sandbox-key', 'any key'] : ['', 'key of your account'];
  return `<div id="top">
      ${writeHeader(links, '/graphql', true)}
      <div id="tools">
        <button id="examples-open" type="button" popovertarget="examples">Examples</button>
        <nav id="examples" aria-label="Examples" popover>${groups.map(writeGroup).join('')}<section id="lately" hidden><h2>Run lately</h2><ul></ul></section></nav>
        <button id="key-open" type="button" popovertarget="key-bar">Key</button>
        <form id="key-bar" aria-label="Key" popover>
          <label for="key" class="unseen">Key for all tabs</label>
          <input id="key" type="password" value="${value}" placeholder="${placeholder}" autocomplete="off" spellcheck="false" />
          <button id="key-show" type="button" aria-pressed="false">Show</button>
          <label><input id="key-remember" type="checkbox" aria-label="Remember on this device" /> Remember</label>
          ${hasSandbox(links) ? sandboxControls : ''}
        </form>
        <span id="panel-buttons">
          <button id="panel-news" type="button" hidden></button>
          <button id="panel-toggle" type="button" aria-expanded="false" aria-controls="request-panel">Explain</button>
        </span>
      </div>
    </div>
    <main>
      <h1 class="unseen">GraphiQL</h1>
      <p id="notices"><span id="key-state" role="status"></span> <span id="sandbox-state" role="status"></span></p>
      <p id="schema-notice" role="status" hidden></p>
      <div id="workbench">
        <div id="root"></div>
        <div id="panel-bar" role="separator" aria-label="Height of the requests" aria-controls="request-panel" aria-valuemin="15" aria-valuemax="85" tabindex="0" hidden></div>
        <aside id="request-panel" aria-label="Requests" hidden></aside>
      </div>
    </main>`;
}

function writeGroup({ title, examples }: ExampleGroup): string {
  const items = examples.map(({ name }) => `<li><button type="button" data-example>${name}</button></li>`);
  return `<section><h2>${title}</h2><ul>${items.join('')}</ul></section>`;
}

/** A ready operation, and its headers as JSON text, where it has some of its own. */
interface Example {
  /** HTML. */
  readonly name: string;
  readonly query: string;
  readonly headers?: string;
}

interface ExampleGroup {
  readonly title: string;
  readonly examples: readonly Example[];
}

// In the order of the menu: a file of `tabs/`, and the name of its group.
const groupTitles = { dashboard: 'Begin here', charges: 'Charges', lists: 'Lists', responses: 'Answers' };
// Headers of single operations. The key of all others stands in the header.
const headers: Readonly<Record<string, object>> = { Explain: { 'X-Explain': '1' } };
// The sandbox delays the breakdown for this key, so that users see the pieces come one after another.
const sandboxHeaders: typeof headers = { ...headers, Pieces: { Authorization: 'Bearer slow-breakdown-key' } };

/**
 * Reads the examples of `tabs/*.graphql`. Each begins with a comment, whose first line is its name. Its variables have defaults, so
 * that it runs as it is.
 */
function readExamples(isSandbox: boolean): ExampleGroup[] {
  const headersOf = isSandbox ? sandboxHeaders : headers;
  return Object.entries(groupTitles).map(([file, title]) => {
    const operations = readOwn(`tabs/${file}.graphql`)
      .trimEnd()
      .split(/\n\n(?=#)/);
    const examples = operations.map((query) => {
      const [, name = ''] = /^# (.*)$/m.exec(query) ?? [];
      const [, operation = ''] = /^(?:query|subscription) (\w+)/m.exec(query) ?? [];
      const own = headersOf[operation];
      return { name, query, ...(own && { headers: JSON.stringify(own, null, 2) }) };
    });
    return { title, examples };
  });
}
