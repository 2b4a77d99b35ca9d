import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { getOperationAST, GraphQLError, visit, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { messageLength, quoteLength } from '../bounds.ts';
import { namesIn } from '../graphql/document.ts';
import { isJsonObject, parseExactly, type JsonObject, withoutByteOrderMark } from '../json.ts';
import type { DocumentReader } from '../limits/document-reader.ts';
import { Run } from './operation-run.ts';
import type { Request } from './request/request.ts';
import { operationRefusal, Refusal, requestRefusal } from './response/error-response.ts';

/** The parameters of a request for GraphQL, by whatever transport it came. */
interface Parameters {
  /** Null where there is none; an empty one is none. */
  readonly query: string | null;
  /** Null where there is none; an empty one is none. */
  readonly operationName: string | null;
  /** Their numbers are digit for digit what was sent (`parseExactly`). */
  readonly variables: JsonObject;
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
    variables: variables ?? {},
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
export function isIncremental(document: DocumentNode): boolean {
  return namesIn(document).has('@defer');
}

/** Finds what a request asks for, by its parameters as they were parsed: a run, which may be refused. */
export type ReadOperation = (given: unknown, request: Request) => Run;

/**
 * Creates what finds the documents of requests, on every path: by their text, or by the identifier of a trusted one. Valid documents are
 * kept by their text. Nothing else is kept: a document beyond the limits is refused each time it comes, before anything that takes long.
 */
export function createOperationReader(
  reader: DocumentReader,
  { operations, only }: TrustedDocumentOptions,
): ReadOperation {
  // The documents that were used last, by their text, and no very large one.
  const known = new LRUCache<string, DocumentNode>({
    maxSize: documentCacheBytes,
    maxEntrySize: documentCacheBytes / largestShare,
    sizeCalculation: (document, text) =>
      bytesPerDocument + nodesIn(document) * bytesPerNode + text.length * bytesPerCharacter,
  });

  function documentOf({ query, documentId, extensions }: Parameters): DocumentNode | Refusal {
    if (query !== null && only) return documentRefusal('PERSISTED_QUERY_ID_REQUIRED');
    if (query !== null) return known.get(query) ?? reader.read(query);
    if (documentId === null) return requestRefusal(400, 'A query, or the identifier of one, must be provided.');
    if (operations === null) return documentRefusal('PERSISTED_QUERY_NOT_SUPPORTED', extensions);
    return findTrusted(operations, documentId) ?? documentRefusal('PERSISTED_QUERY_NOT_FOUND', extensions);
  }

  function refusalOf(document: DocumentNode, query: string): Refusal | null {
    const errors = reader.errorsOf(document);
    if (errors.length > 0) return operationRefusal(...errors);
    known.set(query, document);
    return null;
  }

  return function readOperation(given, request) {
    const parameters = given === undefined ? noJson : readParameters(given);
    if (typeof parameters === 'string') return new Run(request, undefined, requestRefusal(400, parameters));
    const { query, operationName, variables } = parameters;
    try {
      const document = documentOf(parameters);
      if (document instanceof Refusal) return new Run(request, undefined, document);
      const definition = getOperationAST(document, operationName);
      if (definition == null) return new Run(request, undefined, documentRefusal('OPERATION_RESOLUTION_FAILURE'));
      const refusal = query === null || known.has(query) ? null : refusalOf(document, query);
      return new Run(request, { document, definition, variables }, refusal);
    } catch (error) {
      return new Run(request, undefined, operationRefusal(error as Error));
    }
  };
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

/** Trusted documents by the identifiers that clients send in their place. */
type DocumentsById = ReadonlyMap<string, DocumentNode>;

/** Which documents are trusted. */
interface TrustedDocumentOptions {
  /** Null where there are none. Then an identifier in place of a document is refused. */
  readonly operations: DocumentsById | null;
  /** Whether every other document is refused. */
  readonly only: boolean;
}

/** Finds a trusted document; undefined where there is none. A hash may stand behind its name, as `sha256:…`. */
function findTrusted(operations: DocumentsById, id: string): DocumentNode | undefined {
  const [, hash] = /^sha256:([\da-f]+)$/i.exec(id) ?? [];
  return operations.get(id) ?? (hash === undefined ? undefined : operations.get(hash.toLowerCase()));
}

// By the document itself, so that no path of a request has to hand on where its document came from.
const trustedIds = new WeakMap<DocumentNode, string>();

/** Returns the first identifier of a trusted document; null for any other document. */
export function trustedIdOf(document: DocumentNode): string | null {
  return trustedIds.get(document) ?? null;
}

/** Reads trusted documents (`readOperationTexts`). Throws an error of one line where one of them cannot be served. */
export function readTrustedDocuments(path: string, reader: DocumentReader): DocumentsById {
  return readForSetting('PERSISTED_OPERATIONS', () => {
    const operations = new Map<string, DocumentNode>();
    for (const { id, text, ids } of readOperationTexts(path)) {
      const document = readTrustedDocument(id, text, reader);
      trustedIds.set(document, id);
      for (const each of ids) operations.set(each, document);
    }
    return operations;
  });
}

/** Parses and checks a trusted document. Throws an error that names it by its id. */
export function readTrustedDocument(id: string, text: string, reader: DocumentReader): DocumentNode {
  const document = attempt(`operation ${shownId(id)} cannot be parsed`, () => reader.read(text));
  const [fault] = reader.errorsOf(document);
  if (fault !== undefined) throw new Error(`operation ${shownId(id)} cannot be served: ${fault.message}`);
  return document;
}

/**
 * The text of a trusted document. Its id is the name of its file without the ending, or its identifier in a manifest; a file has a second
 * one, the SHA-256 of its text in hexadecimal.
 */
export interface OperationText {
  readonly id: string;
  readonly text: string;
  readonly ids: readonly string[];
}

const extension = '.graphql';

/**
 * Reads the texts of a manifest file (Apollo's `apollo-persisted-query-manifest`, or `{"<id>": "<document>"}` as Relay writes
 * it), or of a folder of `.graphql` files in the order of their names. Throws an error of one line where there are none, and where one id
 * has two texts.
 */
export function readOperationTexts(path: string): readonly OperationText[] {
  // What may be a URL in the wrong variable, with credentials, is not shown.
  const shown = /^(?:[a-z]:\\)?[^:@]*$/i.test(path) ? shownId(path) : 'the path';
  const read = attempt(`${shown} cannot be read`, () =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith(extension))
          .sort()
          .map((name) => fileText(basename(name, extension), textOf(join(path, name), name)))
      : textOf(path, 'it'),
  );
  const found = typeof read === 'string' ? textsIn(shown, read) : read;
  if (found.length === 0) throw new Error(`${shown} holds no operation`);
  const known = new Map<string, string>();
  for (const { ids, text } of found)
    for (const id of ids)
      if (known.getOrInsert(id, text) !== text)
        throw new Error(`operation ${shownId(id)} is there twice, with different texts`);
  return found;
}

function fileText(id: string, text: string): OperationText {
  return { id, text, ids: [id, createHash('sha256').update(text).digest('hex')] };
}

/** Returns what `act` returns. Its error becomes one that begins with `what`; one of the system is told by its code. */
export function attempt<Value>(what: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    // The message of the system quotes the path.
    throw new Error(`${what}: ${syscall === undefined ? message : code}`, { cause: error });
  }
}

/** Reads documents for a setting. Its errors become one line, for whoever starts the process, that names the variable. */
export function readForSetting<Value>(variable: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const line = `${variable} cannot be used: ${(error as Error).message}`;
    const printed = line.slice(0, messageLength).replaceAll(/[\s\p{Cc}]+/gu, ' ');
    throw new Error(printed.replace(/\.$/, ''), { cause: error });
  }
}

