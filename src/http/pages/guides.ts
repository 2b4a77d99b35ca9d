import { readFileSync } from 'node:fs';
import { readOnly, type Endpoints, type Handler } from '../endpoint.ts';
import { preferredType } from '../request/media-types.ts';
import type { ChooseCoding } from '../response/content-coding.ts';
import { createKeptText } from '../response/kept-text.ts';
import { writeGuide } from './guide-page.ts';
import { keepPage } from './kept-page.ts';
import { sendPage } from './page.ts';
import { guideFile, isGuide, type SitePlace } from './site-places.ts';

export interface GuideOptions {
  readonly version: string;
  readonly chooseCoding: ChooseCoding;
  /** The places that pages lead to, of which the guides are served. */
  readonly links: readonly SitePlace[];
}

/** Serves the guides for clients: as a page to those who prefer HTML, and as the Markdown of their files to all others. */
export function createGuides(options: GuideOptions): Endpoints {
  return Object.fromEntries(options.links.filter(isGuide).map(({ path }) => [path, serveGuide(path, options)]));
}

function serveGuide(path: string, { version, chooseCoding, links }: GuideOptions): Handler {
  const markdown = readFileSync(guideFile(path));
  const sendMarkdown = createKeptText(markdown, chooseCoding, 'no-cache');
  const page = keepPage(() => writeGuide({ path, markdown: markdown.toString(), version, links }));
  return readOnly(async ({ req, res }) => {
    const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
    if (type === 'text/html') return sendPage(req, res, await page(), 'accept, accept-encoding');
    return sendMarkdown(req, res, type);
  });
}
