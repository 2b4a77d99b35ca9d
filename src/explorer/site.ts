import { readFileSync } from 'node:fs';
import { readOnly, sendJson, type Endpoints, type Handler } from '../http/endpoint.ts';
import { addVary } from '../http/response/cache-headers.ts';
import type { ChooseCoding } from '../http/response/compression.ts';
import { createGuides } from './guides.ts';
import { writeHome } from './home-page.ts';
import { files, folder, writePage, type SiteContents } from './layout.ts';
import { createAsset, createPage, sourceOf, type PageSource } from './page.ts';

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

/** The first page of the gateway, all that it leads to, and what those get who are lost. */
export interface Site {
  readonly endpoints: Endpoints;
  /** Responds with a page for an unknown address; null where browsers get no pages. */
  readonly sendNotFound: Handler | null;
}

/** Creates the site of one port. */
export function createSite(options: SiteOptions): Site {
  const { contents, hasPages, isReady, chooseCoding, endpoints } = options;
  const { version, isSandbox, hasSchema } = contents;
  let own: Endpoints = {};
  const describe: Handler = ({ res }) => {
    addVary(res, 'accept');
    const paths = Object.keys({ ...endpoints, ...own }).filter((path) => !path.startsWith('/assets/'));
    const states = { upstream: isSandbox ? 'sandbox' : 'api', status: isReady() ? 'ready' : 'stopping' };
    return sendJson(res, 200, { name: 'switchboard', version, ...states, endpoints: paths.sort() });
  };
  if (!hasPages) return { endpoints: { '/': readOnly(describe) }, sendNotFound: null };

  const home = createPage(() => writeHome(contents), chooseCoding);
  const assets = Object.entries(files).map(([name, text]) => [
    folder + name,
    readOnly(createAsset(name, async () => Buffer.from(text), chooseCoding)),
  ]);
  own = {
    '/': readOnly((request) => (request.takesPage ? home : describe)(request)),
    // The picture holds the schema.
    ...(hasSchema && { '/voyager': readOnly(createPage(() => writeSchemaPage(contents), chooseCoding)) }),
    ...createGuides(contents, chooseCoding),
    ...Object.fromEntries(assets),
  };
  const notFound = createPage(() => writeNotFound(contents), chooseCoding, 404);
  return {
    endpoints: own,
    sendNotFound: (request) => {
      request.noteErrors(['NOT_FOUND']);
      return notFound(request);
    },
  };
}

/** Writes the page for addresses that there are not. It repeats nothing of the address. */
function writeNotFound(contents: SiteContents): PageSource {
  const closed = 'This gateway does not show its schema (<code>INTROSPECTION=false</code>): no Voyager, and no SDL.';
  return writePage(contents, {
    title: 'Switchboard: not found',
    main: `<h1>There is no such page</h1>
<p>Nothing is served at this address. <a href="/">Begin at the first page</a>. ${contents.hasSchema ? '' : closed}</p>`,
  });
}

/** Writes the page of the schema's picture, which `npm run codegen` draws. It needs no request, no key and no introspection. */
function writeSchemaPage(contents: SiteContents): PageSource {
  const picture = readFileSync(new URL('../generated/schema-picture.svg', import.meta.url), 'utf8');
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(picture) ?? [];
  return writePage(contents, {
    title: 'Switchboard: the schema as a picture',
    path: '/voyager',
    script: 'schema.js',
    allowed: { 'style-src': `'self' ${sourceOf(style)}` },
    main: `
<h1>The schema as a picture</h1>
<p>Each box is a type with its fields. A field leads to the type of its value, a list to its rows.
<a href="/schema.graphql" download="schema.graphql">Save the SDL</a> for code generators, or read what it says of each field in <a href="/graphql">GraphiQL</a>.</p>
<div class="row">
  <search><label>Search the names <input id="sought" type="search" autocomplete="off" spellcheck="false" /></label></search>
  <button type="button" data-zoom="1.25" aria-label="Zoom in">+</button>
  <button type="button" data-zoom="0.8" aria-label="Zoom out">−</button>
  <button id="whole" type="button">Show all</button>
  <span id="found" class="quiet" role="status"></span>
</div>
<div id="picture" tabindex="0" role="region" aria-label="Picture: drag or use the arrow keys to move, the wheel to zoom">${picture}</div>`,
  });
}
