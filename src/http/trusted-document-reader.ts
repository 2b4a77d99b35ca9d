import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import type { DocumentLimits } from '../limits/document-limits.ts';
import { readDocument } from '../limits/document-text.ts';
import type { CheckDocument } from './graphql-execution.ts';
import { attempt, readForSetting, readOperationTexts, shownId } from './operation-texts.ts';

/** Trusted documents by the identifiers that clients send in their place. */
export type DocumentsById = ReadonlyMap<string, DocumentNode>;

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
export function* readTrustedDocuments(
  path: string,
  limits: Pick<DocumentLimits, 'tokens'>,
  checkDocument: CheckDocument,
): Generator<undefined, DocumentsById> {
  const documents = new Map<string, DocumentNode>();
  const operations = new Map<string, DocumentNode>();
  const keep = (id: string, document: DocumentNode): void => {
    const other = operations.get(id) ?? document;
    if (other !== document) throw new Error(`operation ${shownId(id)} is there twice, with different texts`);
    operations.set(id, document);
  };
  for (const { id, text, isFile } of forSetting(() => readOperationTexts(path))) {
    const document = documents.get(text) ?? forSetting(() => readTrustedDocument(id, text, limits, checkDocument));
    if (!documents.has(text)) trustedIds.set(document, id);
    documents.set(text, document);
    forSetting(() => {
      keep(id, document);
      if (isFile) keep(createHash('sha256').update(text).digest('hex'), document);
    });
    yield;
  }
  return operations;
}

function forSetting<Value>(read: () => Value): Value {
  return readForSetting('PERSISTED_OPERATIONS', read);
}

/** Parses and checks a trusted document. Throws an error that names it by its id. */
export function readTrustedDocument(
  id: string,
  text: string,
  limits: Pick<DocumentLimits, 'tokens'>,
  checkDocument: CheckDocument,
): DocumentNode {
  const document = attempt(`operation ${shownId(id)} cannot be parsed`, () => readDocument(text, limits));
  const [fault] = checkDocument(document);
  if (fault !== undefined) throw new Error(`operation ${shownId(id)} cannot be served: ${fault.message}`);
  return document;
}
