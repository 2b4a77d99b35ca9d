import type { GuideSource, RenderedMarkdown } from './markdown.ts';
import type { PageSource } from './page.ts';
import { runProgram } from './program-run.ts';
import { readOwn, writeSitePage } from './site-frame.ts';
import { isGuide, type SitePlace } from './site-places.ts';

export interface GuidePageOptions {
  readonly path: string;
  readonly markdown: string;
  readonly version: string;
  readonly links: readonly SitePlace[];
}

/**
 * Writes a guide for clients as a page. A process of its own renders it: the work takes forty milliseconds, for which nobody else
 * would be served.
 */
export async function writeGuide({ path, markdown, version, links }: GuidePageOptions): Promise<PageSource> {
  const source: GuideSource = { markdown, path, served: links.filter(isGuide).map((guide) => guide.path) };
  const rendered = await runProgram('guide-program.ts', source);
  const { title, html } = JSON.parse(rendered.toString()) as RenderedMarkdown;
  return writeSitePage({
    title: `Switchboard: ${title}`,
    main: `<article class="guide">\n${html}</article>`,
    script: '',
    style: await readOwn('guide.css'),
    links,
    version,
    path,
  });
}
