import { packPage, servePage, type PageSource, type ServedPage } from './page.ts';

/**
 * Writes a page at its first request, and keeps it. After a failure, such as a file that cannot be opened for too many
 * connections, the next request writes it.
 */
export function keepPage(write: () => Promise<PageSource>): () => Promise<ServedPage> {
  let page: Promise<ServedPage> | null = null;
  return () => {
    page ??= write()
      .then(packPage)
      .then(servePage)
      .catch((error: unknown) => {
        page = null;
        throw error;
      });
    return page;
  };
}
