import { createHash } from 'node:crypto';
import { joinModules, sandboxOffers } from './frame.ts';
import { head, readOwn, writeHeader, type SiteContents } from './layout.ts';
import type { PageSource } from './page.ts';

// Each stands behind those that it imports.
const parts = ['frame', 'theme', 'tabs', 'lists', 'panel', 'fetch'].map((name) => `graphiql-${name}.js`);
const scripts = ['gateway.js', 'views.js', ...parts];
const styles = ['tokens.css', 'parts.css', 'graphiql.css'];

/** What the package has of GraphiQL, apart from each other. */
interface Bundle {
  readonly css: string;
  readonly js: string;
  readonly editorWorkerService: string;
  readonly jsonWorker: string;
  readonly graphqlWorker: string;
}

/** The files of the page. */
export const assetNames = [
  'graphiql.css',
  'explorer.js',
  'graphiql.js',
  'editor-worker.js',
  'json-worker.js',
  'graphql-worker.js',
] as const;

/** A file of the page: its text, and its type by the end of its name. */
interface Asset {
  readonly name: (typeof assetNames)[number];
  readonly text: string;
}

/** The address of a file of the page. It changes with the text, so that browsers need never ask again. */
function addressOf({ name, text }: Asset): string {
  return `/assets/${name}?${versionOf(text)}`;
}

/** The version of a file, which its address ends with. */
export function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The page and its files. */
interface GraphiqlPage {
  readonly page: PageSource;
  readonly assets: readonly Asset[];
}

/** Writes the page of GraphiQL with its examples. Its files have nine megabytes. */
export async function writeGraphiql(site: SiteContents): Promise<GraphiqlPage> {
  const bundle = (await import(
    new URL('graphiql.js', import.meta.resolve('@graphql-yoga/render-graphiql')).href
  )) as Bundle;
  const workers: readonly Asset[] = [
    { name: 'editor-worker.js', text: bundle.editorWorkerService },
    { name: 'json-worker.js', text: bundle.jsonWorker },
    { name: 'graphql-worker.js', text: bundle.graphqlWorker },
  ];
  const groups = readExamples(site.isSandbox);
  const [editor, json, graphql] = workers.map(addressOf);
  const given = {
    examples: groups.flatMap(({ examples }) => examples),
    workers: { editorWorkerService: editor, json, graphql },
  };
  const own = joinModules(scripts);
  const style: Asset = { name: 'graphiql.css', text: [inTokens(bundle.css), ...styles.map(readOwn)].join('\n') };
  const explorer: Asset = {
    name: 'explorer.js',
    text: `(() => {\nconst given = ${JSON.stringify(given)};\n${own}\nbegin(given);\n})();\n`,
  };
  const program: Asset = {
    name: 'graphiql.js',
    text: `${inTokens(bundle.js)};\nrenderGraphiql(YogaGraphiQL, monaco);\n`,
  };
  const html = `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>Switchboard: GraphiQL</title>
    <link rel="stylesheet" href="${addressOf(style)}" />
    <script defer src="${addressOf(explorer)}"></script>
    <script defer src="${addressOf(program)}"></script>
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    ${writeFrame(site, groups)}
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
  return { page: { html, allowed }, assets: [style, explorer, program, ...workers] };
}

/**
 * GraphiQL writes its colours as parts of `hsl()`, and brings letters of its own. Here its colours are whole, so that `graphiql.css` can
 * give it those of the tokens, and of its letters only its icons are left.
 */
function inTokens(text: string): string {
  return text
    .replaceAll(/@font-face\{font-family:(?:Roboto|Fira Code)[^}]*\}/g, '')
    .replaceAll(/hsl\((var\(--color-\w+\))\)/g, '$1')
    .replaceAll(
      /hsla\((var\(--color-\w+\)),((?:var\([\w-]+\)|[.\d]+))\)/g,
      'color-mix(in srgb,$1 calc($2*100%),transparent)',
    );
}

const sandboxControls = `${sandboxOffers}<button id="sandbox-delivery" type="button">Make a delivery</button>`;

/** Writes what stands around GraphiQL: the header with examples and the key, and the panel of requests. */
function writeFrame({ links, isSandbox, makesDeliveries }: SiteContents, groups: readonly ExampleGroup[]): string {
  const [value, placeholder] = isSandbox ? ['sandbox-key', 'any key'] : ['', 'key of your account'];
  return `<div id="top" class="ours row">
      ${writeHeader(links, '/graphql')}
      <div id="tools" class="row small">
        <button id="examples-open" type="button" popovertarget="examples">Examples</button>
        <nav id="examples" aria-label="Examples" popover>${groups.map(writeGroup).join('')}<section id="lately" hidden><h2 class="quiet">Run lately</h2><ul class="plain"></ul></section></nav>
        <button id="key-open" type="button" popovertarget="key-bar">Key</button>
        <form id="key-bar" class="row" aria-label="Key" popover>
          <label for="key" class="unseen">Key for all tabs</label>
          <input id="key" type="password" value="${value}" placeholder="${placeholder}" autocomplete="off" spellcheck="false" />
          <button id="key-show" type="button" aria-pressed="false">Show</button>
          <label><input id="key-remember" type="checkbox" aria-label="Remember on this device" /> Remember</label>
          ${makesDeliveries ? sandboxControls : ''}
        </form>
        <span id="panel-buttons" class="row">
          <button id="panel-news" type="button" hidden></button>
          <button id="panel-toggle" type="button" aria-expanded="false" aria-controls="request-panel">Explain</button>
        </span>
      </div>
    </div>
    <main>
      <h1 class="unseen">GraphiQL</h1>
      <p class="ours"><span id="key-state" class="bad" role="status"></span> <span id="sandbox-state" role="status"></span></p>
      <p id="schema-notice" class="ours bad" role="status"></p>
      <div id="workbench">
        <div id="root"></div>
        <div id="panel-bar" role="separator" aria-label="Height of the requests" aria-controls="request-panel" aria-valuemin="15" aria-valuemax="85" tabindex="0" hidden></div>
        <aside id="request-panel" class="ours small" aria-label="Requests" hidden></aside>
      </div>
    </main>`;
}

function writeGroup({ title, examples }: ExampleGroup): string {
  const items = examples.map(({ name }) => `<li><button type="button" data-example>${name}</button></li>`);
  return `<section><h2 class="quiet">${title}</h2><ul class="plain">${items.join('')}</ul></section>`;
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

// In the order of the menu: a file of `examples/`, and the name of its group.
const groupTitles = { dashboard: 'Begin here', charges: 'Charges', lists: 'Lists', responses: 'Answers' };
// The sandbox delays the breakdown for this key, so that users see the pieces come one after another.
const slowHeaders = JSON.stringify({ Authorization: 'Bearer slow-breakdown-key' }, null, 2);

/**
 * Reads the examples of `examples/*.graphql`. Each begins with a comment, whose first line is its name. Its variables have defaults, so
 * that it runs as it is.
 */
function readExamples(isSandbox: boolean): ExampleGroup[] {
  return Object.entries(groupTitles).map(([file, title]) => {
    const queries = readOwn(`examples/${file}.graphql`)
      .trimEnd()
      .split(/\n\n(?=#)/);
    const examples = queries.map((query) => {
      const [, name = ''] = /^# (.*)$/m.exec(query) ?? [];
      return { name, query, ...(isSandbox && /^query Pieces/m.test(query) && { headers: slowHeaders }) };
    });
    return { title, examples };
  });
}
