import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { icon, type PageSource } from './page.ts';
import { writeHeader } from './site-header.ts';
import type { SitePlace } from './site-places.ts';

/** A page of the site: what stands within the frame that all of them share. */
export interface SitePage {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The text of its script; empty where it has none. */
  readonly script: string;
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
export async function writeSitePage(page: SitePage): Promise<PageSource> {
  const { title, main, script, links, version, path = '/', sendsRequests = false } = page;
  const shared = await Promise.all(['site-header.css', 'site.css'].map(readOwn));
  const style = [...shared, page.style ?? ''].join('\n');
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

/** Reads a file of this folder. */
export function readOwn(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}
