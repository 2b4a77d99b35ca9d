import { addVary } from '../response/caching.ts';
import { readOnly, sendJson, type Endpoints, type Handler } from '../endpoint.ts';
import type { ChooseCoding } from '../response/content-coding.ts';
import { readAccept } from '../request/media-types.ts';
import { createGuides } from './guides.ts';
import { writeHome } from './home-page.ts';
import { keepPage } from './kept-page.ts';
import { writeNotFound } from './not-found-page.ts';
import { sendPage } from './page.ts';
import type { SitePlace } from './site-places.ts';

export interface SiteOptions {
  readonly version: string;
  readonly isSandbox: boolean;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  /** Whether browsers get pages; else they get what every client gets. */
  readonly hasPages: boolean;
  readonly chooseCoding: ChooseCoding;
  /** The other endpoints of the port. */
  readonly endpoints: Endpoints;
  /** The places that the pages lead to. Those that are documents are endpoints of the site. */
  readonly links: readonly SitePlace[];
}

/** The first page of the gateway, and what it gives to those who are lost. */
export interface Site {
  readonly endpoints: Endpoints;
  /** Responds with a page for an unknown address; null where browsers get no pages. */
  readonly sendNotFound: Handler | null;
}

/** Creates the site of one port. */
export function createSite(options: SiteOptions): Site {
  const { version, isSandbox, isReady, hasPages, endpoints, links } = options;
  const own: Endpoints = hasPages ? createGuides(options) : {};
  const served = { ...endpoints, ...own };
  const home = keepPage(() => writeHome({ version, isSandbox, links }));
  const notFound = keepPage(() => writeNotFound(version, links));

  function describe(): object {
    return {
      name: 'switchboard',
      version,
      upstream: isSandbox ? 'sandbox' : 'api',
      status: isReady() ? 'ready' : 'stopping',
      endpoints: Object.keys(served).sort(),
    };
  }

  const root = readOnly(async ({ req, res }) => {
    if (hasPages && readAccept(req.headers.accept).takesPage)
      return sendPage(req, res, await home(), 'accept, accept-encoding');
    addVary(res, 'accept');
    return sendJson(res, 200, describe());
  });
  return {
    endpoints: { ...own, '/': root },
    sendNotFound: hasPages
      ? async ({ req, res, exchange }) => {
          exchange.record.noteErrors(['NOT_FOUND']);
          await sendPage(req, res, await notFound(), 'accept, accept-encoding', 404);
        }
      : null,
  };
}
