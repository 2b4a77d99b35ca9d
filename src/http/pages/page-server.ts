import type { IncomingMessage, ServerResponse } from 'node:http';
import { deserialize } from 'node:v8';
import { sendPage, servePage, type PackedPage, type ServedPage } from './page.ts';
import { runProgram } from './program-run.ts';
import type { SitePlace } from './site-places.ts';

type Name = 'graphiql' | 'voyager';
type Pages = Readonly<Record<Name, ServedPage>>;
/** All pages, in the form in which the program that builds them writes them. */
export type PackedPages = Readonly<Record<Name, PackedPage>>;

/** What the pages hold. */
export interface PageContents {
  readonly sdl: string;
  readonly version: string;
  readonly links: readonly SitePlace[];
  /** Whether the embedded sandbox stands in for the API. */
  readonly isSandbox: boolean;
}

/** Builds the pages; the bytes are those of `PackedPages`. */
export type PackPages = (contents: PageContents) => Promise<Uint8Array>;

type SendPage = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Serves the pages about a schema. */
export interface PageServer {
  readonly sendGraphiql: SendPage;
  readonly sendVoyager: SendPage;
  /** Builds the pages once. Resolves when they are built, and also where they cannot be. */
  build(): Promise<void>;
}

/** Creates the server of the pages. After a failure, the next request for a page builds them again. `pack` does as `packPages`. */
export function createPageServer(contents: PageContents, pack: PackPages = packPages): PageServer {
  let pages: Promise<Pages> | null = null;

  function built(): Promise<Pages> {
    pages ??= buildPages(contents, pack).catch((error: unknown) => {
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

async function buildPages(contents: PageContents, pack: PackPages): Promise<Pages> {
  const { graphiql, voyager } = deserialize(await pack(contents)) as PackedPages;
  return { graphiql: servePage(graphiql), voyager: servePage(voyager) };
}

/**
 * Builds the pages in a process of its own. The work takes half a second and a hundred megabytes. In this process it would block
 * all requests, and a thread would not return the memory to the system.
 */
export function packPages(contents: PageContents): Promise<Buffer> {
  return runProgram('page-program.ts', contents);
}
