import { largeBody } from '../../../bounds.ts';
import { StacklessError } from '../../../errors.ts';
import type { HowToLoad, Loaders } from '../../../lists/loaders.ts';
import { transcode, type Transcript } from '../../../transcoder/transcoder.ts';
import type { PageRequest } from '../../../upstream/call.ts';
import type { Arguments, Endpoint } from '../../../upstream/endpoint.ts';
import type { Put } from '../plan/compile.ts';
import type { PlanRun } from '../plan/plan-run.ts';
import type { WrittenData } from '../written-data.ts';

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
  /** What is written of its body. */
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

/** Rows that stand behind each other in what is written of their body. */
interface Stretch {
  readonly written: Transcript;
  readonly from: number;
  readonly to: number;
}

function* stretchesOf(rows: readonly TranscribedRow[]): Generator<Stretch> {
  for (let at = 0; at < rows.length;) {
    const first = rows[at] as TranscribedRow;
    const { transcript: written } = first;
    let end = at + 1;
    while (rows[end]?.transcript === written && rows[end]?.index === first.index + end - at) end++;
    yield { written, from: startOf(first), to: endOf(rows[end - 1] as TranscribedRow) };
    at = end;
  }
}

// Of a place that is left open (transcoder.ts).
const gapWords = 3;

function* gapsOf({ written: { gaps }, from, to }: Stretch) {
  for (let at = 0; at < gaps.length; at += gapWords) {
    const [place = 0, number = 0, own = 0] = [gaps[at], gaps[at + 1], gaps[at + 2]];
    if (place > from && place < to) yield { place, number, own };
  }
}

/** Computes what fills the places that rows leave open. */
export async function fill(rows: readonly TranscribedRow[], puts: readonly Put[], run: PlanRun): Promise<void> {
  for (const stretch of stretchesOf(rows)) {
    const { values, needs } = stretch.written;
    const all = needs();
    for (const { number, own } of gapsOf(stretch)) puts[number]?.(all[own], run, values, own);
  }
  await run.ended();
  if (run.isHandedOver) throw new GaveUp('rows');
}

/** Writes the list of rows, in as few pieces as they were read in. */
export function writeRows(rows: readonly TranscribedRow[], answer: WrittenData): void {
  let before = '[';
  for (const stretch of stretchesOf(rows)) {
    answer.add(before);
    answer.add(filled(stretch, answer));
    before = ',';
  }
  answer.add(rows.length === 0 ? '[]' : ']');
}

/** The bytes of a stretch, with what fills its places. */
function filled(stretch: Stretch, answer: WrittenData): Buffer {
  const { written, values, gaps } = stretch.written;
  const { from, to } = stretch;
  if (gaps.length === 0) return written.subarray(from, to);
  const texts = [...gapsOf(stretch)].map(({ place, own }) => ({ place, text: JSON.stringify(values[own]) }));
  const target = answer.lend(texts.reduce((sum, { text }) => sum + text.length * 3, to - from));
  let [read, end] = [from, 0];
  for (const { place, text } of texts) {
    end += written.copy(target, end, read, place);
    end += target.write(text, end);
    read = place;
  }
  end += written.copy(target, end, read, to);
  return target.subarray(0, end);
}

/** Where a row begins in what is written of its body. */
export function startOf({ transcript: { ends }, index }: TranscribedRow): number {
  return index === 0 ? 1 : (ends[index - 1] ?? 0) + 1;
}

export function endOf({ transcript: { ends }, index }: TranscribedRow): number {
  return ends[index] ?? 0;
}

/** What is asked of the transcoder for a field of the root. */
export interface ByteRequest {
  readonly endpoint: Endpoint<unknown>;
  /** What is written of its bodies (tables.ts). */
  readonly table: Buffer;
  /** What the field's resolver is given for a body that was asked for with these arguments. */
  readonly bodyOf: (transcript: Transcript, args: Arguments) => unknown;
}

/** Loaders that hand a field what the transcoder makes of its endpoint's bodies. They throw `GaveUp` for whatever it cannot tell. */
export function transcribingLoaders(loaders: Loaders, request: ByteRequest, answer: WrittenData): Loaders {
  async function load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how?: HowToLoad) {
    if (endpoint !== request.endpoint || how?.fresh === true) throw new GaveUp('rows');
    const fetched = loaders.loadBytes(endpoint, args, page);
    if (fetched === null) throw new GaveUp('response');
    const { bytes } = await fetched;
    if (bytes === null) throw new GaveUp('response');
    if (bytes.length >= largeBody) throw new GaveUp('size');
    const transcript = transcode(bytes, request.table, (length) => answer.lend(length));
    if (transcript === null) throw new GaveUp('body');
    return request.bodyOf(transcript, args) as Body;
  }

  /** Whoever shares a reading looks at more of the rows than bytes tell. What contradicts itself, the plan meets as well, and counts. */
  function giveUp(): never {
    throw new GaveUp('rows');
  }

  return { ...loaders, load, noteViolation: giveUp, once: giveUp };
}
