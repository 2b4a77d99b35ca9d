import { readFile } from 'node:fs/promises';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import guides from '../generated/guides.json' with { type: 'json' };
import { writeCard, writeLink, writePage, type SiteContents, type SitePlace } from './layout.ts';
import { createPage, once, type PageSource } from './page.ts';

/**
 * Serves the guides, which `npm run codegen` renders of the documents in docs/README.md: as pages to those who prefer HTML, and as the
 * Markdown of their files to all others. What all of them say is JSON at `/docs`, by section.
 */
export function createGuides(contents: SiteContents, chooseCoding: ChooseCoding): Endpoints {
  const write = (path: string, title: string, html: string, headings = ''): PageSource =>
    writePage(contents, {
      title: `Switchboard: ${title}`,
      path: '/docs',
      main: `<div class="guides">\n${writeSidebar(path, headings)}\n<article>\n${html}</article>\n</div>`,
      script: 'guide.js',
      allowed: { 'connect-src': "'self'" },
    });
  const handlers = guides.map(({ path, name, html, headings }) => {
    const page = createPage(() => write(path, name, html, headings), chooseCoding);
    const file = new URL(`../..${path}`, import.meta.url);
    const readText = once(async () => createKeptText(await readFile(file), chooseCoding, 'no-cache'));
    const handle: Handler = async (request) => {
      const type = preferredType(request.req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? page(request) : (await readText())(request.req, request.res, type);
    };
    return [path, readOnly(handle)] as const;
  });
  const sections = guides.flatMap(({ path, name, sections: own }) =>
    own.map(({ anchor, title, text }) => ({ path: `${path}#${anchor}`, guide: name, title, text })),
  );
  const sendSections = createKeptText(Buffer.from(JSON.stringify(sections)), chooseCoding, 'no-cache');
  const overview = `<h1>Guides</h1>\n${writeGroups('columns plain', writeCard)}`;
  const overviewPage = createPage(() => write('/docs', 'guides', overview), chooseCoding);
  const root: Handler = async (request) =>
    request.takesPage ? overviewPage(request) : sendSections(request.req, request.res, 'application/json');
  return { '/docs': readOnly(root), ...Object.fromEntries(handlers) };
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(current: string, headings: string): string {
  const write = (guide: SitePlace): string => writeLink(guide, current, `<ul class="plain small">${headings}</ul>`);
  return `<div class="sidebar">
<search>
  <label for="sought">Search the guides<input id="sought" type="search" autocomplete="off" spellcheck="false" /></label>
  <p id="search-found" class="quiet small" role="status"></p>
  <ol id="search-results" class="plain"></ol>
</search>
<details id="all-guides"><summary class="quiet">All guides</summary><nav aria-label="Guides">${writeGroups('plain', write)}</nav></details>
</div>`;
}

function writeGroups(list: string, write: (guide: SitePlace) => string): string {
  return [...Map.groupBy(guides, ({ group }) => group)]
    .map(([group, members]) => `<h2>${group}</h2>\n<ul class="${list}">${members.map(write).join('\n')}</ul>`)
    .join('\n');
}
