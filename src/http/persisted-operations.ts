import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DocumentNode } from 'graphql';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { readDocument } from '../limits/document-text.ts';
import type { CheckDocument } from './graphql-execution.ts';

/** Trusted documents by the identifiers that clients send in their place. */
export type PersistedOperations = ReadonlyMap<string, DocumentNode>;

const extension = '.graphql';

// By the document itself, so that no path of a request has to hand on where its document came from.
const trustedIds = new WeakMap<DocumentNode, string>();

/** Returns the first identifier of a trusted document; null for any other document. */
export function trustedIdOf(document: DocumentNode): string | null {
  return trustedIds.get(document) ?? null;
}

/**
 * Reads the trusted documents of a manifest file (Apollo's `apollo-persisted-query-manifest`, or `{"<id>": "<document>"}` as
 * Relay writes it), or of a folder of `.graphql` files. A file has two ids: the SHA-256 of its text in hexadecimal, and its
 * name. Stops after each document, of which a manifest may have thousands. Throws an error of one line, for whoever runs the
 * process, where one of the documents cannot be served.
 */
export function* readPersistedOperations(
  path: string,
  limits: Pick<DocumentLimits, 'tokens'>,
  checkDocument: CheckDocument,
): Generator<undefined, PersistedOperations> {
  const texts = new Map(textsOf(path));
  if (texts.size === 0) throw unusable(`${path} holds no operation`);
  const documents = new Map<string, DocumentNode>();
  const operations = new Map<string, DocumentNode>();
  for (const [id, text] of texts) {
    const document = documents.get(text) ?? documentOf(id, text, limits, checkDocument);
    if (!documents.has(text)) trustedIds.set(document, id);
    documents.set(text, document);
    operations.set(id, document);
    yield;
  }
  return operations;
}

type Texts = readonly (readonly [id: string, text: string])[];

function textsOf(path: string): Texts {
  const isFolder = attempt(`${path} cannot be read`, () => statSync(path).isDirectory());
  if (isFolder) return textsOfFolder(path);
  const manifest = attempt<unknown>(`${path} cannot be read as JSON`, () => JSON.parse(readFileSync(path, 'utf8')));
  if (!isObject(manifest)) throw unusable(`${path} must hold a JSON object`);
  return 'format' in manifest && 'operations' in manifest
    ? textsOfApollo(path, manifest)
    : textsOfRelay(path, manifest);
}

function textsOfFolder(path: string): Texts {
  return attempt(`${path} cannot be read`, () => {
    const names = readdirSync(path).filter((name) => name.endsWith(extension));
    return names.sort().flatMap((name) => {
      const text = readFileSync(join(path, name), 'utf8');
      const hash = createHash('sha256').update(text).digest('hex');
      return [[basename(name, extension), text] as const, [hash, text] as const];
    });
  });
}

function textsOfApollo(path: string, { format, version, operations }: Readonly<Record<string, unknown>>): Texts {
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations))
    throw unusable(`${path} must be an apollo-persisted-query-manifest of version 1`);
  return operations.map((operation: unknown) => {
    if (isObject(operation) && typeof operation['id'] === 'string' && typeof operation['body'] === 'string')
      return [operation['id'], operation['body']] as const;
    throw unusable(`each operation of ${path} must have an id and a body`);
  });
}

function textsOfRelay(path: string, manifest: Readonly<Record<string, unknown>>): Texts {
  return Object.entries(manifest).map(([id, text]) => {
    if (typeof text === 'string') return [id, text] as const;
    throw unusable(`${path} must hold documents by their ids, and the value of ${id} is not a document`);
  });
}

function documentOf(
  id: string,
  text: string,
  limits: Pick<DocumentLimits, 'tokens'>,
  checkDocument: CheckDocument,
): DocumentNode {
  const document = attempt(`operation ${id} cannot be parsed`, () => readDocument(text, limits));
  const [fault] = checkDocument(document);
  if (fault !== undefined) throw unusable(`operation ${id} cannot be served: ${fault.message}`);
  return document;
}

function attempt<Value>(what: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw unusable(`${what}: ${(error as Error).message}`);
  }
}

function unusable(what: string): Error {
  return new Error(`PERSISTED_OPERATIONS cannot be used: ${what}`.replaceAll(/\s+/g, ' ').replace(/\.$/, ''));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
