import { readFileSync } from 'node:fs';
import { isPageRequest, readOnly, sendJson, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { addVary } from '../http/response/cache-headers.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { guideFile, guidePaths, type SiteContents } from './frame.ts';
import { assetNames, packPage, sectionsPath, sendPage, type PackedPage, type PageSource } from './page.ts';
import type { PageServer } from './page-server.ts';
import { writeHome, writeNotFound, writeSandbox } from './site-pages.ts';

export interface SiteOptions extends SiteContents {
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  /** Null where browsers get what every client gets. */
  readonly pages: PageServer | null;
  readonly chooseCoding: ChooseCoding;
  /** The other endpoints of the port. */
  readonly endpoints: Endpoints;
}

/** The first page of the gateway, and what it gives to those who are lost. */
export interface Site {
  readonly endpoints: Endpoints;
  /** Responds with a page for an unknown address; null where browsers get no pages. */
  readonly sendNotFound: Handler | null;
}

/** Creates the site of one port. */
export function createSite(options: SiteOptions): Site {
  const { version, isSandbox, isReady, pages, endpoints } = options;
  const own = pages === null ? {} : { ...createGuides(pages, options), ...createAssets(pages) };

  const describe: Handler = ({ res }) => {
    addVary(res, 'accept');
    return sendJson(res, 200, {
      name: 'switchboard',
      version,
      upstream: isSandbox ? 'sandbox' : 'api',
      status: isReady() ? 'ready' : 'stopping',
      endpoints: Object.keys({ ...endpoints, ...own }).sort(),
    });
  };

  if (pages === null) return { endpoints: { '/': readOnly(describe) }, sendNotFound: null };
  const describeSandbox = endpoints['/sandbox'];
  const notFound = packedOnce(() => writeNotFound(options));
  return {
    endpoints: {
      ...own,
      '/': readOnly(forBrowsers(() => writeHome(options), describe)),
      ...(describeSandbox && { '/sandbox': forBrowsers(() => writeSandbox(options), describeSandbox) }),
    },
    sendNotFound: ({ req, res, exchange }) => {
      exchange.record.noteErrors(['NOT_FOUND']);
      return sendPage(req, res, notFound(), vary, 404);
    },
  };
}

const vary = 'accept, accept-encoding';

/** Serves a page to browsers, and to all others what another handler sends. */
function forBrowsers(write: () => PageSource, others: Handler): Handler {
  const page = packedOnce(write);
  return (request) => (isPageRequest(request.req) ? sendPage(request.req, request.res, page(), vary) : others(request));
}

/** A page that is written and compressed when somebody asks for it: few processes are ever asked for all. */
function packedOnce(write: () => PageSource): () => PackedPage {
  let page: PackedPage | null = null;
  return () => (page ??= packPage(write()));
}

/** Serves the files of GraphiQL's page. */
function createAssets({ asset }: PageServer): Endpoints {
  return Object.fromEntries(assetNames.map((name) => [`/assets/${name}`, readOnly(asset)]));
}

/**
 * Serves the guides for clients: as a page to those who prefer HTML, and as the Markdown of their files to all others. What all of them
 * say is JSON at `/docs`.
 */
function createGuides({ guide }: PageServer, { links, chooseCoding }: SiteOptions): Endpoints {
  const paths = guidePaths(links);
  const [overview, sections] = [guide('/docs'), guide(sectionsPath)];
  const root: Handler = (request) => (isPageRequest(request.req) ? overview(request) : sections(request));
  const guides = paths.map((path) => {
    const sendMarkdown = createKeptText(readFileSync(guideFile(path)), chooseCoding, 'no-cache');
    const sendGuide = guide(path);
    const handle: Handler = (request) => {
      const { req, res } = request;
      const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? sendGuide(request) : sendMarkdown(req, res, type);
    };
    return [path, readOnly(handle)] as const;
  });
  return { ...(paths.length > 0 && { '/docs': readOnly(root) }), ...Object.fromEntries(guides) };
}
