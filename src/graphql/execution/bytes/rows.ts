import { largeBody } from '../../../bounds.ts';
import { StacklessError } from '../../../errors.ts';
import type { HowToLoad, Loaders } from '../../../lists/loaders.ts';
import { transcode, type Transcript } from '../../../transcoder/transcoder.ts';
import type { PageRequest } from '../../../upstream/call.ts';
import type { Arguments, Endpoint } from '../../../upstream/endpoint.ts';
import type { ReceivedBody } from '../../../upstream/response/received-body.ts';
import type { AnswerBuffers, PieceWriter } from '../written-data.ts';

/**
 * Why bytes gave up: for the fields that are selected; for a call that failed, or a response that is no whole one or has been read
 * before; for a body that is too large, or not as the transcoder takes it; or because more of the rows had to be looked at.
 */
export type GiveUpReason = 'selection' | 'response' | 'size' | 'body' | 'rows';

/** Bytes cannot tell: the JSON plan decides over the same ones. */
export class GaveUp extends StacklessError {
  readonly reason: GiveUpReason;

  constructor(reason: GiveUpReason) {
    super(`The bytes of this body do not tell what is shown of it: ${reason}.`);
    this.reason = reason;
  }
}

/** A row as the paging arithmetic reads it: its identifier and its time, and where its part of the answer is. */
export interface TranscribedRow {
  readonly transcript: Transcript;
  readonly index: number;
}

/** The rows of a list, and which of their members can be read. */
export interface RowType {
  readonly names: readonly string[];
  readonly make: (transcript: Transcript, index: number) => TranscribedRow;
}

/** The prototype of what has not been read: to read what is not there is to give up. `then` is asked of whatever is awaited. */
const unread = new Proxy(Object.create(null) as object, {
  get(_target, name) {
    if (typeof name === 'symbol' || name === 'then') return undefined;
    throw new GaveUp('rows');
  },
});

/** Rows of which these members, and nothing else, can be read under their wire names. Of a row without the first, all is looked at. */
export function createRowType(names: readonly string[]): RowType {
  class Row implements TranscribedRow {
    readonly transcript: Transcript;
    readonly index: number;

    constructor(transcript: Transcript, index: number) {
      this.transcript = transcript;
      this.index = index;
    }
  }
  Object.setPrototypeOf(Row.prototype, unread);
  for (const [place, name] of names.entries())
    Object.defineProperty(Row.prototype, name, {
      get(this: Row): string | null {
        const text = this.transcript.keys()[this.index * names.length + place] ?? null;
        // An identifier that is a number may have lost digits.
        if (place === 0 && (typeof text !== 'string' || text === '')) throw new GaveUp('rows');
        return text;
      },
    });
  return { names, make: (transcript, index) => new Row(transcript, index) };
}

/** Writes the list of rows, in as few pieces as they were read in. */
export function writeRows(rows: readonly TranscribedRow[], answer: PieceWriter): void {
  let from = 0;
  answer.add(rows.length === 0 ? '[' : '');
  while (from < rows.length) {
    const row = rows[from] as TranscribedRow;
    const { transcript, index } = row;
    let end = from + 1;
    while (rows[end]?.transcript === transcript && rows[end]?.index === index + end - from) end++;
    answer.add(from === 0 ? '[' : ',');
    answer.add(transcript.written.subarray(startOf(row), transcript.ends[index + end - from - 1]));
    from = end;
  }
  answer.add(']');
}

/** Where a row begins in what is written of its body. */
export function startOf({ transcript: { ends }, index }: TranscribedRow): number {
  return index === 0 ? 1 : (ends[index - 1] ?? 0) + 1;
}

/** What is asked of the transcoder for a field of the root. */
export interface ByteRequest {
  readonly endpoint: Endpoint<unknown>;
  readonly tables: Buffer;
  /** What the field's resolver is given for a body that was asked for with these arguments. */
  readonly bodyOf: (transcript: Transcript, args: Arguments) => unknown;
}

/** Loaders that hand a field what the transcoder makes of its endpoint's bodies. They throw `GaveUp` for whatever it cannot tell. */
export function transcribingLoaders(loaders: Loaders, request: ByteRequest, buffers: AnswerBuffers): Loaders {
  async function load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how?: HowToLoad) {
    if (endpoint !== request.endpoint || how?.fresh === true) throw new GaveUp('rows');
    const fetched = loaders.loadBytes(endpoint, args, page, how);
    if (fetched === null) throw new GaveUp('response');
    return show((await fetched).bytes, request, args, buffers) as Body;
  }

  /** Whoever shares a reading looks at more of the rows than bytes tell. */
  async function once(): Promise<never> {
    throw new GaveUp('rows');
  }

  /** The plan meets what contradicts itself as well, and counts it. */
  function noteViolation(): never {
    throw new GaveUp('rows');
  }

  return { ...loaders, load, noteViolation, once };
}

function show(bytes: ReceivedBody | null, request: ByteRequest, args: Arguments, buffers: AnswerBuffers): unknown {
  if (bytes === null) throw new GaveUp('response');
  if (bytes.length >= largeBody) throw new GaveUp('size');
  const { tables, bodyOf } = request;
  const transcript = transcode(bytes, tables, (length) => buffers.lend(length));
  if (transcript === null) throw new GaveUp('body');
  return bodyOf(transcript, args);
}
