import { readTabs, tabHeaders } from './graphiql-tabs.ts';
import { icon, mark, type PageSource } from './page.ts';

const logo =
  `<a href="/voyager" target="_blank" title="The schema as a picture" aria-label="The schema as a picture" ` +
  `style="display: flex">${mark}</a>`;

/** Writes GraphiQL with its ready operations. With the compression it takes half a second, for nine megabytes. */
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
    // A key stays in the memory of its tab: by default it would be written to the browser's storage.
    shouldPersistHeaders: false,
    // By default each edit is written to the address as `?query=`, and a reload would then answer JSON instead of the page.
    onEditQuery: null,
  };
  const html = renderGraphiQL(options)
    .replace(styleEnd, () => keepTabsInPlace + styleEnd)
    .replace(scriptStart, () => scriptStart + rememberQuery(tabs[0]?.query));
  return {
    html,
    script: html.slice(html.indexOf(scriptStart) + scriptStart.length, html.lastIndexOf('</script>')),
    // Styles and workers are made by the script while it runs.
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
