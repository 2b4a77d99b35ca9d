import { readFile } from 'node:fs/promises';
import { icon, type PageSource } from './page.ts';
import { readOwn } from './site-frame.ts';
import { writeHeader } from './site-header.ts';
import type { SitePlace } from './site-places.ts';

const styles = ['site-header.css', 'voyager.css', 'voyager-pane.css', 'voyager-picture.css'];

/** Writes the page of GraphQL Voyager with the schema in it, so that the page needs no request, no key and no introspection. */
export async function writeVoyager(sdl: string, links: readonly SitePlace[]): Promise<PageSource> {
  const [library, libraryStyle] = await Promise.all(['voyager.standalone.js', 'voyager.css'].map(readBundle));
  const [ownScript, ...ownStyles] = await Promise.all(['voyager.js', ...styles].map(readOwn));
  const script = inScriptTags([library, ownScript, draw(sdl)].join('\n'));
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Switchboard: the schema as a picture</title>
    <link rel="icon" href="${icon}" />
    <style>${[libraryStyle, ...ownStyles].join('\n')}</style>
  </head>
  <body>
    ${writeHeader(links, '/voyager', 'Drawn from the schema within this page: it needs no key.')}
    <main>
      <h1>The schema as a picture</h1>
      <noscript>The picture is drawn by JavaScript. The schema as text is at <a href="/schema.graphql">/schema.graphql</a>.</noscript>
      <div id="voyager"></div>
    </main>
    <script>${script}</script>
  </body>
</html>
`,
    script,
    allowed: {
      // Graphviz places the boxes, and it is WebAssembly. This permits WebAssembly to be compiled, but no text to be run.
      'script-src': "'wasm-unsafe-eval'",
      // Graphviz runs in a worker. The script makes the worker from a text of its own, and it inherits this policy.
      'worker-src': 'blob:',
      // The script fetches earlier pictures from the browser's storage as data addresses. It can fetch no others.
      'connect-src': 'data:',
      // The script writes styles while it runs, and Graphviz writes them into the picture.
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
    },
  };
}

/** Reads a file of Voyager without its last comment, which would make the developer tools of a browser request a source map. */
async function readBundle(name: string): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve(`graphql-voyager/dist/${name}`)), 'utf8');
  return text.replace(/^\/[/*]# sourceMappingURL=.*$/m, '');
}

function draw(sdl: string): string {
  return `GraphQLVoyager.renderVoyager(document.getElementById('voyager'), {
  introspection: GraphQLVoyager.sdlToSchema(${JSON.stringify(sdl)}),
  displayOptions: { showLeafFields: false },
});`;
}

/** Escapes what a page would take for HTML in the texts and patterns of a script (HTML, section 4.12.1.3). */
function inScriptTags(script: string): string {
  return script.replaceAll(/<(?=!--|\/?script)/gi, String.raw`\x3C`);
}
