import type { DocumentNode } from 'graphql';

// A parsed document takes about thirty times the memory of its text.
const longestDocument = 32_768;
const mostCharacters = 1_048_576;

/** What Yoga wants of a cache of parsed documents by their text. */
export interface DocumentCache<Parsed> {
  get(text: string): Parsed | undefined;
  set(text: string, parsed: Parsed): void;
}

/** Documents that have been found valid and within the limits, by their text. */
export type KnownDocuments = DocumentCache<DocumentNode>;

/**
 * Keeps the documents that were used last, a million characters of them at most and none that is very long: Yoga's own
 * cache counts entries, and a thousand queries of a megabyte each would fill the memory.
 */
export function createDocumentCache<Parsed>(): DocumentCache<Parsed> {
  const entries = new Map<string, Parsed>();
  let characters = 0;

  function remove(text: string): void {
    if (entries.delete(text)) characters -= text.length;
  }

  return {
    get(text) {
      const parsed = entries.get(text);
      // A Map remembers the order of insertion: what is put in again is the youngest.
      if (parsed !== undefined && entries.delete(text)) entries.set(text, parsed);
      return parsed;
    },
    set(text, parsed) {
      remove(text);
      if (text.length > longestDocument) return;
      entries.set(text, parsed);
      characters += text.length;
      for (const oldest of entries.keys()) {
        if (characters <= mostCharacters) break;
        remove(oldest);
      }
    },
  };
}
