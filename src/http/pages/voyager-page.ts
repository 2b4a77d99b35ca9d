import { readFile } from 'node:fs/promises';
import { icon, type PageSource } from './page.ts';

/** Writes GraphQL Voyager with a schema in it, so that the page asks for nothing more, introspection least of all. */
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
      // The places of the boxes are found by Graphviz, which is WebAssembly. This lets it be compiled, and no text be run.
      'script-src': "'wasm-unsafe-eval'",
      // Graphviz runs in a worker, which the script makes from a text of its own and which inherits this policy.
      'worker-src': 'blob:',
      // The browser's storage keeps pictures drawn before as data addresses, which the script fetches. It can fetch no other.
      'connect-src': 'data:',
      // Written by the script while it runs, and by Graphviz into the picture.
      'style-src': "'unsafe-inline'",
      'img-src': 'data:',
    },
  };
}

/** A file of Voyager's, without the note that would have the tools of a browser ask for its source map. */
async function readOwn(name: string): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve(`graphql-voyager/dist/${name}`)), 'utf8');
  return text.replace(/^\/[/*]# sourceMappingURL=.*$/m, '');
}

const draw = (sdl: string): string =>
  `GraphQLVoyager.renderVoyager(document.getElementById('voyager'), {
  introspection: GraphQLVoyager.sdlToSchema(${JSON.stringify(sdl)}),
});`;

/** A script as it may stand in a page: in a text or pattern of it, these would be taken for HTML (HTML, section 4.12.1.3). */
const inScriptTags = (script: string): string => script.replaceAll(/<(?=!--|\/?script)/gi, String.raw`\x3C`);
