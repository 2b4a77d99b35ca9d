import type { Piece } from '../../graphql/execution/written-data.ts';
import { FreeFormText } from '../../json.ts';
import { WorkSlices } from '../../time-slices.ts';
import type { Request } from '../request/request.ts';
import { headersForCaller } from './cache-headers.ts';
import { compress, type ChooseCoding, type Coding } from './compression.ts';

/**
 * Writes a whole response, compressed where that is worth it and the client takes it. `release` is called when the pieces are not needed
 * any more.
 */
export type WriteResponse = (
  request: Request,
  status: number,
  contentType: string,
  pieces: readonly Piece[],
  release?: () => void,
) => Promise<void> | undefined;

/** Bytes from which a body is compressed: a smaller one fits into a packet or two as it is. */
export const compressedFrom = 1_024;

export function createResponseWriter(chooseCoding: ChooseCoding): WriteResponse {
  return (request, status, contentType, pieces, release) => {
    const { req, res } = request;
    let length = 0;
    for (const piece of pieces) length += piece.length;
    const coding = length < compressedFrom ? null : chooseCoding(req);
    if (coding !== null) {
      const bytes = Buffer.concat(pieces.map(bytesOf), length);
      release?.();
      return writeCompressed(request, status, contentType, bytes, coding);
    }
    writeHead(request, status, contentType, length);
    // A text is a copy of its parts already.
    if (pieces.every((piece) => typeof piece === 'string')) release?.();
    else if (release !== undefined) res.once('close', () => res.writableFinished && release());
    const last = pieces.length - 1;
    for (let at = 0; at < last; at++) res.write(pieces[at], 'latin1');
    res.end(pieces[last], 'latin1');
    return undefined;
  };
}

/** A text as a piece. Where each of its characters is one byte, Latin-1 has the same bytes as UTF-8 and costs a fraction. */
export function pieceOf(text: string): Piece {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}

function bytesOf(piece: Piece): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
}

function writeHead(request: Request, status: number, contentType: string, length: number, coding?: Coding) {
  const headers = headersForCaller(request, contentType, length);
  if (coding !== undefined) headers.push('content-encoding', coding);
  request.res.writeHead(status, headers);
}

async function writeCompressed(
  request: Request,
  status: number,
  contentType: string,
  bytes: Buffer,
  coding: Coding,
): Promise<void> {
  const body = await compress[coding](bytes);
  // The client has left, so nobody would read the response.
  if (request.signal.aborted) return;
  writeHead(request, status, contentType, body.length, coding);
  request.res.end(body);
}

/** Values, and each sixty-four characters of texts, of a large answer that JSON.stringify writes at once: some ten microseconds. */
const partOfAnswer = 512;

/** Characters of a long text that are written at once. */
const partOfText = 16_384;

/** Characters of a large answer that become bytes at once. */
const writtenPiece = 65_536;

/**
 * The bytes of what JSON.stringify writes of a result, in pieces: at once if there is time for that, else in slices of time. What is
 * small is left to JSON.stringify.
 */
export async function printResult(value: object): Promise<readonly Buffer[]> {
  const slices = new WorkSlices();
  const pieces: Buffer[] = [];
  let text = '';
  const endPiece = (): void => {
    if (text !== '') pieces.push(Buffer.from(text));
    text = '';
  };
  for (const part of partsOf(value)) {
    if (typeof part === 'string') text += part;
    if (typeof part !== 'string' || text.length > writtenPiece) endPiece();
    if (typeof part !== 'string') pieces.push(part);
    if (slices.isOver()) await slices.rest();
  }
  endPiece();
  return pieces;
}

// The type library does not know it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: object) => boolean };

/** The parts of what JSON.stringify writes of a value. None of them takes long to be made. */
function* partsOf(value: unknown): Generator<string | Buffer, void> {
  if (weigh(value, partOfAnswer) >= 0) yield JSON.stringify(value);
  else if (typeof value === 'string') yield* partsOfText(value);
  else if (value instanceof FreeFormText) yield* value.pieces;
  else if (isRawJSON(value as object)) yield JSON.stringify(value);
  else if (isWrapped(value)) yield* partsOf(value.toJSON());
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(value as Readonly<Record<string, unknown>>);
}

function* partsOfList(list: readonly unknown[]): Generator<string | Buffer, void> {
  yield '[';
  for (let at = 0; at < list.length; at++) {
    if (at > 0) yield ',';
    yield* partsOf(list[at] ?? null);
  }
  yield ']';
}

function* partsOfObject(members: Readonly<Record<string, unknown>>): Generator<string | Buffer, void> {
  let before = '{';
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* partsOfText(text: string): Generator<string, void> {
  yield '"';
  for (let at = 0; at < text.length;) {
    let end = at + partOfText;
    // Half of a pair would be written as an escape.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00) end++;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

/** What a value leaves of a room: it takes a unit, and more for long texts. Negative: JSON.stringify would take long. */
function weigh(value: unknown, room: number): number {
  if (typeof value === 'string') return room - 1 - value.length / 64;
  if (typeof value !== 'object' || value === null) return room - 1;
  if (value instanceof FreeFormText || isWrapped(value)) return -1;
  let left = room - 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = weigh(value[at], left);
    return left;
  }
  for (const name in value) {
    left = weigh((value as Readonly<Record<string, unknown>>)[name], left - name.length / 64);
    if (left < 0) return left;
  }
  return left;
}

/** Whether JSON.stringify writes something else in place of a value: an object with a member `then` comes wrapped. */
function isWrapped(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { readonly toJSON?: unknown } | null)?.toJSON === 'function';
}
