import { text } from 'node:stream/consumers';
import { serialize } from 'node:v8';
import { writeGraphiql } from './graphiql-page.ts';
import { packPage } from './page.ts';
import type { PackedPages, PageContents } from './page-server.ts';
import { writeSchemaPage } from './schema-page.ts';

// A program of its own, which `page-server.ts` runs. It reads `PageContents` as JSON, and writes the pages.
const { sdl, links, version, isSandbox } = JSON.parse(await text(process.stdin)) as PageContents;
const graphiql = await packPage(await writeGraphiql({ links, isSandbox }));
const voyager = await packPage(await writeSchemaPage({ sdl, links, version }));
process.stdout.write(serialize({ graphiql, voyager } satisfies PackedPages));
