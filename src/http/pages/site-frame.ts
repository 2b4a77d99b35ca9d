import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { icon, mark, type PageSource } from './page.ts';

/** A page of the site: what stands within the frame that all of them share. */
export interface SitePage {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The text of its script; empty where it has none. */
  readonly script: string;
  readonly links: readonly SiteLink[];
  readonly version: string;
}

/** A place of this gateway that a page leads to. */
export interface SiteLink {
  readonly path: string;
  readonly name: string;
  readonly about: string;
}

/** Writes a page with its frame. It holds everything that it needs, and may send requests to its own origin alone. */
export async function writeSitePage({ title, main, script, links, version }: SitePage): Promise<PageSource> {
  const style = await readOwn('site.css');
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
    <header>
      <a href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')}Switchboard</a>
      <nav aria-label="Places">
        <ul>${links.map(({ path, name }) => `<li><a href="${path}">${name}</a></li>`).join('')}</ul>
      </nav>
    </header>
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
      ...(script !== '' && { 'connect-src': "'self'" }),
    },
  };
}

/** Reads a file of this folder. */
export function readOwn(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8');
}
