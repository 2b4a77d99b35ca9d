import { existsSync, readFileSync } from 'node:fs';
import { readOnly, type Endpoints, type Handler } from '../http/router.ts';
import type { ChooseCoding } from '../http/response/compression.ts';
import { createAsset, createPage, type PageContents, type SiteContents } from './page.ts';

// What `npm ci` and `npm run package` build of `explorer/`: files whose names change with their contents, and a list of them.
const folder = new URL('../../explorer/dist/', import.meta.url);

interface BuiltFile {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

const list = new URL('manifest.json', folder);
const built: readonly BuiltFile[] = existsSync(list) ? Object.values(JSON.parse(readFileSync(list, 'utf8'))) : [];

/** Serves the page of GraphiQL, and its files: none where it is not built. */
export function createGraphiql(
  contents: SiteContents,
  chooseCoding: ChooseCoding,
): { readonly page: Handler; readonly endpoints: Endpoints } {
  const files = new Set(built.flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]));
  const serve = (file: string): Handler => createAsset(file, () => readFileSync(new URL(file, folder)), chooseCoding);
  return {
    page: createPage(contents, () => writeGraphiql(contents), chooseCoding),
    endpoints: Object.fromEntries([...files].map((file) => [`/${file}`, readOnly(serve(file))])),
  };
}

/** Writes the page of GraphiQL; one that says how to build it, where nobody has. */
function writeGraphiql(site: SiteContents): PageContents {
  const page = { title: 'Switchboard: GraphiQL', path: '/graphql' };
  const entry = built.find(({ isEntry }) => isEntry);
  if (entry === undefined) {
    const main = `<h1>GraphiQL is not built</h1>
<p>This installation has the gateway without its editor. <code>npm ci</code> in the folder of the project builds it, and the
gateway serves it after its next start. <code>POST /graphql</code> takes queries all the same.</p>`;
    return { ...page, main };
  }
  const given = `${site.isSandbox ? ' data-key="sandbox-key"' : ''}${site.makesDeliveries ? ' data-sandbox' : ''}`;
  return {
    ...page,
    main: `<h1 class="unseen">GraphiQL</h1>
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"${given}></div>`,
    script: `/${entry.file}`,
    styles: built.flatMap(({ css = [] }) => css.map((file) => `/${file}`)),
    // The program makes styles while it runs, and its style holds letters and pictures.
    allowed: {
      'style-src': "'self' 'unsafe-inline'",
      'font-src': 'data:',
      'worker-src': "'self'",
      'connect-src': "'self'",
    },
  };
}
