import type { PageSizes } from './page-cover.ts';

/** How an upstream serves pages, as far as its answers have shown. It is learned once and used for all that is read after. */
export interface ServedSizes {
  /** The sizes that may be asked for; never above the operation's page limit. */
  range: PageSizes;
  /** Whether a page has come with rows, and no more of them than were asked for: then sizes are not ignored. */
  isObeyed: boolean;
}

/** Nothing has been seen yet: every size up to the limit is taken to be served. */
export function unknownSizes(most: number): ServedSizes {
  return { range: { least: 1, most }, isObeyed: false };
}
