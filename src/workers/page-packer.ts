import { packPages } from '../http/pages/page-server.ts';

/** Builds the pages once for all workers; after a failure, again for the next that asks. */
export function createPagePacker(): (sdl: string) => Promise<Uint8Array> {
  let packed: Promise<Uint8Array> | null = null;
  return (sdl) => {
    packed ??= packPages(sdl).catch((error: unknown) => {
      packed = null;
      throw error;
    });
    return packed;
  };
}
