import { text } from 'node:stream/consumers';
import { serialize } from 'node:v8';
import { writeGraphiql } from './graphiql-page.ts';
import { packPage } from './page.ts';
import type { PackedPages } from './page-server.ts';
import { writeVoyager } from './voyager-page.ts';

// A program of its own, which `page-server.ts` runs. It reads the schema as SDL from its input, and writes the pages.
const sdl = await text(process.stdin);
const graphiql = await packPage(await writeGraphiql());
const voyager = await packPage(await writeVoyager(sdl));
process.stdout.write(serialize({ graphiql, voyager } satisfies PackedPages));
