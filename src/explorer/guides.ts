import { readFileSync } from 'node:fs';
import { guideFile, guidePaths, joinModules, readOwn, writeSitePage, type SiteContents } from './frame.ts';
import { renderMarkdown, type Heading } from './markdown.ts';
import type { PageSource } from './page.ts';

/** What a guide says below one heading. */
interface GuideSection {
  /** With the anchor. */
  readonly path: string;
  /** The title of the guide. */
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}

interface Guide {
  readonly path: string;
  /** HTML without tags, as all headings. */
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
}

interface Guides {
  /** Pages by path, that of all guides at `/docs`. */
  readonly pages: Readonly<Record<string, PageSource>>;
  readonly sections: readonly GuideSection[];
}

/** Writes a page for each guide, and the page that leads to them. */
export function writeGuides({ version, links }: SiteContents): Guides {
  const served = guidePaths(links);
  const guides = served.map((path): Guide => {
    const { headings, html } = renderMarkdown({ markdown: readFileSync(guideFile(path), 'utf8'), path, served });
    return { path, title: headings[0]?.text ?? '', headings, html };
  });
  const write = (path: string, title: string, html: string): PageSource =>
    writeSitePage({
      version,
      links,
      title: `Switchboard: ${title}`,
      path: '/docs',
      style: readOwn('guide.css'),
      script: joinModules(['views.js', 'guide.js']),
      sendsRequests: true,
      main: `<div class="guides">\n${writeSidebar(guides, path)}\n<article class="guide">\n${html}</article>\n</div>`,
    });
  return {
    pages: {
      '/docs': write('/docs', 'guides', writeOverview(guides)),
      ...Object.fromEntries(guides.map(({ path, title, html }) => [path, write(path, title, html)])),
    },
    sections: guides.flatMap(listSections),
  };
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(guides: readonly Guide[], current: string): string {
  const items = guides.map((guide) => {
    const isCurrent = guide.path === current;
    const headings = isCurrent ? guide.headings.filter(({ depth }) => depth === 2) : [];
    const parts = headings.map(({ anchor, text }) => `<li><a href="#${anchor}">${text}</a></li>`).join('');
    const state = isCurrent ? ' aria-current="page"' : '';
    return `<li><a href="${guide.path}"${state}>${guide.title}</a>${parts === '' ? '' : `<ul class="plain small">${parts}</ul>`}</li>`;
  });
  return `<div class="sidebar">
<search>
  <label for="sought">Search the guides<input id="sought" type="search" autocomplete="off" spellcheck="false" /></label>
  <p id="found" class="quiet small" role="status"></p>
  <ol id="results" class="plain"></ol>
</search>
<details id="contents"><summary class="quiet">All guides</summary><nav aria-label="Guides"><ul class="plain">${items.join('\n')}</ul></nav></details>
</div>`;
}

/** The first paragraph of each guide below its title. */
function writeOverview(guides: readonly Guide[]): string {
  const items = guides.map(({ path, title, headings }) => {
    const parts = headings.filter(({ depth }) => depth === 2);
    const links = parts.map(({ anchor, text }) => `<a href="${path}#${anchor}">${text}</a>`).join(' · ');
    return `<h2><a href="${path}">${title}</a></h2>\n<p>${links}</p>`;
  });
  return `<h1>Guides</h1>\n${items.join('\n')}\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The text of HTML in one line. */
function textOf(html: string): string {
  const text = html.replaceAll(/<\/?(?:code|span|a|em|strong)\b[^>]*>/g, '').replaceAll(/<[^>]*>/g, ' ');
  return text
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function listSections({ path, title, headings, html }: Guide): readonly GuideSection[] {
  // What stands above the first heading is nothing.
  const [, ...bodies] = html.split(/<h\d id="[^"]*">/);
  return headings.map(({ anchor, text }, at) => ({
    path: `${path}#${anchor}`,
    guide: textOf(title),
    title: textOf(text),
    text: textOf((bodies[at] ?? '').replace(/^.*<\/h\d>/, '')),
  }));
}
