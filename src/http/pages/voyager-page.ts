import { readFile } from 'node:fs/promises';
import { icon, type PageSource } from './page.ts';

/** Writes the page of GraphQL Voyager with the schema in it, so that the page needs no request, and no introspection. */
export async function writeVoyager(sdl: string): Promise<PageSource> {
  const [library, style] = await Promise.all(['voyager.standalone.js', 'voyager.css'].map(readOwn));
  const script = inScriptTags(`${library}\n${draw(sdl)}`);
  return {
    html: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Switchboard: the schema as a picture</title>
    <link rel="icon" href="${icon}" />
    <style>${style}
body { margin: 0; }
#voyager { height: 100vh; }
    </style>
  </head>
  <body>
    <noscript>The picture is drawn by JavaScript. The schema as text is at /schema.graphql.</noscript>
    <div id="voyager"></div>
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
async function readOwn(name: string): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve(`graphql-voyager/dist/${name}`)), 'utf8');
  return text.replace(/^\/[/*]# sourceMappingURL=.*$/m, '');
}

function draw(sdl: string): string {
  return `GraphQLVoyager.renderVoyager(document.getElementById('voyager'), {
  introspection: GraphQLVoyager.sdlToSchema(${JSON.stringify(sdl)}),
});`;
}

/** Escapes what a page would take for HTML in the texts and patterns of a script (HTML, section 4.12.1.3). */
function inScriptTags(script: string): string {
  return script.replaceAll(/<(?=!--|\/?script)/gi, String.raw`\x3C`);
}
