import type { ServerResponse } from 'node:http';
import type { Random } from '../../../src/sandbox/random.ts';

// What a border between two chunks may cut in two. Where nothing in a body is of the kind, the body is not cut.
const patterns = {
  'a character of several bytes': /[\u00c2-\u00f4][\u0080-\u00bf]+/g,
  'an escape': /\\(?:u[\da-fA-F]{4}|.)/g,
  'a number': /-?\d[\d.eE+-]+/g,
  'a literal': /true|false|null/g,
  'a name': /"[^"\\]*"(?=\s*:)/g,
  'a text': /"[^"\\]+"(?!\s*:)/g,
  'white space': /[ \t\r\n]{2,}/g,
  'two tokens': /["\]}\w][,:\]}]/g,
} as const;

/** A place where bodies are cut. */
export type CutKind = keyof typeof patterns | 'every byte';

export const cutKinds = [...Object.keys(patterns), 'every byte'] as readonly CutKind[];

const mostPieces = 2_000;

/** A body in pieces, each border of which is within something of this kind. */
export function cutBody(body: Buffer, kind: CutKind, random: Random): readonly Buffer[] {
  const places = kind === 'every byte' ? everyPlace(body) : placesWithin(body, patterns[kind], random);
  const chosen = places.length > mostPieces ? places.slice(0, mostPieces) : places;
  return [0, ...chosen].map((from, index) => body.subarray(from, chosen[index] ?? body.length));
}

function everyPlace({ length }: Buffer): readonly number[] {
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
}

function placesWithin(body: Buffer, pattern: RegExp, random: Random): readonly number[] {
  // One character stands for one byte.
  return [...body.toString('latin1').matchAll(pattern)].map(({ index, 0: { length } }) =>
    random.int(index + 1, index + length - 1),
  );
}

/** How the pieces travel: as chunks, or within a known length with a turn of the event loop between some of them. */
export type Framing = 'chunked' | 'length';

/** Sends a response whose body comes in these pieces. */
export function sendPieces(
  res: ServerResponse,
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  pieces: readonly Buffer[],
  framing: Framing,
): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  res.writeHead(head.status, { ...head.headers, ...(framing === 'length' && { 'content-length': length }) });
  if (framing === 'chunked') {
    for (const piece of pieces) res.write(piece);
    res.end();
    return;
  }
  res.flushHeaders();
  const [first = Buffer.alloc(0), ...rest] = pieces;
  res.write(first, () => setImmediate(() => res.end(Buffer.concat(rest))));
}
