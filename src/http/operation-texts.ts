import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageLength, operationFileBytes, quoteLength } from '../bounds.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { withoutByteOrderMark } from './request/request-body.ts';

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
  const isFolder = attempt(`${path} cannot be read`, () => statSync(path).isDirectory());
  const texts = isFolder ? attempt(`${path} cannot be read`, () => textsOfFolder(path)) : textsOfManifest(path);
  if (texts.length === 0) throw new Error(`${path} holds no operation`);
  return texts;
}

/** Returns what `act` returns. Its error becomes one that begins with `what`. */
export function attempt<Value>(what: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
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

function textsOfFolder(path: string): readonly OperationText[] {
  const names = readdirSync(path).filter((name) => name.endsWith(extension));
  return names.sort().map((name) => ({
    id: basename(name, extension),
    text: textOf(join(path, name)),
    isFile: true,
  }));
}

/** Reads a regular file. Any other, such as a pipe, could hold up the whole process, or never end. */
function textOf(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error(`${basename(path)} is neither a file nor a folder`);
  if (found.size > operationFileBytes) throw new Error(`${basename(path)} has more than ${operationFileBytes} bytes`);
  return readFileSync(path, 'utf8');
}

function parsedManifest(path: string, text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    // The message quotes the text, which is that of a secret where the path is one.
    const [place = 'it ends too early or is none'] = /at position \d+.*/.exec((error as Error).message) ?? [];
    throw new Error(`${path} cannot be read as JSON: ${place}`, { cause: error });
  }
}

function textsOfManifest(path: string): readonly OperationText[] {
  const text = attempt(`${path} cannot be read`, () => textOf(path));
  const manifest = parsedManifest(path, text);
  if (!isJsonObject(manifest)) throw new Error(`${path} must hold a JSON object`);
  return 'format' in manifest && 'operations' in manifest
    ? textsOfApollo(path, manifest)
    : textsOfRelay(path, manifest);
}

function textsOfApollo(path: string, { format, version, operations }: JsonObject): readonly OperationText[] {
  if (format !== 'apollo-persisted-query-manifest' || version !== 1 || !Array.isArray(operations))
    throw new Error(`${path} must be an apollo-persisted-query-manifest of version 1`);
  return operations.map((operation: unknown) => {
    if (isJsonObject(operation) && typeof operation['id'] === 'string' && typeof operation['body'] === 'string')
      return { id: operation['id'], text: operation['body'], isFile: false };
    throw new Error(`each operation of ${path} must have an id and a body`);
  });
}

function textsOfRelay(path: string, manifest: JsonObject): readonly OperationText[] {
  return Object.entries(manifest).map(([id, text]) => {
    if (typeof text === 'string') return { id, text, isFile: false };
    throw new Error(`${path} must hold documents by their ids, and the value of ${shownId(id)} is not a document`);
  });
}
