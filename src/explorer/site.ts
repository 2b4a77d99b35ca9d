import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import guides from '../generated/guides.json' with { type: 'json' };
import { readOnly, type Endpoints, type Handler } from '../http/router.ts';
import { preferredType } from '../http/request/media-types.ts';
import { addVary, sendJson } from '../http/response/cache-headers.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';
import {
  createAsset,
  createPage,
  files,
  folder,
  listPlaces,
  once,
  writeCard,
  writeLink,
  type PageContents,
  type SiteContents,
  type SitePlace,
} from './page.ts';

export interface SiteOptions {
  readonly contents: SiteContents;
  /** False: browsers get what every client gets. */
  readonly hasPages: boolean;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
  readonly chooseCoding: ChooseCoding;
  /** The other endpoints of the port. */
  readonly endpoints: Endpoints;
}

/**
 * Creates the site of one port: its first page, all that this leads to, and what responds with a page for an unknown address; null where
 * browsers get no pages.
 */
export function createSite({ contents, hasPages, isReady, chooseCoding, endpoints }: SiteOptions): {
  readonly endpoints: Endpoints;
  readonly sendNotFound: Handler | null;
} {
  const { version, isSandbox, hasSchema } = contents;
  let own: Endpoints = {};
  const describe: Handler = ({ res }) => {
    addVary(res, 'accept');
    const paths = Object.keys({ ...endpoints, ...own }).filter((path) => !path.startsWith('/assets/'));
    const states = { upstream: isSandbox ? 'sandbox' : 'api', status: isReady() ? 'ready' : 'stopping' };
    return sendJson(res, 200, { name: 'switchboard', version, ...states, endpoints: paths.sort() });
  };
  if (!hasPages) return { endpoints: { '/': readOnly(describe) }, sendNotFound: null };

  const home = createPage(contents, () => writeHome(contents), chooseCoding);
  const assets = Object.entries(files).map(([name, text]) => [
    folder + name,
    readOnly(createAsset(name, () => Buffer.from(text), chooseCoding)),
  ]);
  own = {
    '/': readOnly((request) => (request.takesPage ? home : describe)(request)),
    // The picture holds the schema.
    ...(hasSchema && { '/voyager': readOnly(createPage(contents, writeSchemaPage, chooseCoding)) }),
    ...createGuides(contents, chooseCoding),
    ...Object.fromEntries(assets),
  };
  const notFound = createPage(contents, () => writeNotFound(contents), chooseCoding, 404);
  return {
    endpoints: own,
    sendNotFound: (request) => {
      request.noteErrors(['NOT_FOUND']);
      return notFound(request);
    },
  };
}

const query = `{
  chargesSummary(startDate: "2026-10-01"
                 endDate: "2026-11-01") {
    total { grandTotal }
  }
  ipConnections(first: 2) {
    totalCount
    nodes { connectionName }
  }
}`;

/** Writes the page that leads on from the root: what this is, live deliveries, a query to edit, and where to go. */
function writeHome(contents: SiteContents): PageContents {
  const { isSandbox, makesDeliveries } = contents;
  const field = isSandbox ? 'value="sandbox-key"' : 'type="password"';
  const note = isSandbox
    ? 'The sandbox takes any key, and its data is made up. <a href="/sandbox">Parts of a key</a> name accounts and faults.'
    : 'The key goes to the API with your requests, and is kept nowhere.';
  return {
    title: 'Switchboard: GraphQL over a telephony API',
    script: 'home.js',
    allowed: { 'connect-src': "'self'" },
    main: `
<h1>One GraphQL endpoint over a telephony API</h1>
<p>Charges, IP connections, missions and webhook deliveries: lists that stay right while rows come and go, relations, live deliveries,
and every value as the API sent it. <span class="quiet">Upstream: ${isSandbox ? 'sandbox' : 'api'}, <span id="state" role="status">…</span></span></p>
<form id="try" class="card" aria-label="Try it">
  <label for="key">Your key <input id="key" autocomplete="off" spellcheck="false" pattern="[!-~]*" title="A key has no spaces, and only letters that a header can carry" ${field} /></label>
  <button type="submit">Run the query</button> <a id="open" href="/graphql">Open it in GraphiQL</a>
  <p class="quiet small">${note}</p>
  <div class="columns">
    <textarea id="query" aria-label="Query" spellcheck="false" autocapitalize="off">${query}</textarea>
    <pre id="answer" tabindex="0" role="region" aria-label="Answer">The answer comes here.</pre>
  </div>
  <p id="outcome" role="status"></p>
  <ol id="calls" class="plain small" aria-label="Calls"></ol>
</form>
<noscript><p>Without JavaScript, send the query yourself, as the guides show.</p></noscript>
<h2>Live deliveries</h2>
<p class="quiet small"><button id="toggle" type="button">Follow</button> ${makesDeliveries ? '<button id="make" type="button">Make one</button>' : ''}
<span id="live-state" role="status">paused</span> · a subscription over Server-Sent Events, times in UTC</p>
<ol id="live" class="plain small"></ol>
<ul class="columns plain">${listPlaces(contents).map(writeCard).join('')}</ul>`,
  };
}

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
function writeNotFound(contents: SiteContents): PageContents {
  const closed = 'This gateway does not show its schema (<code>INTROSPECTION=false</code>): no Voyager, and no SDL.';
  return {
    title: 'Switchboard: not found',
    main: `<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>. ${contents.hasSchema ? '' : closed}</p>`,
  };
}

