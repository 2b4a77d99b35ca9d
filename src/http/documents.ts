import type { DocumentNode, GraphQLError, ValidationRule } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { readDocument } from '../limits/document-text.ts';
import { createDocumentCache } from './document-cache.ts';
import type { CheckDocument } from './graphql-execution.ts';
import { requestError } from './response/error-response.ts';

/** A text and what it was read as: a document, or the error for which it is none or could not be checked. */
export type ReadText = ReadDocument | { readonly text: string; readonly error: unknown };

/** A document that was read from a text. */
export interface ReadDocument {
  readonly text: string;
  readonly document: DocumentNode;
  /** The errors of a document that is not valid; null where it is, or has not been checked. */
  readonly errors: readonly GraphQLError[] | null;
}

/**
 * Reads and checks documents, and keeps those that may be served. Nothing else is kept: a document beyond the limits is refused
 * each time it comes, before anything that takes long.
 */
export class Documents {
  readonly #limits: Pick<DocumentLimits, 'tokens'>;
  readonly #check: CheckDocument;
  readonly #known = createDocumentCache();
  readonly #texts = new WeakMap<DocumentNode, string>();
  // Trusted documents come from elsewhere and are in no cache.
  readonly #valid = new WeakSet<DocumentNode>();

  constructor(limits: Pick<DocumentLimits, 'tokens'>, check: CheckDocument) {
    this.#limits = limits;
    this.#check = check;
  }

  /** The valid document of a text that has been read before; undefined where it is not known. */
  find(text: string): DocumentNode | undefined {
    return this.#known.get(text);
  }

  /** Reads a text that is not known. */
  read(text: string): ReadText {
    try {
      const document = readDocument(text, this.#limits);
      this.#texts.set(document, text);
      return { text, document, errors: null };
    } catch (error) {
      return { text, error: error instanceof GatewayError ? requestError(error) : error };
    }
  }

  /** Whether a document has been checked before, and is valid. */
  isValid(document: DocumentNode): boolean {
    return this.#valid.has(document);
  }

  /** Checks a document, and keeps it where it has no errors. `rules` default to those of GraphQL. */
  check(document: DocumentNode, rules?: readonly ValidationRule[]): readonly GraphQLError[] {
    const errors = this.#check(document, rules);
    if (errors.length === 0) this.#keep(document);
    return errors;
  }

  #keep(document: DocumentNode): void {
    this.#valid.add(document);
    const text = this.#texts.get(document);
    if (text !== undefined) this.#known.set(text, document);
  }
}
