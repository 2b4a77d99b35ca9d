import type { PageSource } from './page.ts';
import { writeSitePage } from './site-frame.ts';
import { isGuide, type SitePlace } from './site-places.ts';

export interface GuidePageOptions {
  readonly path: string;
  readonly markdown: string;
  readonly version: string;
  readonly links: readonly SitePlace[];
}

/** Writes a guide for clients as a page. */
export async function writeGuide({ path, markdown, version, links }: GuidePageOptions): Promise<PageSource> {
  // Most processes are never asked for a guide as a page, and do without the library.
  const { renderMarkdown } = await import('./markdown.ts');
  const served = links.filter(isGuide).map((guide) => guide.path);
  const { title, html } = renderMarkdown(markdown, { path, served });
  return writeSitePage({
    title: `Switchboard: ${title}`,
    main: `<article class="guide">\n${html}</article>`,
    script: '',
    style: 'guide.css',
    links,
    version,
    path,
  });
}
