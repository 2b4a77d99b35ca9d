import type { IncomingMessage, ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import { sendPage, type Page } from './page.ts';

/** All pages, as they go over the wire. */
export interface Pages {
  readonly graphiql: Page;
  readonly voyager: Page;
}

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
    (name: keyof Pages, vary: string): SendPage =>
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

/** Half a second of work, for eleven megabytes: done here, it would hold all requests. */
function buildPages(sdl: string): Promise<Pages> {
  return new Promise((resolve, reject) => {
    // It needs nothing of the environment, which holds secrets, nor what this process was begun with.
    const thread = new Worker(new URL('page-thread.ts', import.meta.url), { workerData: sdl, env: {}, execArgv: [] });
    thread.unref();
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread that builds the pages ended without any.')));
  });
}
