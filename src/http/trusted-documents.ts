import { setImmediate as nextTick } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DocumentNode } from 'graphql';
import type { DocumentReader } from '../limits/validation.ts';
import { messageLength, quoteLength } from '../bounds.ts';
import { isJsonObject, withoutByteOrderMark } from '../json.ts';

/** Trusted documents by the identifiers that clients send in their place. */
export type DocumentsById = ReadonlyMap<string, DocumentNode>;

/** Which documents are trusted. */
export interface TrustedDocumentOptions {
  /** Null where there are none. Then an identifier in place of a document is refused. */
  readonly operations: DocumentsById | null;
  /** Whether every other document is refused. */
  readonly only: boolean;
}

/** Finds a trusted document; undefined where there is none. A hash may stand behind its name, as `sha256:…`. */
export function findTrusted(operations: DocumentsById, id: string): DocumentNode | undefined {
  const [, hash] = /^sha256:([\da-f]+)$/i.exec(id) ?? [];
  return operations.get(id) ?? (hash === undefined ? undefined : operations.get(hash.toLowerCase()));
}

// By the document itself, so that no path of a request has to hand on where its document came from.
const trustedIds = new WeakMap<DocumentNode, string>();

/** Returns the first identifier of a trusted document; null for any other document. */
export function trustedIdOf(document: DocumentNode): string | null {
  return trustedIds.get(document) ?? null;
}

/**
 * Reads trusted documents (`readOperationTexts`). A file has two ids: its name, and the SHA-256 of its text in hexadecimal. There may be
 * thousands, so other work goes on between them. Rejects with an error of one line where one of them cannot be served.
 */
export async function readTrustedDocuments(path: string, reader: DocumentReader): Promise<DocumentsById> {
  const documents = new Map<string, DocumentNode>();
  const operations = new Map<string, DocumentNode>();
  const read = ({ id, text, isFile }: OperationText): void => {
    const document = documents.get(text) ?? readTrustedDocument(id, text, reader);
    if (!documents.has(text)) trustedIds.set(document, id);
    documents.set(text, document);
    for (const each of isFile ? [id, createHash('sha256').update(text).digest('hex')] : [id]) {
      if ((operations.get(each) ?? document) !== document)
        throw new Error(`operation ${shownId(each)} is there twice, with different texts`);
      operations.set(each, document);
    }
  };
  for (const text of readForSetting('PERSISTED_OPERATIONS', () => readOperationTexts(path))) {
    await nextTick();
    readForSetting('PERSISTED_OPERATIONS', () => read(text));
  }
  return operations;
}

/** Parses and checks a trusted document. Throws an error that names it by its id. */
export function readTrustedDocument(id: string, text: string, reader: DocumentReader): DocumentNode {
  const document = attempt(`operation ${shownId(id)} cannot be parsed`, () => reader.read(text));
  const [fault] = reader.errorsOf(document);
  if (fault !== undefined) throw new Error(`operation ${shownId(id)} cannot be served: ${fault.message}`);
  return document;
}

/** The text of a trusted document. Its id is the name of its file without the ending, or its identifier in a manifest. */
export interface OperationText {
  readonly id: string;
  readonly text: string;
  readonly isFile: boolean;
}

const extension = '.graphql';

/**
 * Reads the texts of a manifest file (Apollo's `apollo-persisted-query-manifest`, or `{"<id>": "<document>"}` as Relay writes
 * it), or of a folder of `.graphql` files in the order of their names. Throws an error of one line where there are none.
 */
export function readOperationTexts(path: string): readonly OperationText[] {
  // What may be a URL in the wrong variable, with credentials, is not shown.
  const shown = /^(?:[a-z]:\\)?[^:@]*$/i.test(path) ? shownId(path) : 'the path';
  const texts = attempt(`${shown} cannot be read`, () =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith(extension))
          .sort()
          .map((name) => ({ id: basename(name, extension), text: textOf(join(path, name), name), isFile: true }))
      : null,
  );
  const found =
    texts ??
    textsIn(
      shown,
      attempt(`${shown} cannot be read`, () => textOf(path, 'it')),
    );
  if (found.length === 0) throw new Error(`${shown} holds no operation`);
  return found;
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
      if (typeof body === 'string') return { id, text: body, isFile: false };
      throw new Error(`${shown} must hold documents by their ids, and the value of ${shownId(id)} is not a document`);
    });
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations))
    throw new Error(`${shown} must be an apollo-persisted-query-manifest of version 1`);
  return operations.map((operation: unknown) => {
    if (isJsonObject(operation) && typeof operation['id'] === 'string' && typeof operation['body'] === 'string')
      return { id: operation['id'], text: operation['body'], isFile: false };
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
