import { json } from 'node:stream/consumers';
import { serialize } from 'node:v8';
import { writeGraphiql } from './graphiql-page.ts';
import { writeGuides } from './guides.ts';
import { packAsset, packJson, packPage, sectionsPath, type PageSource } from './page.ts';
import type { PackedPages, PageContents } from './page-server.ts';
import { writeSchemaPage } from './schema-page.ts';

// A program of its own, which `page-server.ts` runs. It reads `PageContents` as JSON, and writes `PackedPages`.
const contents = (await json(process.stdin)) as PageContents;
const guides = writeGuides(contents);
const graphiql = await writeGraphiql(contents);
const sources: Readonly<Record<string, PageSource>> = {
  '/graphql': graphiql.page,
  '/voyager': writeSchemaPage(contents),
  ...guides.pages,
};
const pages: PackedPages = {
  ...Object.fromEntries(Object.entries(sources).map(([path, source]) => [path, packPage(source)])),
  ...Object.fromEntries(graphiql.assets.map((asset) => [`/assets/${asset.name}`, packAsset(asset)])),
  [sectionsPath]: packJson(guides.sections),
};
process.stdout.write(serialize(pages));
