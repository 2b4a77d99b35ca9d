import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { packedPagesBytes, packPagesMs } from '../bounds.ts';
import type { Handler } from '../http/endpoint.ts';
import type { SitePlace } from './frame.ts';
import type { GuideSource, RenderedMarkdown } from './markdown.ts';
import { sendPage, servePage, type PackedPage, type ServedPage } from './page.ts';

type Name = 'graphiql' | 'schema';
type Pages = Readonly<Record<Name, ServedPage>>;
/** The pages about a schema, in the form in which the program that builds them writes them. */
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

/** Serves the pages about a schema. */
export interface PageServer {
  readonly graphiql: Handler;
  readonly schema: Handler;
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
    (name: Name, vary: string): Handler =>
    async ({ req, res }) =>
      sendPage(req, res, (await built())[name], vary);
  return {
    graphiql: send('graphiql', 'accept, accept-encoding'),
    schema: send('schema', 'accept-encoding'),
    build: async () => void (await built().catch(() => {})),
  };
}

async function buildPages(contents: PageContents, pack: PackPages): Promise<Pages> {
  const { graphiql, schema } = deserialize(await pack(contents)) as PackedPages;
  return { graphiql: servePage(graphiql), schema: servePage(schema) };
}

/**
 * Builds the pages in a process of its own. The work takes half a second and a hundred megabytes. In this process it would block
 * all requests, and a thread would not return the memory to the system.
 */
export function packPages(contents: PageContents): Promise<Buffer> {
  return runProgram({ contents });
}

/** What the program of pages is asked for: the pages about a schema, or a guide. */
export type ProgramTask = { readonly contents: PageContents } | { readonly guide: GuideSource };

/** Renders a guide in a process of its own: the work takes forty milliseconds, for which nobody else would be served. */
export async function renderGuide(guide: GuideSource): Promise<RenderedMarkdown> {
  return JSON.parse((await runProgram({ guide })).toString()) as RenderedMarkdown;
}

/** Runs `program.ts`, and returns the bytes that it writes. Rejects where it fails, and where it takes longer than `packPagesMs`. */
function runProgram(task: ProgramTask): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL('program.ts', import.meta.url));
    // The program needs nothing of the environment, which holds secrets.
    const options = { encoding: 'buffer', env: {}, maxBuffer: packedPagesBytes, timeout: packPagesMs } as const;
    const child = execFile(process.execPath, [program], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // Where its input cannot be written, the program has failed, and the callback above reports that.
    child.stdin?.on('error', () => {}).end(JSON.stringify(task));
  });
}
