import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { writeCard, writeLink, writePage, type SiteContents, type SitePlace } from './layout.ts';
import { escapeHtml, renderMarkdown, type Rendered, type Section } from './markdown.ts';
import { createPage, once, type PageSource } from './page.ts';

interface Guide extends SitePlace {
  readonly group: string;
}

function fileOf(path: string): URL {
  return new URL(`../..${path}`, import.meta.url);
}

/** Lists the documents for users that are installed, as `docs/README.md` has them: a list below the heading of each group. */
export function listGuides(hasTools: boolean): readonly Guide[] {
  const file = fileOf('/docs/README.md');
  if (!existsSync(file)) return [];
  const [, ...groups] = readFileSync(file, 'utf8').split(/^## /m);
  const guides = groups.flatMap((text) =>
    [...text.matchAll(/^- \[(.*?)\]\((.*?)\): (.*)$/gm)].map(([, name = '', path = '', about = '']) => ({
      group: text.slice(0, text.indexOf('\n')),
      path: `/docs/${path}`,
      name,
      about: about.replaceAll('`', ''),
    })),
  );
  return guides.filter(({ path }) => hasTools || path !== '/docs/agents.md');
}

/**
 * Serves the guides: as pages to those who prefer HTML, and as the Markdown of their files to all others. What all of them say is JSON
 * at `/docs`, by section.
 */
export function createGuides(contents: SiteContents, hasTools: boolean, chooseCoding: ChooseCoding): Endpoints {
  const guides = listGuides(hasTools);
  if (guides.length === 0) return {};
  const served = guides.map(({ path }) => path);
  const write = (path: string, title: string, { html, sections }: Rendered): PageSource =>
    writePage(contents, {
      title: `Switchboard: ${title}`,
      path: '/docs',
      main: `<div class="guides">\n${writeSidebar(guides, path, sections)}\n<article>\n${html}</article>\n</div>`,
      script: 'guide.js',
      allowed: { 'connect-src': "'self'" },
    });

  const pages = guides.map(({ path, name }) => {
    const readText = once(() => readFile(fileOf(path)));
    const rendered = once(async () => renderMarkdown(String(await readText()), path, served));
    const page = createPage(async () => write(path, name, await rendered()), chooseCoding);
    const text = once(async () => createKeptText(await readText(), chooseCoding, 'no-cache'));
    const handle: Handler = async (request, fail) => {
      const type = preferredType(request.req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? page(request, fail) : (await text())(request.req, request.res, type);
    };
    return { path, name, rendered, handle };
  });
  const all = once(async () => {
    const sections: object[] = [];
    for (const { path, name, rendered } of pages) {
      for (const { anchor, title, text } of (await rendered()).sections)
        sections.push({ path: `${path}#${anchor}`, guide: name, title, text });
      // Others have their turn: all guides together take long.
      await setImmediate();
    }
    return createKeptText(Buffer.from(JSON.stringify(sections)), chooseCoding, 'no-cache');
  });
  const overview = { html: `<h1>Guides</h1>\n${writeGroups(guides, 'columns plain', writeCard)}`, sections: [] };
  const overviewPage = createPage(() => write('/docs', 'guides', overview), chooseCoding);
  const root: Handler = async (request, fail) =>
    request.takesPage ? overviewPage(request, fail) : (await all())(request.req, request.res, 'application/json');
  const handlers = [{ path: '/docs', handle: root }, ...pages];
  return Object.fromEntries(handlers.map(({ path, handle }) => [path, readOnly(handle)]));
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(guides: readonly Guide[], current: string, sections: readonly Section[]): string {
  const shown = sections.filter(({ depth }) => depth === 2);
  const parts = shown.map(({ anchor, title }) => writeLink({ path: `#${anchor}`, name: escapeHtml(title) }, current));
  const below = `<ul class="plain small">${parts.join('')}</ul>`;
  const write = (guide: Guide): string => writeLink(guide, current, below);
  return `<div class="sidebar">
<search>
  <label for="sought">Search the guides<input id="sought" type="search" autocomplete="off" spellcheck="false" /></label>
  <p id="search-found" class="quiet small" role="status"></p>
  <ol id="search-results" class="plain"></ol>
</search>
<details id="all-guides"><summary class="quiet">All guides</summary><nav aria-label="Guides">${writeGroups(guides, 'plain', write)}</nav></details>
</div>`;
}

function writeGroups(guides: readonly Guide[], list: string, write: (guide: Guide) => string): string {
  return [...Map.groupBy(guides, ({ group }) => group)]
    .map(([group, members]) => `<h2>${group}</h2>\n<ul class="${list}">${members.map(write).join('\n')}</ul>`)
    .join('\n');
}
