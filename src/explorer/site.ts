import { readFileSync } from 'node:fs';
import { isPageRequest, readOnly, sendJson, type Endpoints, type Handler } from '../http/endpoint.ts';
import { preferredType } from '../http/request/media-types.ts';
import { addVary } from '../http/response/headers.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import { guideFile, guidePaths, hasSandbox, joinModules, writeSitePage, type SitePlace } from './frame.ts';
import { packPage, sendPage, type PageSource } from './page.ts';
import type { PageServer } from './page-server.ts';

export interface SiteOptions {
  readonly version: string;
  readonly isSandbox: boolean;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  /** Null where browsers get what every client gets. */
  readonly pages: PageServer | null;
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
  const { version, isSandbox, isReady, pages, endpoints } = options;
  const own = pages === null ? {} : { ...createGuides(pages, options), ...createAssets(pages) };
  const served = { ...endpoints, ...own };

  function describe(): object {
    return {
      name: 'switchboard',
      version,
      upstream: isSandbox ? 'sandbox' : 'api',
      status: isReady() ? 'ready' : 'stopping',
      endpoints: Object.keys(served).sort(),
    };
  }

  const sendDescription: Handler = ({ res }) => {
    addVary(res, 'accept');
    return sendJson(res, 200, describe());
  };
  if (pages === null) return { endpoints: { '/': readOnly(sendDescription) }, sendNotFound: null };
  const home = packPage(writeHome(options));
  const sandbox = packPage(writeSandbox(options));
  const describeSandbox = endpoints['/sandbox'];
  const notFound = packPage(writeNotFound(options));
  const root: Handler = (request) =>
    isPageRequest(request.req) ? sendPage(request.req, request.res, home, vary) : sendDescription(request);
  return {
    endpoints: {
      ...own,
      '/': readOnly(root),
      ...(describeSandbox && {
        '/sandbox': (request) =>
          isPageRequest(request.req) ? sendPage(request.req, request.res, sandbox, vary) : describeSandbox(request),
      }),
    },
    sendNotFound: ({ req, res, exchange }) => {
      exchange.record.noteErrors(['NOT_FOUND']);
      return sendPage(req, res, notFound, vary, 404);
    },
  };
}

/** Serves the files of GraphiQL's page. */
function createAssets({ assets, asset }: PageServer): Endpoints {
  return Object.fromEntries(assets.map((path) => [path, readOnly(asset)]));
}

const vary = 'accept, accept-encoding';

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
function writeHome({ version, isSandbox, links }: SiteOptions): PageSource {
  const isOffering = hasSandbox(links);
  return writeSitePage({
    title: 'Switchboard: GraphQL over a telephony API',
    links,
    version,
    script: joinModules(isOffering ? ['sandbox-controls.js', 'home.js'] : ['home.js']),
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
  ${isOffering ? '<span id="offers"></span>' : ''}
  <button type="submit">Run the query</button>
</form>
<p class="quiet">${
      isSandbox
        ? `The sandbox takes any key, and its data is made up.${isOffering ? ' <a href="/sandbox">Parts of a key</a> name accounts and faults.' : ''}`
        : 'The key goes to the API with this request, and is kept nowhere.'
    } <span id="outcome" role="status"></span></p>
<div class="pair">
  <pre id="query" tabindex="0" role="region" aria-label="Query">${query}</pre>
  <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
</div>
<noscript><p>Without JavaScript, send the query yourself, as the README shows.</p></noscript>`,
  });
}

/** Writes the page of the embedded sandbox. Its script asks the sandbox what it offers. */
function writeSandbox({ version, links }: SiteOptions): PageSource {
  return writeSitePage({
    title: 'Switchboard: the sandbox',
    links,
    version,
    path: '/sandbox',
    script: joinModules(['sandbox-controls.js', 'sandbox.js']),
    sendsRequests: true,
    main: `
<div class="guide">
<h1>The sandbox</h1>
<p>Made-up data instead of the API. Any key is taken; parts of it, joined by <code>+</code>, name an account and what shall fail, as in
<code>small+rate-limited=5+only=missions</code>. The header <code>X-Sandbox</code> takes the same.
<a href="/docs/client-guide.md">The client guide</a> tells what a page should make of each code.</p>
<form id="keys"><label for="key">Key<input id="key" value="sandbox-key" autocomplete="off" spellcheck="false" /></label><span id="offers"></span></form>
<h2>Make a delivery</h2>
<p>It is in lists at once, and in streams at the next poll, for the account of the key.</p>
<form id="delivery">
  <label>Type<input name="type" value="call_initiated" /></label>
  <label>Status<select name="status"><option>delivered</option><option>failed</option></select></label>
  <label>Attempts<input name="attempts" type="number" min="1" max="10" value="1" /></label>
  <button type="submit">Make it</button>
</form>
<p id="delivery-state" role="status"></p>
<h2>Accounts</h2>
<div class="table" tabindex="0" role="region" aria-label="Accounts"><table><thead><tr><th>part of a key</th><th>connections</th><th>missions</th><th>deliveries</th><th>numbers</th></tr></thead><tbody id="accounts"></tbody></table></div>
<h2>Faults</h2>
<p><code>only=</code> limits them to one endpoint: <span id="endpoints"></span>.</p>
<div class="table" tabindex="0" role="region" aria-label="Faults"><table><thead><tr><th>part of a key</th><th>what it does</th><th>takes</th><th>code of the error</th></tr></thead><tbody id="faults"></tbody></table></div>
<h2>Clock</h2>
<p>The present is <code id="present">…</code></p>
<form id="clock">
  <label>Moment, or nothing for the clock it began with<input name="now" placeholder="2026-12-24T18:00:00Z" /></label>
  <button type="submit">Set the clock</button>
</form>
<p id="clock-state" role="status"></p>
<noscript><p>Without JavaScript, <code>GET /sandbox</code> has all of this as JSON.</p></noscript>
</div>`,
  });
}

const closed =
  '<p>This gateway does not show its schema (<code>INTROSPECTION=false</code>), so it has no Voyager and no SDL.</p>\n';

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
function writeNotFound({ version, links }: SiteOptions): PageSource {
  const isClosed = !links.some(({ path }) => path === '/schema.graphql');
  return writeSitePage({
    title: 'Switchboard: not found',
    links,
    version,
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

/**
 * Serves the guides for clients: as a page to those who prefer HTML, and as the Markdown of their files to all others. What all of them
 * say is JSON at `/docs`.
 */
function createGuides(pages: PageServer, { links, chooseCoding }: SiteOptions): Endpoints {
  const paths = guidePaths(links);
  const overview = pages.guide('/docs');
  const root: Handler = (request) => (isPageRequest(request.req) ? overview(request) : pages.guideSections(request));
  return {
    ...(paths.length > 0 && { '/docs': readOnly(root) }),
    ...Object.fromEntries(
      paths.map((path) => {
        const sendMarkdown = createKeptText(readFileSync(guideFile(path)), chooseCoding, 'no-cache');
        const sendGuide = pages.guide(path);
        const handle: Handler = (request) => {
          const { req, res } = request;
          const type = preferredType(req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
          return type === 'text/html' ? sendGuide(request) : sendMarkdown(req, res, type);
        };
        return [path, readOnly(handle)];
      }),
    ),
  };
}
