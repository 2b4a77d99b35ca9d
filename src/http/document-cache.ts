import { visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { documentCacheBytes } from '../bounds.ts';

/** Documents that have been found valid and within the limits, by their text. */
export interface KnownDocuments {
  get(text: string): DocumentNode | undefined;
  set(text: string, document: DocumentNode): void;
}

// Of a node with its place and its token, and of what is remembered of it when it has run: its cost, and whether it has a plan.
const bytesPerNode = 450;
const bytesPerDocument = 4_096;
const bytesPerCharacter = 2;
// The largest within the limits takes half of that.
const largestShare = 8;

/** Keeps the documents that were used last, as many as fit into the memory that they may take, and none that is very large. */
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
