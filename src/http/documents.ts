import { visit, type DocumentNode, type GraphQLError, type ValidationRule } from 'graphql';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { readDocument } from '../limits/document-text.ts';
import type { CheckDocument } from './rules/operation-run.ts';
import { requestError } from './response/error-response.ts';

/** Bytes of memory that cached documents take: some thousand documents of thirty fields. */
export const documentCacheBytes = 33_554_432;

type Errors = readonly GraphQLError[];
type ReadText = { readonly text: string; readonly document: DocumentNode } | { readonly text: string; error: unknown };

/**
 * Reads and checks documents, and keeps those that may be served. Nothing else is kept: a document beyond the limits is refused
 * each time it comes, before anything that takes long.
 */
export class Documents {
  readonly #limits: Pick<DocumentLimits, 'tokens'>;
  readonly #check: CheckDocument;
  readonly #known = createDocumentCache();
  readonly #texts = new WeakMap<DocumentNode, string>();
  /** What came of a check, its failure too. Trusted documents come from elsewhere and are in no cache. */
  readonly #checked = new WeakMap<DocumentNode, () => Errors>();
  /** What was read for a request that has not ended: both paths may ask for it. */
  readonly #readFor = new WeakMap<object, ReadText>();

  constructor(limits: Pick<DocumentLimits, 'tokens'>, check: CheckDocument) {
    this.#limits = limits;
    this.#check = check;
  }

  /** The valid document of a text that has been read before; undefined where it is not known. */
  find(text: string): DocumentNode | undefined {
    return this.#known.get(text);
  }

  /** Reads a text that is not known, once for each request. Throws the error for which it is no document. */
  documentOf(text: string, exchange: object): DocumentNode {
    let read = this.#readFor.get(exchange);
    if (read?.text !== text) {
      read = this.read(text);
      this.#readFor.set(exchange, read);
    }
    if ('error' in read) throw read.error;
    return read.document;
  }

  /** The errors of a document, which is checked once. `rules` default to those of GraphQL. */
  errorsOf(document: DocumentNode, rules?: readonly ValidationRule[]): Errors {
    const checked = this.#checked.get(document) ?? this.#checkOnce(document, rules);
    return checked();
  }

  protected read(text: string): ReadText {
    try {
      const document = readDocument(text, this.#limits);
      this.#texts.set(document, text);
      return { text, document };
    } catch (error) {
      return { text, error: error instanceof GatewayError ? requestError(error) : error };
    }
  }

  #checkOnce(document: DocumentNode, rules?: readonly ValidationRule[]): () => Errors {
    let checked: () => Errors;
    try {
      const errors = this.check(document, rules);
      checked = () => errors;
      const text = this.#texts.get(document);
      if (errors.length === 0 && text !== undefined) this.#known.set(text, document);
    } catch (error) {
      checked = () => {
        throw error;
      };
    }
    this.#checked.set(document, checked);
    return checked;
  }

  protected check(document: DocumentNode, rules?: readonly ValidationRule[]): Errors {
    return this.#check(document, rules);
  }
}

// A node with its place and its token, and what is kept for it after a run: its cost, and whether it has a plan.
const bytesPerNode = 450;
const bytesPerDocument = 4_096;
const bytesPerCharacter = 2;
// The largest document within the limits takes half of this share.
const largestShare = 8;

/** A cache of at most `documentCacheBytes`. It keeps the documents that were used last, by their text, and no very large one. */
export function createDocumentCache(): Pick<LRUCache<string, DocumentNode>, 'get' | 'set'> {
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
