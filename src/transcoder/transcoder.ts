import { isUtf8 } from 'node:buffer';
import { machine, places } from './machine.ts';

/** A body of JSON. */
export interface Body {
  /** In bytes. */
  readonly length: number;
  copyTo(target: Uint8Array, place: number): void;
}

/** What has been made of a body. Nothing of it lies in the memory that the next body will use. */
export interface Transcript {
  /** What is written, in UTF-8: a text with a character of Latin-1 for each byte, or the bytes. */
  readonly written: string | Buffer;
  /** Where each row ends in it. The first begins behind one byte, each other one byte behind the one before. */
  readonly ends: Uint32Array;
  /** What is handed out of the rows, one row behind the other: texts, or null. */
  readonly keys: () => readonly (string | null)[];
  /** What is handed out of the body, parsed; undefined where it is not there. */
  readonly member: unknown;
  /** Where the first row stands in the body: its bytes from here to there. */
  readonly firstRow: readonly [from: number, to: number];
}

/** How the caller has it. */
export interface Options {
  /** So many bytes are handed over as text at most. */
  readonly mostText: number;
  /** A buffer of just this length for others. */
  readonly lend: (length: number) => Buffer;
}

/** Longer bodies do not fit. */
export const longestBody = places.output - places.input - 1_024;

let lastTables: Buffer | undefined;

/** Writes what tables say of a body; null where it is not as it should be in every respect, or too large: then nothing is written. */
export function transcode(body: Body, tables: Buffer, { mostText, lend }: Options): Transcript | null {
  const { bytes, words } = machine;
  const { result, ends, keys, input, output } = places;
  if (body.length > longestBody) return null;
  body.copyTo(bytes, input);
  if (!isUtf8(bytes.subarray(input, input + body.length))) return null;
  if (lastTables !== tables) bytes.set(tables, places.tables);
  lastTables = tables;
  if (machine.transcode(body.length) !== 1) return null;
  const word = (index: number): number => words[result / 4 + index] ?? 0;
  const length = word(0);
  const keyText = bytes.toString('utf8', keys, word(2));
  let keyList: readonly (string | null)[] | undefined;
  const written = length <= mostText ? bytes.toString('latin1', output, output + length) : lend(length);
  if (typeof written !== 'string') bytes.copy(written, 0, output, output + length);
  const memberAt = input + word(3);
  return {
    written,
    ends: words.slice(ends / 4, ends / 4 + word(1)),
    keys: () => (keyList ??= JSON.parse(keyText || '[]') as readonly (string | null)[]),
    member: word(4) === 0 ? undefined : JSON.parse(bytes.toString('utf8', memberAt, memberAt + word(4))),
    firstRow: [word(5), word(5) + word(6)],
  };
}
