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
  const schemaPlaces: readonly SitePlace[] = [
    { path: '/voyager', name: 'Voyager', about: 'The schema as a picture.' },
    { path: '/schema.graphql', name: 'Schema', about: 'The schema in SDL, for code generators.' },
  ];
  const sandbox: SitePlace = {
    path: '/sandbox',
    name: 'Sandbox',
    about: 'Accounts and faults by key, deliveries on demand, and the clock.',
  };
  const guides = listGuides(hasTools);
  return [
    {
      path: '/graphql',
      name: 'GraphiQL',
      about: 'Write and run queries, with examples in a menu and the whole schema beside.',
    },
    ...(hasSchema ? schemaPlaces : []),
    // An installation may lack its documents.
    ...(guides.length > 0 ? [{ ...guidePlace, guides }] : []),
    ...(isMovable ? [sandbox] : []),
  ];
}

const guidePlace = {
  path: '/docs',
  name: 'Guides',
  about: 'What a schema cannot say: errors, cursors, live data, limits. A page for each client, and tools for agents.',
} as const;

/** Lists the documents for clients that are installed, by their paths. */
function listGuides(hasTools: boolean): readonly string[] {
  const folder = '/docs/clients/';
  const onClients = existsSync(guideFile(folder)) ? readdirSync(guideFile(folder)).sort() : [];
  const all = [
    '/docs/client-guide.md',
    ...(hasTools ? ['/docs/agents.md'] : []),
    ...onClients.map((name) => folder + name),
  ];
  return all.filter((path) => existsSync(guideFile(path)));
}

/** The paths of the documents that are served. */
export function guidePaths(links: readonly SitePlace[]): readonly string[] {
  return links.flatMap(({ guides = [] }) => guides);
}

/** The file of a document for clients. */
export function guideFile(path: string): URL {
  return new URL(`../..${path}`, import.meta.url);
}

/** The sign of Switchboard as an SVG, for pages and the tabs of browsers. */
const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="#d64292" ' +
  'stroke-width="2" stroke-linecap="round"><circle cx="5" cy="6" r="2"/><circle cx="5" cy="18" r="2"/>' +
  '<circle cx="19" cy="12" r="2"/><path d="M7 6h3c4 0 3 6 7 6M7 18h3c4 0 3-6 7-6"/></svg>';

/** The sign as a data address, so that no browser requests an icon. */
export const icon = `data:image/svg+xml,${encodeURIComponent(mark)}`;

/**
 * Writes the header that all pages share, as HTML; `header.css` is its style. `current` is the path of the page that it stands on. On a
 * narrow screen the places of a folded header are a menu.
 */
export function writeHeader(links: readonly SitePlace[], current: string, isFolded = false): string {
  const items = links.map(({ path, name }) => {
    const state = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${state}>${name}</a></li>`;
  });
  return `<header class="site-header">
      <a href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')}<span>Switchboard</span></a>
      ${isFolded ? '<button id="places-open" type="button" popovertarget="places">Menu</button>' : ''}
      <nav aria-label="Places"${isFolded ? ' id="places" popover' : ''}>
        <ul>${items.join('')}</ul>
      </nav>
    </header>`;
}

/** A page of the site: what stands within the frame that all of them share. */
export interface SitePage {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The text of its script, where it has one. */
  readonly script?: string;
  readonly links: readonly SitePlace[];
  readonly version: string;
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
  const style = [...['tokens.css', 'header.css', 'site.css'].map(readOwn), page.style ?? ''].join('\n');
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="${icon}" />
    <style>${style}</style>
  </head>
  <body>
    ${writeHeader(links, path)}
    <main>
${main}
    </main>
    <footer>Switchboard ${version}</footer>
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

/** Whether the pages may move an embedded sandbox. */
export function hasSandbox(links: readonly SitePlace[]): boolean {
  return links.some(({ path }) => path === '/sandbox');
}

/** Joins modules of this folder to one script. Each stands behind those that it imports. */
export function joinModules(names: readonly string[]): string {
  const text = names.map(readOwn).join('\n');
  return text.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, '');
}

/** Reads a file of this folder. */
export function readOwn(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