/** An identifier as errors show it. A manifest may have any text for one. */
export function shownId(id: string): string {
  return id.length > quoteLength ? `${id.slice(0, quoteLength)}…` : id;
}

/** Reads a regular file. Any other, such as a pipe, could hold up the whole process, or never end. */
function textOf(path: string, name: string): string {
  if (!statSync(path).isFile()) throw new Error(`${name} is neither a file nor a folder`);
  return readFileSync(path, 'utf8');
}

/** The texts of a manifest. */
function textsIn(shown: string, text: string): readonly OperationText[] {
  const manifest = parsedManifest(shown, text);
  if (!isJsonObject(manifest)) throw new Error(`${shown} must hold a JSON object`);
  const { format, version, operations } = manifest;
  if (format === undefined || operations === undefined)
    return Object.entries(manifest).map(([id, body]) => {
      if (typeof body === 'string') return { id, text: body, ids: [id] };
      throw new Error(`${shown} must hold documents by their ids, and the value of ${shownId(id)} is not a document`);
    });
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations))
    throw new Error(`${shown} must be an apollo-persisted-query-manifest of version 1`);
  return operations.map((operation: unknown) => {
    const { id = null, body = null } = isJsonObject(operation) ? operation : {};
    if (typeof id === 'string' && typeof body === 'string') return { id, text: body, ids: [id] };
    throw new Error(`each operation of ${shown} must have an id and a body`);
  });
}

function parsedManifest(shown: string, text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    // The message quotes the text, which is that of a secret where the path is one.
    const [place = 'it ends too early or is none'] = /at position \d+.*/.exec((error as Error).message) ?? [];
    throw new Error(`${shown} cannot be read as JSON: ${place}`, { cause: error });
  }
}
