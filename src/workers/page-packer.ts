import { packPages, type PackPages } from '../explorer/page-server.ts';

/** Builds the pages once for all workers; after a failure, again for the next that asks. */
export function createPagePacker(): PackPages {
  let packed: Promise<Uint8Array> | null = null;
  return (contents) => {
    packed ??= packPages(contents).catch((error: unknown) => {
      packed = null;
      throw error;
    });
    return packed;
  };
}
