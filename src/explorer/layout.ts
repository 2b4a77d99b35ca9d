import { readFileSync } from 'node:fs';
import { sourceOf, type PageSource } from './page.ts';

/** A place of this gateway that its pages lead to. */
export interface SitePlace {
  readonly path: string;
  readonly name: string;
  /** One sentence. */
  readonly about: string;
}

/** What the pages say of their gateway. */
export interface SiteContents {
  readonly version: string;
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in fields from the beginning. */
  readonly isSandbox: boolean;
  /** Whether pages may make deliveries of that sandbox. */
  readonly makesDeliveries: boolean;
  /** The places that all pages lead to. */
  readonly links: readonly SitePlace[];
}

/** Reads a file of this folder. */
export function readOwn(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** The sign of Switchboard. */
const mark = readOwn('mark.svg').trim();

/** What stands in the head of all pages, but for their title. The sign is a data address, so that no browser requests an icon. */
export const head = `<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}" />`;

/** Writes the header that all pages share, as HTML. `current` is the path of the page that it stands on. */
export function writeHeader(links: readonly SitePlace[], current: string, more = ''): string {
  const items = links.map(({ path, name }) => {
    const state = path === current ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${state}>${name}</a></li>`;
  });
  return `<header class="site-header">
      <a class="row" href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')}<span>Switchboard</span></a>
      <button id="places-open" type="button" popovertarget="places">Menu</button>
      <nav aria-label="Places" id="places" popover><ul class="plain">${items.join('')}</ul></nav>${more}
    </header>`;
}

/** A page of the site: what stands within the frame that all of them share. */
export interface SitePage {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The module that runs it, a file of the assets; absent where there is none. */
  readonly script?: string;
  /** The path that the page stands on, where the header leads to it. */
  readonly path?: string;
  readonly allowed?: PageSource['allowed'];
}

// It runs before anything is drawn, so that no page begins in other colours.
const theme = readOwn('theme.js');
const themeField = `<select id="theme" aria-label="Theme"><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select>`;

/** Writes a page in its frame. `folder` is that of the assets. */
export function writeSitePage({ version, links }: SiteContents, folder: string, page: SitePage): PageSource {
  const { title, main, script, path = '/', allowed } = page;
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>${title}</title>
    <script>${theme}</script>
    <link rel="stylesheet" href="${folder}site.css" />
    ${script === undefined ? '' : `<script type="module" src="${folder}${script}"></script>`}
  </head>
  <body class="ours">
    ${writeHeader(links, path, themeField)}
    <main>
${main}
    </main>
    <footer class="quiet">Switchboard ${version}</footer>
  </body>
</html>
`,
    allowed: {
      'script-src': `'self' ${sourceOf(theme)}`,
      'style-src': "'self'",
      'img-src': 'data:',
      ...allowed,
    },
  };
}
