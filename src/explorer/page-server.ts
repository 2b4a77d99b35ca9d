import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import type { Handler } from '../http/endpoint.ts';
import type { SiteContents } from './frame.ts';
import { sendAsset, sendPage, type PackedPage } from './page.ts';

/** Bytes of pages as a program that builds them writes them: compressed, they are some megabytes. */
const packedPagesBytes = 67_108_864;

/** Milliseconds for such a program: the longest takes half a second on a machine at rest. */
const packPagesMs = 60_000;

/** The pages that take long to build, by their paths: those about the schema, and the guides. */
export type PackedPages = Readonly<Record<string, PackedPage>>;

/** What these pages say of their gateway. */
export interface PageContents extends SiteContents {
  readonly sdl: string;
}

/** Builds the pages; the bytes are those of `PackedPages`. */
export type PackPages = (contents: PageContents) => Promise<Uint8Array>;

/** Serves the pages that take long to build. */
export interface PageServer {
  readonly graphiql: Handler;
  readonly schema: Handler;
  /** Serves one of the files of GraphiQL. */
  readonly asset: Handler;
  /** Serves a guide, at `/docs` the page of all, or at `sectionsPath` what they say: sections with `path`, `guide`, `title` and `text`. */
  readonly guide: (path: string) => Handler;
  /** Builds the pages once. Resolves when they are built, and also where they cannot be. */
  build(): Promise<void>;
}

/** Creates the server of the pages. After a failure, the next request for a page builds them again. `pack` does as `packPages`. */
export function createPageServer(contents: PageContents, pack: PackPages = packPages): PageServer {
  let pages: Promise<PackedPages> | null = null;

  function built(): Promise<PackedPages> {
    pages ??= pack(contents)
      .then((bytes) => deserialize(bytes) as PackedPages)
      .catch((error: unknown) => {
        pages = null;
        throw error;
      });
    return pages;
  }

  async function page(path: string): Promise<PackedPage> {
    const found = (await built())[path];
    if (found === undefined) throw new Error(`There is no page ${path}.`);
    return found;
  }

  const serve =
    (path: string, vary = 'accept, accept-encoding'): Handler =>
    async ({ req, res }) => {
      await sendPage(req, res, await page(path), vary);
    };
  return {
    graphiql: serve('/graphql'),
    async asset({ req, res, url }) {
      await sendAsset(req, res, await page(url.pathname), url.search.slice(1));
    },
    schema: serve('/voyager', 'accept-encoding'),
    guide: (path) => serve(path),
    build: async () => void (await built().catch(() => {})),
  };
}

/**
 * Builds the pages in a process of its own. Rejects where it takes longer than `packPagesMs`. The work takes half a second and a hundred
 * megabytes. In this process it would block all requests, and a thread would not return the memory to the system.
 */
export function packPages(contents: PageContents): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL('program.ts', import.meta.url));
    // The program needs nothing of the environment, which holds secrets.
    const options = { encoding: 'buffer', env: {}, maxBuffer: packedPagesBytes, timeout: packPagesMs } as const;
    const child = execFile(process.execPath, [program], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // Where its input cannot be written, the program has failed, and the callback above reports that.
    child.stdin?.on('error', () => {}).end(JSON.stringify(contents));
  });
}
