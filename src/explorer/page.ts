import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Handler } from '../http/router.ts';
import { createKeptText, type ChooseCoding } from '../http/response/compression.ts';

/** A place of this gateway that its pages lead to. */
export interface SitePlace {
  readonly path: string;
  readonly name: string;
  /** One sentence. */
  readonly about: string;
}

/** What the pages say of their gateway. */
export interface SiteContents {
  readonly version: string;
  /** Whether the embedded sandbox stands in for the API: its key is no secret, and stands in fields from the beginning. */
  readonly isSandbox: boolean;
  /** Whether pages may make deliveries of that sandbox. */
  readonly makesDeliveries: boolean;
  /** Whether clients may read the schema. */
  readonly hasSchema: boolean;
}

/** Lists the places that all pages lead to: only those that there are. */
export function listPlaces({ hasSchema }: SiteContents): readonly SitePlace[] {
  const schema: readonly SitePlace[] = [
    { path: '/voyager', name: 'Voyager', about: 'The schema as a picture, to drag and zoom.' },
    { path: '/schema.graphql', name: 'Schema', about: 'The schema in SDL, as a text to read or to save.' },
  ];
  return [
    { path: '/graphql', name: 'GraphiQL', about: 'Write and run queries, with the whole schema beside.' },
    ...(hasSchema ? schema : []),
    { path: '/docs', name: 'Guides', about: 'From the first query to clients, live data and operation.' },
  ];
}

/** Writes a place as an element of a list. */
export function writeCard({ path, name, about }: SitePlace): string {
  return `<li class="card"><a href="${path}">${name}</a><br /><span class="quiet">${about}</span></li>`;
}

/** Writes a link to a place as an element of a list. If it leads to the page that is shown, it says so, and `below` stands below it. */
export function writeLink({ path, name }: Omit<SitePlace, 'about'>, current: string, below = ''): string {
  const state = path === current ? ' aria-current="page"' : '';
  return `<li><a href="${path}"${state}>${name}</a>${state && below}</li>`;
}

function textOf(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
}

const modules = ['dom.js', 'home.js', 'guide.js', 'search.js', 'schema.js'];
/** Modules of the client package that the first page uses, as codegen has stripped them of their types. */
const ofClient = ['account', 'errors', 'event-stream', 'follow', 'http', 'live-rows'];

/** The files of all pages, by the names by which modules import each other. */
export const files: Readonly<Record<string, string>> = {
  'site.css': textOf('site.css'),
  'minisearch.js': readFileSync(new URL(import.meta.resolve('minisearch')), 'utf8'),
  ...Object.fromEntries(modules.map((name) => [name, textOf(name)])),
  ...Object.fromEntries(ofClient.map((name) => [`client/${name}.js`, textOf(`../../generated/client/${name}.js`)])),
};

/** Where they are served. It is named after the texts of all: browsers need never ask for one again. */
export const folder = `/assets/${createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12)}/`;

const mark = textOf('mark.svg').trim();

/** A page: what stands within the frame that all share. */
export interface PageContents {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** The module that runs it; absent where there is none. */
  readonly script?: string;
  /** The path that the page stands on, where the header leads to it. */
  readonly path?: string;
  /** What it may do by directive of its policy, besides what all pages may. What is not named, it may not. */
  readonly allowed?: Readonly<Record<string, string>>;
  /** Present for an app that has styles of its own. */
  readonly styles?: readonly string[];
}

/** Writes a page in its frame. */
function writePage(contents: SiteContents, page: PageContents): string {
  const { title, main, script, path = '/', styles } = page;
  const places = listPlaces(contents).map((place) => writeLink(place, path));
  // The sign is a data address, so that no browser requests an icon.
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}" />
    <title>${title}</title>
    ${(styles ?? [`${folder}site.css`]).map((file) => `<link rel="stylesheet" href="${file}" />`).join('\n    ')}
    ${script === undefined ? '' : `<script type="module" src="${styles ? '' : folder}${script}"></script>`}
  </head>
  <body${styles ? '' : ' class="ours"'}>
    <header class="ours site-header row">
      <a href="/">${mark.replace('<svg ', '<svg aria-hidden="true" ')} <strong>Switchboard</strong></a>
      <nav aria-label="Places"><ul class="plain row">${places.join('')}</ul></nav>
    </header>
    <main>
${main}
    </main>
    ${styles ? '' : `<footer class="quiet">Switchboard ${contents.version}</footer>`}
  </body>
</html>
`;
}

const frameMay = { 'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'img-src': 'data:' };
const pagesMayNot = { 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };

/** Serves a page, which is written and compressed when somebody asks for it first, and kept. */
export function createPage(
  contents: SiteContents,
  write: () => PageContents,
  chooseCoding: ChooseCoding,
  status: 200 | 404 = 200,
): Handler {
  const read = once(() => {
    const page = write();
    const directives = Object.entries({ ...frameMay, ...page.allowed, ...pagesMayNot });
    const policy = directives.map(([name, value]) => `${name} ${value}`).join('; ');
    return { policy, send: createKeptText(Buffer.from(writePage(contents, page)), chooseCoding, 'no-cache') };
  });
  return async ({ req, res }) => {
    const { policy, send } = read();
    res.setHeader('content-security-policy', policy);
    res.setHeader('cross-origin-opener-policy', 'same-origin');
    res.setHeader('referrer-policy', 'no-referrer');
    // For browsers without support for the policy's frame-ancestors.
    res.setHeader('x-frame-options', 'DENY');
    await send(req, res, 'text/html', status);
  };
}

/** Serves a file of pages, which is read when somebody asks for it first. Its address changes with its contents: browsers keep it. */
export function createAsset(name: string, read: () => Buffer, chooseCoding: ChooseCoding): Handler {
  const readKept = once(() => createKeptText(read(), chooseCoding, 'public, max-age=31536000, immutable'));
  return async ({ req, res }) => {
    res.setHeader('content-security-policy', "default-src 'none'");
    await readKept()(req, res, name.endsWith('.css') ? 'text/css' : 'text/javascript');
  };
}

/** Makes something when it is wanted first, and anew if that has failed. */
export function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
