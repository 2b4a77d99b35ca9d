import { getOperationAST, GraphQLError, Kind, visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { createNameCheck } from '../graphql/document.ts';
import { isJsonObject, parseExactly, type JsonObject } from '../json.ts';
import type { DocumentReader } from '../limits/validation.ts';
import type { Request } from './request/request.ts';
import { operationRefusal, Refusal, requestRefusal } from './response/error-response.ts';
import { Run } from './operation-run.ts';
import { findTrusted, type TrustedDocumentOptions } from './trusted-documents.ts';

/** The parameters of a request for GraphQL, by whatever transport it came. */
interface Parameters {
  /** Null where there is none; an empty one is none. */
  readonly query: string | null;
  /** Null where there is none; an empty one is none. */
  readonly operationName: string | null;
  /** Their numbers are digit for digit what was sent (`parseExactly`). */
  readonly variables: JsonObject | null;
  readonly extensions: JsonObject | null;
  /** The identifier of a persisted document, by any of its names; null where there is none, and an empty one is none. */
  readonly documentId: string | null;
}

const identifierNames = ['documentId', 'id', 'doc_id'] as const;
const names = ['query', 'operationName', 'variables', 'extensions', ...identifierNames] as const;

/** Reads parameters as they were parsed: a sentence where they are none. Other names mean nothing. */
function readParameters(given: unknown): Parameters | string {
  if (!isJsonObject(given)) return 'The request must be one JSON object.';
  const { query = null, operationName = null, variables = null, extensions = null } = given;
  if (query !== null && typeof query !== 'string') return 'query must be a text.';
  if (operationName !== null && typeof operationName !== 'string') return 'operationName must be a text.';
  if (variables !== null && !isJsonObject(variables)) return 'variables must be an object.';
  if (extensions !== null && !isJsonObject(extensions)) return 'extensions must be an object.';
  return {
    query: query || null,
    operationName: operationName || null,
    variables,
    extensions,
    documentId: identifierIn(given, extensions),
  };
}

function identifierIn(given: JsonObject, extensions: JsonObject | null): string | null {
  for (const name of identifierNames) {
    const id = given[name];
    if (typeof id === 'string' && id !== '') return id;
  }
  const hash = (extensions?.['persistedQuery'] as { readonly sha256Hash?: unknown } | null | undefined)?.sha256Hash;
  return typeof hash === 'string' ? hash || null : null;
}

/**
 * Returns the parameters of a request for GraphQL by GET (GraphQL over HTTP, section 6.1), as a body would hold them. Of several
 * values the first counts. Undefined where a value should be JSON or UTF-8 and is not; an empty one is none.
 */
export function urlParameters({ search, searchParams }: URL): unknown {
  const parameters: Partial<Record<(typeof names)[number], unknown>> = {};
  try {
    // By name: a URL may hold thousands of others, and to make an object of those would take a millisecond.
    for (const name of names) {
      const value = searchParams.get(name);
      // What is no UTF-8 is read as this character, which a text may have of its own: then this throws nothing.
      if (value?.includes('\uFFFD') === true) decodeURIComponent(search);
      if (value !== null) parameters[name] = value;
    }
    parameters.variables = jsonOf(parameters.variables);
    parameters.extensions = jsonOf(parameters.extensions);
    return parameters;
  } catch {
    return undefined;
  }
}

function jsonOf(text: unknown): unknown {
  return typeof text === 'string' && text !== '' ? parseExactly(text) : null;
}

/** Bytes of memory that cached documents take: some thousand documents of thirty fields. */
export const documentCacheBytes = 33_554_432;

/** Whether a document asks for a response in pieces. */
export const isIncremental = createNameCheck(Kind.DIRECTIVE, new Set(['defer']));

/** Finds what a request asks for, by its parameters as they were parsed: a run, which may be refused. */
export type ReadOperation = (given: unknown, request: Request) => Run;

/**
 * Finds the documents of requests, on every path: by their text, or by the identifier of a trusted one. Valid documents are kept by
 * their text. Nothing else is kept: a document beyond the limits is refused each time it comes, before anything that takes long.
 */
export class Documents {
  readonly #reader: DocumentReader;
  readonly #trusted: TrustedDocumentOptions;
  /** The documents that were used last, by their text, and no very large one. */
  readonly #known = new LRUCache<string, DocumentNode>({
    maxSize: documentCacheBytes,
    maxEntrySize: documentCacheBytes / largestShare,
    sizeCalculation: (document, text) =>
      bytesPerDocument + nodesIn(document) * bytesPerNode + text.length * bytesPerCharacter,
  });

  constructor(reader: DocumentReader, trusted: TrustedDocumentOptions) {
    this.#reader = reader;
    this.#trusted = trusted;
  }

  readonly readOperation: ReadOperation = (given, request) => {
    const parameters = given === undefined ? noJson : readParameters(given);
    if (typeof parameters === 'string') return new Run(request, undefined, requestRefusal(400, parameters));
    const { query, operationName, variables } = parameters;
    try {
      const known = query === null || this.#trusted.only ? undefined : this.#known.get(query);
      const document = known ?? this.#documentOf(parameters);
      if (document instanceof Refusal) return new Run(request, undefined, document);
      const definition = getOperationAST(document, operationName) ?? null;
      const run = new Run(request, { document, definition, operationName, variables });
      if (definition === null) run.refusal = documentRefusal('OPERATION_RESOLUTION_FAILURE');
      else if (known === undefined && query !== null) run.refusal = this.#refusalOf(document, query);
      return run;
    } catch (error) {
      return new Run(request, undefined, operationRefusal(error as Error));
    }
  };

  #documentOf({ query, documentId, extensions }: Parameters): DocumentNode | Refusal {
    const { operations, only } = this.#trusted;
    if (query !== null) return only ? documentRefusal('PERSISTED_QUERY_ID_REQUIRED') : this.#reader.read(query);
    if (documentId === null) return requestRefusal(400, 'A query, or the identifier of one, must be provided.');
    if (operations === null) return documentRefusal('PERSISTED_QUERY_NOT_SUPPORTED', extensions);
    return findTrusted(operations, documentId) ?? documentRefusal('PERSISTED_QUERY_NOT_FOUND', extensions);
  }

  #refusalOf(document: DocumentNode, text: string): Refusal | null {
    const errors = this.#reader.errorsOf(document);
    if (errors.length > 0) return operationRefusal(...errors);
    this.#known.set(text, document);
    return null;
  }
}

