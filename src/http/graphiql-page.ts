import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readTabs, tabHeaders } from './graphiql-tabs.ts';

/** GraphiQL as it goes over the wire, with the headers that belong to exactly these bytes. */
export interface Page {
  readonly html: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  /** Lets the page run its own script and nothing else, and talk to its own origin alone. */
  readonly contentSecurityPolicy: string;
}

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="#d64292" ' +
  'stroke-width="2" stroke-linecap="round"><circle cx="5" cy="6" r="2"/><circle cx="5" cy="18" r="2"/>' +
  '<circle cx="19" cy="12" r="2"/><path d="M7 6h3c4 0 3 6 7 6M7 18h3c4 0 3-6 7-6"/></svg>';

/** Builds the page with its ready operations. It takes half a second, most of it to compress nine megabytes. */
export async function buildPage(): Promise<Page> {
  const [{ renderGraphiQL }, tabs] = await Promise.all([import('@graphql-yoga/render-graphiql'), readTabs()]);
  const options = {
    endpoint: '/graphql',
    title: 'Switchboard',
    logo: mark,
    favicon: `data:image/svg+xml,${encodeURIComponent(mark)}`,
    defaultTabs: [...tabs],
    headers: tabHeaders,
    defaultEditorToolsVisibility: 'headers' as const,
    // A key stays in the memory of its tab: by default it would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, and a reload would then answer JSON instead of the page.
    onEditQuery: null,
  };
  const text = renderGraphiQL(options)
    .replace(styleEnd, () => keepTabsInPlace + styleEnd)
    .replace(scriptStart, () => scriptStart + rememberQuery(tabs[0]?.query));
  const html = Buffer.from(text);
  return {
    html,
    zipped: await promisify(gzip)(html),
    // Weak, since it stands for the zipped bytes as well.
    etag: `W/"${sha256(text)}"`,
    contentSecurityPolicy: policyFor(text),
  };
}

const styleEnd = '</style>';
const scriptStart = '<script>';

// GraphiQL leaves each tab with a transform far to the right and hides that until the tab has the focus. At the first press it
// then jumps from under the pointer, and the click is lost.
const keepTabsInPlace = '.graphiql-container .graphiql-tab { transform: none !important; }';

/**
 * Script that notes the first tab's query as the one last seen. GraphiQL itself notes it only when it is edited, and after
 * a reload without an edit it would find no tab for it and add an untitled one.
 */
function rememberQuery(query = ''): string {
  // Where the browser keeps no storage, there is nothing to repair.
  return `try { localStorage['graphiql:query'] ??= ${JSON.stringify(query)}; } catch {}\n`;
}

/** The policy names the page's one script by its hash; styles and workers are made by that script while it runs. */
function policyFor(html: string): string {
  const script = html.slice(html.indexOf(scriptStart) + scriptStart.length, html.lastIndexOf('</script>'));
  return [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
