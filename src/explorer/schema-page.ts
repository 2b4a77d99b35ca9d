import { readFileSync } from 'node:fs';
import { writePage, type SiteContents } from './layout.ts';
import { sourceOf, type PageSource } from './page.ts';

/** Writes the page of the schema's picture, which `npm run codegen` draws. It needs no request, no key and no introspection. */
export function writeSchemaPage(contents: SiteContents): PageSource {
  const picture = readFileSync(new URL('../generated/schema-picture.svg', import.meta.url), 'utf8');
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(picture) ?? [];
  return writePage(contents, {
    title: 'Switchboard: the schema as a picture',
    path: '/voyager',
    script: 'schema.js',
    allowed: { 'style-src': `'self' ${sourceOf(style)}` },
    main: `
<h1>The schema as a picture</h1>
<p>Each box is a type with its fields. A field leads to the type of its value, a list to its rows.
<a href="/schema.graphql" download="schema.graphql">Save the SDL</a> for code generators, or read what it says of each field in <a href="/graphql">GraphiQL</a>.</p>
<div class="row">
  <search><label for="sought">Search the names <input id="sought" type="search" autocomplete="off" spellcheck="false" /></label></search>
  <button type="button" data-zoom="1.25" aria-label="Zoom in">+</button>
  <button type="button" data-zoom="0.8" aria-label="Zoom out">−</button>
  <button id="whole" type="button">Show all</button>
  <span id="found" class="quiet" role="status"></span>
</div>
<div id="picture" tabindex="0" role="region" aria-label="Picture: drag or use the arrow keys to move, the wheel, + and − to zoom">${picture}</div>`,
  });
}