const noJson = 'The request holds JSON that cannot be parsed, or is not in UTF-8.';

/** The refusals of requests that name no document, by their code. No request registers one. */
const messages = {
  PERSISTED_QUERY_NOT_FOUND: 'No operation has this identifier.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'This gateway has no persisted operations. Send the query itself.',
  PERSISTED_QUERY_ID_REQUIRED: 'This gateway runs known operations alone. Send an identifier instead of a query.',
  // Yoga's own words.
  OPERATION_RESOLUTION_FAILURE: 'Could not determine what operation to execute.',
} as const;

// Apollo's clients and urql compare these, where they have sent `extensions.persistedQuery`, and then send the query itself.
const comparedMessages: Partial<Record<keyof typeof messages, string>> = {
  PERSISTED_QUERY_NOT_FOUND: 'PersistedQueryNotFound',
  PERSISTED_QUERY_NOT_SUPPORTED: 'PersistedQueryNotSupported',
};

function documentRefusal(code: keyof typeof messages, extensions: JsonObject | null = null): Refusal {
  const compared = extensions?.['persistedQuery'] == null ? undefined : comparedMessages[code];
  return operationRefusal(new GraphQLError(compared ?? messages[code], { extensions: { code } }));
}

// A node with its place and its token, and what is kept for it after a run: its cost, and whether it has a plan.
const bytesPerNode = 450;
const bytesPerDocument = 4_096;
const bytesPerCharacter = 2;
// The largest document within the limits takes half of this share.
const largestShare = 8;

function nodesIn(document: DocumentNode): number {
  let count = 0;
  visit(document, { enter: () => void count++ });
  return count;
}
