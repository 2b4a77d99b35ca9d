import { isUtf8 } from 'node:buffer';
import { answerText, largeBody, longestList } from '../../../bounds.ts';
import { countOf } from '../../../json.ts';
import type { ReceivedBody } from '../../../upstream/response/received-body.ts';
import type { ListMeta } from '../../../upstream/endpoint.ts';
import type { AnswerBuffers } from '../answer-buffers.ts';
import type { Piece } from '../written-data.ts';
import {
  bytesPerTime,
  inputAt,
  mostRowNotes,
  outputAt,
  resultAt,
  rowsAt,
  tablesAt,
  theMachine,
  timesAt,
  wordsPerRow,
} from './memory.ts';

/** What the transcoder has made of a body. Nothing of it lies in the memory that the next body will use. */
export interface Transcript {
  readonly body: ReceivedBody;
  /** The rows of the page, or of the list that is shown in part. */
  readonly count: number;
  /** The first of them that is shown, and how many are. */
  readonly firstRow: number;
  readonly shownRows: number;
  /** What is shown: the list of the rows, as many of them as are shown, or the record. */
  readonly shown: Piece;
  readonly meta: ListMeta;
  /** Of a record whose members are handed out one by one: each of them. */
  readonly parts: readonly Piece[];
  /** The times of the rows, each in `bytesPerTime`; see `timeOf`. */
  readonly times: string;
  /** For each row where its identifier, its time and what it is shown as stand; see `rowPlaces`. Rows behind many have none. */
  readonly places: Uint32Array;
}

const count = resultAt / 4 + 2;
const metaAt = resultAt / 4 + 4;
const partsAt = resultAt / 4 + 16;
const none = new Uint32Array(0);

/** What is asked of a transcoder. */
export interface TranscriptRequest {
  readonly tables: Buffer;
  /** How many members are handed out one by one. */
  readonly parts: number;
  /** Which of them is the list that is shown in part. */
  readonly list: number;
  /** Of a list that is shown in part, the first row that is shown and how many are at most. */
  readonly firstRow: number;
  readonly mostRows: number;
}

let lastTables: Buffer | undefined;

/** Throws `GaveUp` where the body is not as it should be in every respect, or larger than is read at once. */
export function transcribe(
  body: ReceivedBody,
  { tables, parts: partCount, list, firstRow, mostRows }: TranscriptRequest,
  buffers: AnswerBuffers,
): Transcript {
  if (body.length >= largeBody) throw new GaveUp('size');
  const { bytes, words, transcode } = theMachine();
  body.copyTo(bytes, inputAt);
  if (!isUtf8(body.only ?? bytes.subarray(inputAt, inputAt + body.length))) throw new GaveUp('body');
  if (lastTables !== tables) bytes.set(tables, tablesAt);
  lastTables = tables;
  if (transcode(body.length, firstRow, mostRows) !== 1) throw new GaveUp('body');
  const rows = words[count] ?? 0;
  const noted = Math.min(rows, mostRowNotes);
  const shownRows = partCount === 0 ? rows : Math.max(0, Math.min(rows - firstRow, mostRows));
  const from = rowsAt / 4;
  const parts: Piece[] = [];
  for (let index = 0; index < partCount; index++) parts.push(spanAt(partsAt + index * 2, buffers));
  return {
    body,
    count: rows,
    firstRow,
    shownRows,
    shown: partCount === 0 ? spanAt(resultAt / 4, buffers) : (parts[list] as Piece),
    meta: {
      totalResults: countAt(metaAt),
      totalPages: countAt(metaAt + 2),
      pageNumber: countAt(metaAt + 4),
      pageSize: countAt(metaAt + 6) || null,
    },
    parts,
    times: rows === 0 || partCount > 0 ? '' : bytes.toString('latin1', timesAt, timesAt + noted * bytesPerTime),
    places: rows === 0 ? none : words.slice(from, from + noted * wordsPerRow),
  };
}

/** A copy of what these two words tell the place of. */
function spanAt(word: number, buffers: AnswerBuffers): Piece {
  const { bytes, words } = theMachine();
  const at = words[word] ?? 0;
  const length = words[word + 1] ?? 0;
  if (length <= answerText) return bytes.toString('latin1', at, at + length);
  const copy = buffers.lend(length);
  bytes.copy(copy, 0, at, at + length);
  return copy;
}

/** A count that `meta` says; null where it says none. */
function countAt(word: number): number | null {
  const { bytes, words } = theMachine();
  const at = words[word] ?? 0;
  const length = words[word + 1] ?? 0;
  if (length === 0) return null;
  let value = 0;
  for (let index = at; index < at + length; index++) {
    const digit = (bytes[index] ?? 0) - 0x30;
    // A number may be written in other ways as well.
    if (digit < 0 || digit > 9 || length > 15)
      return countOf(Number(bytes.toString('latin1', at, at + length)), longestList);
    value = value * 10 + digit;
  }
  return countOf(value, longestList);
}

/** Where something of a row stands among its places. */
export const rowPlaces = { identifier: 0, time: 2, shown: 4 } as const;

/** The time of a row where it is a timestamp as the API writes it; null for any other, and where there is none. */
export function timeOf({ times, places }: Transcript, row: number): string | null {
  const at = row * bytesPerTime;
  // Part of one text for all rows: to read each from the body takes five times as long.
  return times.charCodeAt(at) > 0
    ? times.slice(at, at + (places[row * wordsPerRow + rowPlaces.time + 1] ?? 0) - 2)
    : null;
}

/** A text of a row as the upstream sent it; null where there is none. Throws `GaveUp` where it has escapes. */
export function textOf({ body, places }: Transcript, row: number, place: number): string | null {
  const at = places[row * wordsPerRow + place] ?? 0;
  const length = places[row * wordsPerRow + place + 1] ?? 0;
  if (at >= outputAt) throw new GaveUp('rows');
  // What is missing is written elsewhere.
  if (at < inputAt) return null;
  const text = body.textBetween(at - inputAt + 1, at - inputAt + length - 1);
  if (text.includes('\\')) throw new GaveUp('rows');
  return text;
}

/**
 * Why bytes gave up: for the fields that are selected; for a call that failed, or a response that is no whole one or has been read
 * before; for a body that is too large, or not as the transcoder takes it; or because more of the rows had to be looked at.
 */
export type GiveUpReason = 'selection' | 'response' | 'size' | 'body' | 'rows';

/** Bytes cannot tell: the JSON plan decides over the same ones. */
export class GaveUp extends Error {
  readonly reason: GiveUpReason;

  constructor(reason: GiveUpReason) {
    super('The bytes of this body do not tell what is shown of it.');
    this.reason = reason;
  }
}
