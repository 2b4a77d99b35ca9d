import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { writeCard, writePage, type SiteContents, type SitePlace } from './layout.ts';
import { MarkdownDocument, type Heading } from './markdown.ts';
import { createPage, once, type PageSource } from './page.ts';

/** A path with an anchor leads to a part of a document that stands elsewhere as a whole. */
interface Guide extends SitePlace {
  readonly group: string;
}

/** What a guide says below one heading, for the search. */
interface GuideSection {
  /** With the anchor. */
  readonly path: string;
  readonly guide: string;
  readonly title: string;
  readonly text: string;
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
  const write = (path: string, title: string, { html, headings }: Rendered): PageSource =>
    writePage(contents, {
      title: `Switchboard: ${title}`,
      path: '/docs',
      main: `<div class="guides">
${writeSidebar(guides, path, headings)}
<article class="guide">
${html}</article>
</div>`,
      script: 'guide.js',
      allowed: { 'connect-src': "'self'" },
    });

  const pages = documents.map(({ path, name }) => {
    const rendered = once(() => render(path, served));
    const readText = once(async () => createKeptText(await readFile(fileOf(path)), chooseCoding, 'no-cache'));
    const page = createPage(async () => write(path, name, await rendered()), chooseCoding);
    const handle: Handler = async (request, fail) => {
      const { req, res } = request;
      const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? page(request, fail) : (await readText())(req, res, type);
    };
    return { path, name, rendered, handle: readOnly(handle) };
  });
  const sections = once(async () => {
    const all: GuideSection[] = [];
    for (const { path, name, rendered } of pages) all.push(...listSections(path, name, await rendered()));
    return createKeptText(Buffer.from(JSON.stringify(all)), chooseCoding, 'no-cache');
  });
  const overview = { html: `<h1>Guides</h1>\n${writeGroups(guides, 'cards row plain', writeCard)}`, headings: [] };
  const overviewPage = createPage(() => write('/docs', 'guides', overview), chooseCoding);
  const root: Handler = async (request, fail) =>
    request.takesPage ? overviewPage(request, fail) : (await sections())(request.req, request.res, 'application/json');
  return { '/docs': readOnly(root), ...Object.fromEntries(pages.map(({ path, handle }) => [path, handle])) };
}

interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Renders a document. Others have their turn between its parts: a long one takes longer than all of them. */
async function render(path: string, served: readonly string[]): Promise<Rendered> {
  const document = new MarkdownDocument(path, served);
  let html = '';
  for (const part of (await readFile(fileOf(path), 'utf8')).split(/^(?=## )/m)) {
    html += document.render(part);
    await setImmediate();
  }
  return { html, headings: document.headings };
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(guides: readonly Guide[], current: string, headings: readonly Heading[]): string {
  const parts = headings
    .filter(({ depth }) => depth === 2)
    .map(({ anchor, text }) => `<li><a href="#${anchor}">${text}</a></li>`);
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

function listSections(path: string, guide: string, { headings, html }: Rendered): readonly GuideSection[] {
  // What stands above the first heading is nothing.
  const [, ...bodies] = html.split(/<h\d id="[^"]*">/);
  return headings.map(({ anchor, text }, at) => ({
    path: `${path}#${anchor}`,
    guide,
    title: textOf(text),
    text: textOf((bodies[at] ?? '').replace(/^.*<\/h\d>/, '')),
  }));
}

const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
]);

/** The text of HTML in one line. */
function textOf(html: string): string {
  const text = html.replaceAll(/<\/?(?:code|span|a|em|strong)\b[^>]*>/g, '').replaceAll(/<[^>]*>/g, ' ');
  const plain = text.replaceAll(/&[a-z#\d]+;/g, (entity) => entities.get(entity) ?? entity);
  return plain.replaceAll(/\s+/g, ' ').trim();
}
