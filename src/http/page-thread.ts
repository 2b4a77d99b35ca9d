import { parentPort, workerData } from 'node:worker_threads';
import { writeGraphiql } from './graphiql-page.ts';
import { buildPage } from './page.ts';
import type { Pages } from './pages.ts';
import { writeVoyager } from './voyager-page.ts';

// A thread of its own, begun by `pages.ts`: it is handed the schema in SDL, and hands back the pages.
const sources = await Promise.all([writeGraphiql(), writeVoyager(workerData as string)]);
const [graphiql, voyager] = await Promise.all([buildPage(sources[0]), buildPage(sources[1])]);
// Handed over, not copied: that would be done by the thread that serves.
const bytes = [graphiql, voyager].flatMap(({ html, zipped }) => [
  html.buffer as ArrayBuffer,
  zipped.buffer as ArrayBuffer,
]);
parentPort?.postMessage({ graphiql, voyager } satisfies Pages, bytes);
