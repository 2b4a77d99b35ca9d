import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { sendPage, unpackPage, type PackedPage, type ServedPage } from './page.ts';

type Name = 'graphiql' | 'voyager';
type Pages = Readonly<Record<Name, ServedPage>>;
/** All pages, as the program writes them that builds them. */
export type PackedPages = Readonly<Record<Name, PackedPage>>;

type SendPage = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** The pages of a schema. */
export interface PageServer {
  readonly sendGraphiql: SendPage;
  readonly sendVoyager: SendPage;
  /** Builds the pages unless they are built, or being built; resolves when they are, or cannot be. */
  build(): Promise<void>;
}

/** Serves the pages of a schema; what could not be built is tried again when a page is next asked for. */
export function createPageServer(sdl: string): PageServer {
  const send =
    (name: Name, vary: string): SendPage =>
    async (req, res) =>
      sendPage(req, res, (await pagesOf(sdl))[name], vary);
  return {
    sendGraphiql: send('graphiql', 'accept, accept-encoding'),
    sendVoyager: send('voyager', 'accept-encoding'),
    build: async () => void (await pagesOf(sdl).catch(() => {})),
  };
}

/** Of one process, which has one schema, however many gateways a test begins in it. */
let last: { readonly sdl: string; readonly pages: Promise<Pages> } | undefined;

function pagesOf(sdl: string): Promise<Pages> {
  if (last?.sdl === sdl) return last.pages;
  const pages = buildPages(sdl);
  last = { sdl, pages };
  pages.catch(() => {
    if (last?.pages === pages) last = undefined;
  });
  return pages;
}

const program = fileURLToPath(new URL('page-program.ts', import.meta.url));
const mostBytes = 67_108_864;
const longestMs = 60_000;

/**
 * Half a second of work and a hundred megabytes for a moment. Done here it would hold all requests, and in a thread the memory
 * would not go back to the system.
 */
async function buildPages(sdl: string): Promise<Pages> {
  const { graphiql, voyager } = deserialize(await run(sdl)) as PackedPages;
  return { graphiql: await unpackPage(graphiql), voyager: await unpackPage(voyager) };
}

function run(input: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // It needs nothing of the environment, which holds secrets.
    const options = { encoding: 'buffer', env: {}, maxBuffer: mostBytes, timeout: longestMs } as const;
    const child = execFile(process.execPath, [program], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // Where it cannot be written to, it has failed: that is told when it ends.
    child.stdin?.on('error', () => {}).end(input);
  });
}
