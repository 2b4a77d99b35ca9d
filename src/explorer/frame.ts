import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { PageSource } from './page.ts';

/** A place of this gateway that a page leads to. */
export interface SitePlace {
  readonly path: string;
  readonly name: string;
  /** One sentence. */
  readonly about: string;
  /** The paths of the documents that it leads on to; absent where there are none. */
  readonly guides?: readonly string[];
}

/** What the pages say of their gateway. */
export interface SiteContents {
  readonly version: string;
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in fields from the beginning. */
  readonly isSandbox: boolean;
  /** The places that the pages lead to. */
  readonly links: readonly SitePlace[];
}

export interface PlaceOptions {
  /** Whether clients may read the schema. */
  readonly hasSchema: boolean;
  /** Whether there are tools for agents. */
  readonly hasTools: boolean;
  /** Whether the embedded sandbox stands in for the API; absent means no. */
  readonly hasSandbox?: boolean;
}

/** Lists the places that pages lead to. Pages lead only to what there is. */
export function listPlaces({ hasSchema, hasTools, hasSandbox: isMovable = false }: PlaceOptions): readonly SitePlace[] {
  const guides = listGuides(hasTools);
  const about = {
    graphiql: 'Write and run queries, with examples in a menu and the whole schema beside.',
    guides:
      'What a schema cannot say: errors, cursors, live data, limits. A page for each client, and tools for agents.',
    sandbox: 'Accounts and faults by key, deliveries on demand, and the clock.',
  };
  const schema: readonly SitePlace[] = [
    { path: '/voyager', name: 'Voyager', about: 'The schema as a picture.' },
    { path: '/schema.graphql', name: 'Schema', about: 'The schema in SDL, for code generators.' },
  ];
  return [
    { path: '/graphql', name: 'GraphiQL', about: about.graphiql },
    ...(hasSchema ? schema : []),
    // An installation may lack its documents.
    ...(guides.length > 0 ? [{ path: '/docs', name: 'Guides', about: about.guides, guides }] : []),
    ...(isMovable ? [{ path: '/sandbox', name: 'Sandbox', about: about.sandbox }] : []),
  ];
}

/** Lists the documents for clients that are installed, by their paths. */
function listGuides(hasTools: boolean): readonly string[] {
  const folder = '/docs/clients/';
  const onClients = existsSync(guideFile(folder)) ? readdirSync(guideFile(folder)).sort() : [];
  const all = ['client-guide.md', ...(hasTools ? ['agents.md'] : [])].map((name) => `/docs/${name}`);
  return [...all, ...onClients.map((name) => folder + name)].filter((path) => existsSync(guideFile(path)));
}

/** The paths of the documents that are served. */
export function guidePaths(links: readonly SitePlace[]): readonly string[] {
  return links.flatMap(({ guides = [] }) => guides);
}

/** The file of a document for clients. */
export function guideFile(path: string): URL {
  return new URL(`../..${path}`, import.meta.url);
}

/** Whether the pages may move an embedded sandbox. */
export function hasSandbox(links: readonly SitePlace[]): boolean {
  return links.some(({ path }) => path === '/sandbox');
}

/** Reads a file of this folder. */
export function readOwn(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** Joins modules of this folder to one script. Each stands behind those that it imports. */
export function joinModules(names: readonly string[]): string {
  const text = names.map(readOwn).join('\n');
  return text.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, '');
}

/** The sign of Switchboard. */
const mark = readOwn('mark.svg').trim();

/** What stands in the head of all pages, but for their title. The sign is a data address, so that no browser requests an icon. */
export const head = `<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}" />`;

/** Writes the header that all pages share, as HTML. `current` is the path of the page that it stands on. */
export function writeHeader(links: readonly SitePlace[], current: string): string {
  const items = links.map(({ path, name }) => {
    const state = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${state}>${name}</a></li>`;
  });
  return `<header class="site-header">
      <a class="row" href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')}<span>Switchboard</span></a>
      <button id="places-open" type="button" popovertarget="places">Menu</button>
      <nav aria-label="Places" id="places" popover><ul class="plain">${items.join('')}</ul></nav>
    </header>`;
}

/** Accounts and faults of the sandbox beside a key, which a script fills in. */
export const sandboxOffers = `<span id="offers">${['Account', 'Fault']
  .map((name) => `<select disabled aria-label="${name} of the sandbox"></select>`)
  .join(' ')}</span>`;

/** A page of the site: what stands within the frame that all of them share. */
export interface SitePage extends Pick<SiteContents, 'version' | 'links'> {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The text of its script, where it has one. */
  readonly script?: string;
  /** The path that the page stands on; absent where the header does not lead to it. */
  readonly path?: string;
  /** The text of a style of its own, besides those that all pages share. */
  readonly style?: string;
  /** Whether its script sends requests, which may go to the page's own origin alone. */
  readonly sendsRequests?: boolean;
}

/** Writes a page with its frame. It holds everything that it needs. */
export function writeSitePage(page: SitePage): PageSource {
  const { title, main, script = '', links, version, path = '/', sendsRequests = false } = page;
  const style = [...['tokens.css', 'parts.css', 'site.css'].map(readOwn), page.style ?? ''].join('\n');
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body class="ours">
    ${writeHeader(links, path)}
    <main>
${main}
    </main>
    <footer class="quiet">Switchboard ${version}</footer>
    ${script === '' ? '' : `<script>${script}</script>`}
  </body>
</html>
`,
    script,
    allowed: {
      'style-src': `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      'img-src': 'data:',
      ...(sendsRequests && { 'connect-src': "'self'" }),
    },
  };
}
