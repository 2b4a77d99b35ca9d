import { existsSync, readFileSync } from 'node:fs';
import { addVary } from '../response/caching.ts';
import { readOnly, sendJson, type Endpoints, type Handler } from '../endpoint.ts';
import { createCodedText } from '../response/coded-text.ts';
import type { ChooseCoding } from '../response/content-coding.ts';
import { readAccept } from '../request/media-types.ts';
import { writeHome } from './home-page.ts';
import { writeNotFound } from './not-found-page.ts';
import { packPage, sendPage, unpackPage, type PageSource, type ServedPage } from './page.ts';
import type { SiteLink } from './site-frame.ts';

export interface SiteOptions {
  readonly version: string;
  readonly isSandbox: boolean;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  /** Whether browsers get pages; else they get what every client gets. */
  readonly hasPages: boolean;
  readonly chooseCoding: ChooseCoding;
  /** The other endpoints of the port. Pages lead only to what there is. */
  readonly endpoints: Endpoints;
}

/** The first page of the gateway, and what it gives to those who are lost. */
export interface Site {
  readonly endpoints: Endpoints;
  /** Responds with a page for an unknown address; null where browsers get no pages. */
  readonly sendNotFound: Handler | null;
}

const guidePath = '/docs/client-guide.md';
const toolsPath = '/docs/agents.md';

const places: readonly SiteLink[] = [
  {
    path: '/graphql',
    name: 'GraphiQL',
    about: 'Write and run queries, with ready ones in tabs and the whole schema beside.',
  },
  { path: '/voyager', name: 'Voyager', about: 'The schema as a picture.' },
  { path: '/schema.graphql', name: 'Schema', about: 'The schema in SDL, for code generators.' },
  {
    path: guidePath,
    name: 'Client guide',
    about: 'What a schema cannot say: errors, values, cursors, live data, limits.',
  },
  { path: toolsPath, name: 'Tools', about: 'The operations as tools for agents (Model Context Protocol).' },
];

/** Creates the site of one port. */
export function createSite(options: SiteOptions): Site {
  const { version, isSandbox, isReady, hasPages, endpoints } = options;
  const own: Endpoints = hasPages ? createGuides(options) : {};
  const served = { ...endpoints, ...own };
  const links = places.filter(({ path }) => Object.hasOwn(served, path));
  const home = once(() => writeHome({ version, isSandbox, links }));
  const notFound = once(() => writeNotFound(version, links));

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
          sendPage(req, res, await notFound(), 'accept, accept-encoding', 404);
        }
      : null,
  };
}

/** Writes a page at its first request. After a failure, such as a file that cannot be opened for too many connections, the next does. */
function once(write: () => Promise<PageSource>): () => Promise<ServedPage> {
  let page: Promise<ServedPage> | null = null;
  return () => {
    page ??= write()
      .then(packPage)
      .then(unpackPage)
      .catch((error: unknown) => {
        page = null;
        throw error;
      });
    return page;
  };
}

/** The documents for clients, as far as this installation has them. */
function createGuides({ endpoints, chooseCoding }: SiteOptions): Endpoints {
  const paths = [guidePath, ...(Object.hasOwn(endpoints, '/mcp') ? [toolsPath] : [])];
  return Object.fromEntries(
    paths.flatMap((path) => {
      const file = new URL(`../../..${path}`, import.meta.url);
      return existsSync(file) ? [[path, serveGuide(readFileSync(file), chooseCoding)] as const] : [];
    }),
  );
}

/** A browser shows plain text, and would download Markdown. */
function serveGuide(guide: Buffer, chooseCoding: ChooseCoding): Handler {
  const coded = createCodedText(guide, chooseCoding);
  return readOnly(async ({ req, res }) => {
    addVary(res, 'accept, accept-encoding');
    const { body, headers } = await coded(req);
    const type = readAccept(req.headers.accept).takesPage ? 'text/plain' : 'text/markdown';
    res.writeHead(200, { 'cache-control': 'no-store', 'content-type': `${type}; charset=utf-8`, ...headers });
    res.end(body);
  });
}
