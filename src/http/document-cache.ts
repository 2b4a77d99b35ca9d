import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

// A parsed document takes about thirty times the memory of its text.
const longestDocument = 32_768;
const mostCharacters = 1_048_576;

/** What Yoga wants of a cache of parsed documents by their text. */
export interface DocumentCache<Parsed> {
  get(text: string): Parsed | undefined;
  set(text: string, parsed: NonNullable<Parsed>): void;
}

/** Documents that have been found valid and within the limits, by their text. */
export type KnownDocuments = DocumentCache<DocumentNode>;

/**
 * Keeps the documents that were used last, a million characters of them at most and none that is very long: Yoga's own
 * cache counts entries, and a thousand queries of a megabyte each would fill the memory.
 */
export function createDocumentCache<Parsed>(): DocumentCache<Parsed> {
  return new LRUCache<string, NonNullable<Parsed>>({
    maxSize: mostCharacters,
    maxEntrySize: longestDocument,
    // The library takes no entry without a size.
    sizeCalculation: (_parsed, { length }) => length || 1,
  });
}
