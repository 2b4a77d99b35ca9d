import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import { addVary } from '../http/response/cache-headers.ts';
import { createCodingChoice, type ChooseCoding } from '../http/response/compression.ts';
import { head, writeHeader, type SiteContents } from './layout.ts';
import { createPage, type PageSource } from './page.ts';

// What `npm ci` and `npm run package` build of `explorer/`: files whose names change with their contents, and a list of them.
const folder = new URL('../../explorer/dist/', import.meta.url);

interface BuiltFile {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

/** What is built; null where nobody has built it. */
const built = readBuilt();

function readBuilt(): Readonly<Record<string, BuiltFile>> | null {
  try {
    return JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Readonly<Record<string, BuiltFile>>;
  } catch {
    return null;
  }
}

/** The page of GraphiQL, and the endpoints of its files: none where it is not built. */
export interface Graphiql {
  readonly page: Handler;
  readonly endpoints: Endpoints;
}

/** Serves GraphiQL. */
export function createGraphiql(contents: SiteContents, chooseCoding: ChooseCoding): Graphiql {
  const files = Object.values(built ?? {}).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]);
  return {
    page: createPage(() => writeGraphiql(contents), chooseCoding),
    endpoints: Object.fromEntries([...new Set(files)].map((file) => [`/${file}`, readOnly(createAsset(file))])),
  };
}

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
// Every browser takes it.
const chooseGzip = createCodingChoice(['gzip']);
const compress = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Serves a file, which is read and compressed when somebody asks for it first, in a thread. */
function createAsset(file: string): Handler {
  const type = types[file.endsWith('.css') ? 'css' : 'js'];
  let zipped: Promise<Buffer> | null = null;
  const read = (): Promise<Buffer> => readFile(new URL(file, folder));
  return async ({ req, res }) => {
    const isZipped = chooseGzip(req) !== null;
    if (isZipped) {
      zipped ??= read().then((bytes) => compress(bytes, { level: 9 }));
      zipped.catch(() => (zipped = null));
    }
    const body = await (isZipped ? zipped : read());
    addVary(res, 'accept-encoding');
    res.writeHead(200, {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'",
      'content-type': type,
      'content-length': body?.length,
      ...(isZipped && { 'content-encoding': 'gzip' }),
    });
    res.end(body);
  };
}

/** Writes the page of GraphiQL; one that says how to build it, where nobody has. */
function writeGraphiql(site: SiteContents): PageSource {
  const entry = Object.values(built ?? {}).find(({ isEntry }) => isEntry);
  if (entry === undefined) return writeUnbuilt(site);
  const styles = Object.values(built ?? {}).flatMap(({ css = [] }) => css);
  const links = [...new Set(styles)].map((file) => `<link rel="stylesheet" href="/${file}" />`);
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>Switchboard: GraphiQL</title>
    ${links.join('\n    ')}
    <script type="module" src="/${entry.file}"></script>
  </head>
  <body>
    <div class="ours">${writeHeader(site.links, '/graphql')}</div>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <main>
      <h1 class="unseen">GraphiQL</h1>
      <div id="root"${site.isSandbox ? ' data-key="sandbox-key"' : ''}${site.makesDeliveries ? ' data-sandbox' : ''}></div>
    </main>
  </body>
</html>
`,
    // The program makes styles while it runs, and its style holds letters and pictures.
    allowed: {
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': 'data:',
      'font-src': 'data:',
      'worker-src': "'self'",
      'connect-src': "'self'",
    },
  };
}

function writeUnbuilt(site: SiteContents): PageSource {
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>Switchboard: GraphiQL</title>
  </head>
  <body>
    ${writeHeader(site.links, '/graphql')}
    <main>
      <h1>GraphiQL is not built</h1>
      <p>This installation has the gateway without its editor. <code>npm ci</code> in the folder of the project builds it, and the
      gateway serves it after its next start. <code>POST /graphql</code> takes queries all the same.</p>
    </main>
  </body>
</html>
`,
    allowed: { 'img-src': 'data:' },
  };
}
