import type { Piece } from '../written-data.ts';
import { wordsPerRow } from './memory.ts';
import { GaveUp, rowPlaces, textOf, timeOf, type Transcript } from './transcript.ts';

/** A row as the paging arithmetic reads it: its identifier and its time, and where its part of the answer is. */
export interface TranscribedRow {
  readonly transcript: Transcript;
  readonly index: number;
}

export type MakeRow = (transcript: Transcript, index: number) => TranscribedRow;

/**
 * The prototype of what stands for a record of which most has not been read. To read what is not there is to give up. `then` is asked of
 * whatever is awaited.
 */
export const unread = new Proxy(Object.create(null) as object, {
  get(_target, name) {
    if (typeof name === 'symbol' || name === 'then') return undefined;
    throw new GaveUp('rows');
  },
});

/** Rows whose identifier and time are read under their wire names, when they are asked for. Nothing else can be read of them. */
export function createRowType(idName: string, timeName: string | null): MakeRow {
  class Row implements TranscribedRow {
    readonly transcript: Transcript;
    readonly index: number;

    constructor(transcript: Transcript, index: number) {
      this.transcript = transcript;
      this.index = index;
    }
  }
  Object.setPrototypeOf(Row.prototype, unread);
  Object.defineProperty(Row.prototype, idName, {
    get(this: Row): string {
      // Of a row without an identifier all of it would be looked at.
      const text = textOf(this.transcript, this.index, rowPlaces.identifier);
      if (text === null || text === '') throw new GaveUp('rows');
      return text;
    },
  });
  if (timeName !== null)
    Object.defineProperty(Row.prototype, timeName, {
      get(this: Row): string | null {
        return timeOf(this.transcript, this.index) ?? textOf(this.transcript, this.index, rowPlaces.time);
      },
    });
  return (transcript, index) => new Row(transcript, index);
}

/** The list of rows in the answer, in as few pieces as they were read in. */
export function piecesOf(rows: readonly TranscribedRow[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < rows.length;) {
    const end = runEnd(rows, from);
    const { transcript, index } = rows[from] as TranscribedRow;
    const isAll = index === transcript.firstRow && rows.length === transcript.shownRows;
    if (isAll && end - from === rows.length) return [transcript.shown];
    pieces.push(from === 0 ? '[' : ',', spanOf(transcript, index, index + end - from));
    from = end;
  }
  return pieces.length === 0 ? ['[]'] : [...pieces, ']'];
}

/** One row in the answer. */
export function pieceOf({ transcript, index }: TranscribedRow): Piece {
  return spanOf(transcript, index, index + 1);
}

/** Where the rows end that follow each other in one body. */
function runEnd(rows: readonly TranscribedRow[], from: number): number {
  const { transcript, index } = rows[from] as TranscribedRow;
  let end = from + 1;
  while (rows[end]?.transcript === transcript && rows[end]?.index === index + end - from) end++;
  return end;
}

/** Throws `GaveUp` where one of them is not shown. */
function spanOf({ shown, places, firstRow, shownRows }: Transcript, from: number, to: number): Piece {
  if (from < firstRow || to > firstRow + shownRows) throw new GaveUp('rows');
  const place = (row: number): number => row * wordsPerRow + rowPlaces.shown;
  // The list begins one byte before its first row.
  const start = (places[place(firstRow)] ?? 0) - 1;
  const end = (places[place(to - 1)] ?? 0) + (places[place(to - 1) + 1] ?? 0);
  const first = (places[place(from)] ?? 0) - start;
  return typeof shown === 'string' ? shown.slice(first, end - start) : shown.subarray(first, end - start);
}
