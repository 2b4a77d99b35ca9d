import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { writeCard, writePage, type SiteContents, type SitePlace } from './layout.ts';
import { escapeHtml, renderMarkdown, type Rendered, type Section } from './markdown.ts';
import { createPage, once, type PageSource } from './page.ts';

/** A path with an anchor leads to a part of a document that stands elsewhere as a whole. */
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
  const guides = groups.flatMap((text) => {
    const [group = ''] = text.split('\n');
    return [...text.matchAll(/^- \[(.*?)\]\((.*?)\): (.*)$/gm)].map(([, name = '', path = '', about = '']) => ({
      group,
      path: `/docs/${path}`,
      name,
      about,
    }));
  });
  return guides.filter(({ path }) => hasTools || path !== '/docs/agents.md');
}

/**
 * Serves the guides: as pages to those who prefer HTML, and as the Markdown of their files to all others. What all of them say is JSON
 * at `/docs`, by section.
 */
export function createGuides(contents: SiteContents, hasTools: boolean, chooseCoding: ChooseCoding): Endpoints {
  const guides = listGuides(hasTools);
  if (guides.length === 0) return {};
  const documents = guides.filter(({ path }) => !path.includes('#'));
  const served = documents.map(({ path }) => path);
  const write = (path: string, title: string, { html, sections }: Rendered): PageSource =>
    writePage(contents, {
      title: `Switchboard: ${title}`,
      path: '/docs',
      main: `<div class="guides">
${writeSidebar(guides, path, sections)}
<article>
${html}</article>
</div>`,
      script: 'guide.js',
      allowed: { 'connect-src': "'self'" },
    });

  const pages = documents.map(({ path, name }) => {
    const readFrom = (): Promise<Buffer> => readFile(fileOf(path));
    const rendered = once(async () => renderMarkdown(String(await readFrom()), path, served));
    const readText = once(async () => createKeptText(await readFrom(), chooseCoding, 'no-cache'));
    const page = createPage(async () => write(path, name, await rendered()), chooseCoding);
    const handle: Handler = async (request, fail) => {
      const { req, res } = request;
      const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? page(request, fail) : (await readText())(req, res, type);
    };
    return { path, name, rendered, handle: readOnly(handle) };
  });
  const readSections = once(async () => {
    const all: object[] = [];
    for (const { path, name, rendered } of pages) {
      const { sections } = await rendered();
      all.push(...sections.map(({ anchor, title, text }) => ({ path: `${path}#${anchor}`, guide: name, title, text })));
      // Others have their turn: all guides together take long.
      await setImmediate();
    }
    return createKeptText(Buffer.from(JSON.stringify(all)), chooseCoding, 'no-cache');
  });
  const overview = { html: `<h1>Guides</h1>\n${writeGroups(guides, 'cards row plain', writeCard)}`, sections: [] };
  const overviewPage = createPage(() => write('/docs', 'guides', overview), chooseCoding);
  const root: Handler = async (request, fail) =>
    request.takesPage
      ? overviewPage(request, fail)
      : (await readSections())(request.req, request.res, 'application/json');
  return { '/docs': readOnly(root), ...Object.fromEntries(pages.map(({ path, handle }) => [path, handle])) };
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(guides: readonly Guide[], current: string, sections: readonly Section[]): string {
  const parts = sections
    .filter(({ depth }) => depth === 2)
    .map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
  const write = ({ path, name }: Guide): string =>
    path === current
      ? `<li><a href="${path}" aria-current="page">${name}</a><ul class="plain small">${parts.join('')}</ul></li>`
      : `<li><a href="${path}">${name}</a></li>`;
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
  const groups = Map.groupBy(guides, ({ group }) => group);
  const parts = [...groups].map(
    ([group, all]) => `<h2>${group}</h2>\n<ul class="${list}">${all.map(write).join('\n')}</ul>`,
  );
  return parts.join('\n');
}
