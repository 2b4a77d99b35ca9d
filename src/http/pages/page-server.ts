import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { packedPagesBytes, packPagesMs } from '../../bounds.ts';
import { sendPage, unpackPage, type PackedPage, type ServedPage } from './page.ts';

type Name = 'graphiql' | 'voyager';
type Pages = Readonly<Record<Name, ServedPage>>;
/** All pages, in the form in which the program that builds them writes them. */
export type PackedPages = Readonly<Record<Name, PackedPage>>;

/** Builds the pages of a schema; the bytes are those of `PackedPages`. */
export type PackPages = (sdl: string) => Promise<Uint8Array>;

type SendPage = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Serves the pages of a schema. */
export interface PageServer {
  readonly sendGraphiql: SendPage;
  readonly sendVoyager: SendPage;
  /** Builds the pages once. Resolves when they are built, and also where they cannot be. */
  build(): Promise<void>;
}

/**
 * Creates the server of a schema's pages. After a failure, the next request for a page builds them again. `pack` builds the pages
 * of a schema, as `packPages` does.
 */
export function createPageServer(sdl: string, pack: PackPages = packPages): PageServer {
  let pages: Promise<Pages> | null = null;

  function built(): Promise<Pages> {
    pages ??= buildPages(sdl, pack).catch((error: unknown) => {
      pages = null;
      throw error;
    });
    return pages;
  }

  const send =
    (name: Name, vary: string): SendPage =>
    async (req, res) =>
      sendPage(req, res, (await built())[name], vary);
  return {
    sendGraphiql: send('graphiql', 'accept, accept-encoding'),
    sendVoyager: send('voyager', 'accept-encoding'),
    build: async () => void (await built().catch(() => {})),
  };
}

const program = fileURLToPath(new URL('page-program.ts', import.meta.url));

async function buildPages(sdl: string, pack: PackPages): Promise<Pages> {
  const { graphiql, voyager } = deserialize(await pack(sdl)) as PackedPages;
  return { graphiql: await unpackPage(graphiql), voyager: await unpackPage(voyager) };
}

/**
 * Builds the pages in a process of its own. The work takes half a second and a hundred megabytes. In this process it would block
 * all requests, and a thread would not return the memory to the system.
 */
export function packPages(sdl: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The program needs nothing of the environment, which holds secrets.
    const options = { encoding: 'buffer', env: {}, maxBuffer: packedPagesBytes, timeout: packPagesMs } as const;
    const child = execFile(process.execPath, [program], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // Where its input cannot be written, the program has failed, and the callback above reports that.
    child.stdin?.on('error', () => {}).end(sdl);
  });
}
