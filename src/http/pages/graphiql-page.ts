import { readTabs, tabHeaders } from './graphiql-tabs.ts';
import { icon, mark, type PageSource } from './page.ts';

const logo =
  `<a href="/voyager" target="_blank" title="The schema as a picture" aria-label="The schema as a picture" ` +
  `style="display: flex">${mark}</a>`;

/** Writes the page of GraphiQL with its ready operations. The nine megabytes take half a second with their compression. */
export async function writeGraphiql(): Promise<PageSource> {
  const [{ renderGraphiQL }, tabs] = await Promise.all([import('@graphql-yoga/render-graphiql'), readTabs()]);
  const options = {
    endpoint: '/graphql',
    title: 'Switchboard',
    logo,
    favicon: icon,
    defaultTabs: [...tabs],
    headers: tabHeaders,
    defaultEditorToolsVisibility: 'headers' as const,
    // By default a key would be written to the browser's storage. Here it stays in the memory of its tab.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, and a reload would then show JSON instead of the page.
    onEditQuery: null,
  };
  const html = renderGraphiQL(options)
    .replace(styleEnd, () => keepTabsInPlace + styleEnd)
    .replace(scriptStart, () => scriptStart + rememberQuery(tabs[0]?.query));
  return {
    html,
    script: html.slice(html.indexOf(scriptStart) + scriptStart.length, html.lastIndexOf('</script>')),
    // The script makes styles and workers while it runs.
    allowed: {
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
      'font-src': 'data:',
      'worker-src': 'blob:',
      'connect-src': "'self'",
    },
  };
}

const styleEnd = '</style>';
const scriptStart = '<script>';

// GraphiQL keeps a transform on each tab that moves it far to the right, and hides that until the tab has the focus. At the
// first press the tab jumps from under the pointer, and the click is lost.
const keepTabsInPlace = '.graphiql-container .graphiql-tab { transform: none !important; }';

/**
 * Returns a script that stores the first tab's query as the one last seen. GraphiQL stores a query only when it is edited. After
 * a reload without an edit it would find no tab for its query, and add an untitled one.
 */
function rememberQuery(query = ''): string {
  // A browser without storage throws here, and has nothing to repair.
  return `try { localStorage['graphiql:query'] ??= ${JSON.stringify(query)}; } catch {}\n`;
}