/** Writes the page of the schema's picture, which `npm run codegen` draws. It needs no request, no key and no introspection. */
function writeSchemaPage(): PageContents {
  const picture = readFileSync(new URL('../generated/schema-picture.svg', import.meta.url), 'utf8');
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(picture) ?? [];
  return {
    title: 'Switchboard: the schema as a picture',
    path: '/voyager',
    script: 'schema.js',
    allowed: { 'style-src': `'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'` },
    main: `
<h1>The schema as a picture</h1>
<p>Each box is a type with its fields. A field leads to the type of its value, a list to its rows.
<a href="/schema.graphql" download="schema.graphql">Save the SDL</a> for code generators, or read what it says of each field in <a href="/graphql">GraphiQL</a>.</p>
<div class="row">
  <button type="button" data-zoom="1.25" aria-label="Zoom in">+</button>
  <button type="button" data-zoom="0.8" aria-label="Zoom out">−</button>
  <button id="whole" type="button">Show all</button>
</div>
<div id="picture" tabindex="0" role="region" aria-label="Picture: drag or use the arrow keys to move, the wheel to zoom">${picture}</div>`,
  };
}

/**
 * Serves the guides, which `npm run codegen` renders of the documents in docs/README.md: as pages to those who prefer HTML, and as the
 * Markdown of their files to all others. What all of them say is JSON at `/docs`, by section.
 */
function createGuides(contents: SiteContents, chooseCoding: ChooseCoding): Endpoints {
  const write = (path: string, title: string, html: string, headings = ''): PageContents => ({
    title: `Switchboard: ${title}`,
    path: '/docs',
    main: `<div class="guides">\n${writeSidebar(path, headings)}\n<article>\n${html}</article>\n</div>`,
    script: 'guide.js',
    allowed: { 'connect-src': "'self'" },
  });
  const handlers = guides.map(({ path, name, html, headings }) => {
    const page = createPage(contents, () => write(path, name, html, headings), chooseCoding);
    const file = new URL(`../..${path}`, import.meta.url);
    const readText = once(() => createKeptText(readFileSync(file), chooseCoding, 'no-cache'));
    const handle: Handler = (request) => {
      const type = preferredType(request.req.headers.accept, ['text/markdown', 'text/html', 'text/plain']);
      return type === 'text/html' ? page(request) : readText()(request.req, request.res, type);
    };
    return [path, readOnly(handle)] as const;
  });
  const sections = guides.flatMap(({ path, name, sections: own }) =>
    own.map(({ anchor, title, text }) => ({ path: `${path}#${anchor}`, guide: name, title, text })),
  );
  const sendSections = createKeptText(Buffer.from(JSON.stringify(sections)), chooseCoding, 'no-cache');
  const overview = `<h1>Guides</h1>\n${writeGroups('columns plain', writeCard)}`;
  const overviewPage = createPage(contents, () => write('/docs', 'guides', overview), chooseCoding);
  const root: Handler = async (request) =>
    request.takesPage ? overviewPage(request) : sendSections(request.req, request.res, 'application/json');
  return { '/docs': readOnly(root), ...Object.fromEntries(handlers) };
}

/** Links to all guides, with the headings of the one that is shown. A narrow screen folds them away. */
function writeSidebar(current: string, headings: string): string {
  const write = (guide: SitePlace): string => writeLink(guide, current, `<ul class="plain small">${headings}</ul>`);
  return `<div class="sidebar">
<search>
  <label for="sought">Search the guides<input id="sought" type="search" autocomplete="off" spellcheck="false" /></label>
  <p id="search-found" class="quiet small" role="status"></p>
  <ol id="search-results" class="plain"></ol>
</search>
<details id="all-guides"><summary class="quiet">All guides</summary><nav aria-label="Guides">${writeGroups('plain', write)}</nav></details>
</div>`;
}

function writeGroups(list: string, write: (guide: SitePlace) => string): string {
  return [...Map.groupBy(guides, ({ group }) => group)]
    .map(([group, members]) => `<h2>${group}</h2>\n<ul class="${list}">${members.map(write).join('\n')}</ul>`)
    .join('\n');
}
