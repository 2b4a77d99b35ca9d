import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readOnly, type Endpoints, type Handler } from '../http/endpoint.ts';
import type { ChooseCoding } from '../http/response/compression.ts';
import { head, writeHeader, writePage, type SiteContents } from './layout.ts';
import { createAsset, createPage, type PageSource } from './page.ts';

// What `npm ci` and `npm run package` build of `explorer/`: files whose names change with their contents, and a list of them.
const folder = new URL('../../explorer/dist/', import.meta.url);

interface BuiltFile {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

/** What is built: nothing where nobody has built it. */
const built = readBuilt();

function readBuilt(): readonly BuiltFile[] {
  try {
    return Object.values(JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')));
  } catch {
    return [];
  }
}

/** The page of GraphiQL, and the endpoints of its files: none where it is not built. */
export interface Graphiql {
  readonly page: Handler;
  readonly endpoints: Endpoints;
}

/** Serves GraphiQL. */
export function createGraphiql(contents: SiteContents, chooseCoding: ChooseCoding): Graphiql {
  const files = new Set(built.flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]));
  const serve = (file: string): Handler => createAsset(file, () => readFile(new URL(file, folder)), chooseCoding);
  return {
    page: createPage(() => writeGraphiql(contents), chooseCoding),
    endpoints: Object.fromEntries([...files].map((file) => [`/${file}`, readOnly(serve(file))])),
  };
}

/** Writes the page of GraphiQL; one that says how to build it, where nobody has. */
function writeGraphiql(site: SiteContents): PageSource {
  const entry = built.find(({ isEntry }) => isEntry);
  if (entry === undefined) return writeUnbuilt(site);
  const styles = new Set(built.flatMap(({ css = [] }) => css));
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    ${head}
    <title>Switchboard: GraphiQL</title>
    ${[...styles].map((file) => `<link rel="stylesheet" href="/${file}" />`).join('\n    ')}
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
  return writePage(site, {
    title: 'Switchboard: GraphiQL',
    path: '/graphql',
    main: `
<h1>GraphiQL is not built</h1>
<p>This installation has the gateway without its editor. <code>npm ci</code> in the folder of the project builds it, and the
gateway serves it after its next start. <code>POST /graphql</code> takes queries all the same.</p>`,
  });
}
