import { json } from 'node:stream/consumers';
import { serialize } from 'node:v8';
import { guidePaths } from './frame.ts';
import { writeGraphiql } from './graphiql-page.ts';
import { writeGuide } from './markdown.ts';
import { packPage, type PageSource } from './page.ts';
import type { PackedPages, PageContents } from './page-server.ts';
import { writeSchemaPage } from './schema-page.ts';

// A program of its own, which `page-server.ts` runs. It reads `PageContents` as JSON, and writes `PackedPages`.
const contents = (await json(process.stdin)) as PageContents;
const sources: Readonly<Record<string, PageSource>> = {
  '/graphql': writeGraphiql(contents),
  '/voyager': writeSchemaPage(contents),
  ...Object.fromEntries(guidePaths(contents.links).map((path) => [path, writeGuide(path, contents)])),
};
const pages: PackedPages = Object.fromEntries(
  Object.entries(sources).map(([path, source]) => [path, packPage(source)]),
);
process.stdout.write(serialize(pages));
