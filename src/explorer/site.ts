import { readFileSync } from 'node:fs';
import { readOnly, sendJson, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType, readAccept } from '../http/request/media-types.ts';
import { addVary } from '../http/response/caching.ts';
import { type ChooseCoding, createKeptText } from '../http/response/compression.ts';
import { guideFile, isGuide, readOwn, writeSitePage, type SitePlace } from './frame.ts';
import { keepPage, sendPage, type PageSource } from './page.ts';
import { renderGuide } from './page-server.ts';

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
  const { version, isSandbox, isReady, hasPages, endpoints } = options;
  const own: Endpoints = hasPages ? createGuides(options) : {};
  const served = { ...endpoints, ...own };
  const home = keepPage(() => writeHome(options));
  const notFound = keepPage(() => writeNotFound(options));

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

const query = `{
  chargesSummary(
    startDate: "2026-10-01"
    endDate: "2026-11-01"
  ) {
    currency
    total { grandTotal }
  }
  ipConnections(first: 2) {
    totalCount
    nodes { connectionName }
  }
}`;

/** Writes the page that leads on from the root: what this is, its state, where to go, and a query to try. */
async function writeHome({ version, isSandbox, links }: SiteOptions): Promise<PageSource> {
  return writeSitePage({
    title: 'Switchboard: GraphQL over a telephony API',
    links,
    version,
    script: await readOwn('home.js'),
    sendsRequests: true,
    main: `
<h1>One GraphQL endpoint over a telephony API</h1>
<p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations,
live deliveries, and every value as the API sent it. Send queries to <code>POST /graphql</code> with your own key.</p>
<dl class="facts">
  <div><dt>State</dt><dd><span id="state" role="status">…</span></dd></div>
  <div><dt>Upstream</dt><dd>${isSandbox ? 'sandbox' : 'api'}</dd></div>
  <div><dt>Version</dt><dd>${version}</dd></div>
</dl>
<h2>Where to go</h2>
<ul class="cards">${writeCards(links)}</ul>
<h2>Try it</h2>
<form id="try">
  <label for="key">Your key<input id="key" type="${isSandbox ? 'text' : 'password'}" autocomplete="off" spellcheck="false" placeholder="${
    isSandbox ? 'any key' : 'key of your account'
  }" value="${isSandbox ? 'sandbox-key' : ''}" /></label>
  <button type="submit">Run the query</button>
</form>
<p class="quiet">${
      isSandbox
        ? 'The sandbox takes any key, and its data is made up.'
        : 'The key goes to the API with this request, and is kept nowhere.'
    } <span id="outcome" role="status"></span></p>
<div class="pair">
  <pre id="query" tabindex="0" role="region" aria-label="Query">${query}</pre>
  <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
</div>
<noscript><p>Without JavaScript, send the query yourself, as the README shows.</p></noscript>`,
  });
}

const closed =
  '<p>This gateway does not show its schema (<code>INTROSPECTION=false</code>), so it has no Voyager and no SDL.</p>\n';

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
function writeNotFound({ version, links }: SiteOptions): Promise<PageSource> {
  const isClosed = !links.some(({ path }) => path === '/schema.graphql');
  return writeSitePage({
    title: 'Switchboard: not found',
    links,
    version,
    script: '',
    main: `
<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>, or go to one of these:</p>
${isClosed ? closed : ''}<ul class="cards">${writeCards(links)}</ul>`,
  });
}

function writeCards(links: readonly SitePlace[]): string {
  return links
    .map(({ path, name, about }) => `<li><a href="${path}">${name}</a><p class="quiet">${about}</p></li>`)
    .join('');
}

/** Serves the guides for clients: as a page to those who prefer HTML, and as the Markdown of their files to all others. */
function createGuides(options: SiteOptions): Endpoints {
  return Object.fromEntries(options.links.filter(isGuide).map(({ path }) => [path, serveGuide(path, options)]));
}

function serveGuide(path: string, options: SiteOptions): Handler {
  const markdown = readFileSync(guideFile(path));
  const sendMarkdown = createKeptText(markdown, options.chooseCoding, 'no-cache');
  const page = keepPage(() => writeGuide(path, markdown.toString(), options));
  return readOnly(async ({ req, res }) => {
    const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
    if (type === 'text/html') return sendPage(req, res, await page(), 'accept, accept-encoding');
    return sendMarkdown(req, res, type);
  });
}

async function writeGuide(path: string, markdown: string, { version, links }: SiteOptions): Promise<PageSource> {
  const served = links.filter(isGuide).map((guide) => guide.path);
  const { title, html } = await renderGuide({ markdown, path, served });
  return writeSitePage({
    title: `Switchboard: ${title}`,
    main: `<article class="guide">\n${html}</article>`,
    script: '',
    links,
    version,
    path,
  });
}
