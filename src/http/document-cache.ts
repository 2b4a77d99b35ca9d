import { visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentCacheBytes } from '../bounds.ts';

/** Documents that are valid and within the limits, by their text. */
export interface KnownDocuments {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

// A node with its place and its token, and what is kept for it after a run: its cost, and whether it has a plan.
const bytesPerNode = 450;
const bytesPerDocument = 4_096;
const bytesPerCharacter = 2;
// The largest document within the limits takes half of this share.
const largestShare = 8;

/** Creates a cache of at most `documentCacheBytes`. It keeps the documents that were used last, and no very large one. */
export function createDocumentCache(): KnownDocuments {
  return new LRUCache<string, DocumentNode>({
    maxSize: documentCacheBytes,
    maxEntrySize: documentCacheBytes / largestShare,
    sizeCalculation: (document, text) =>
      bytesPerDocument + nodesIn(document) * bytesPerNode + text.length * bytesPerCharacter,
  });
}

function nodesIn(document: DocumentNode): number {
  let count = 0;
  visit(document, { enter: () => void count++ });
  return count;
}
