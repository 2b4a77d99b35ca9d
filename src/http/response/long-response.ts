import type { ExecutionResult } from 'graphql';
import { processRegularResult, type FetchAPI } from 'graphql-yoga';
import { FreeFormText } from '../../json.ts';
import { WorkSlices } from '../../time-slices.ts';

/** Values, and each sixty-four characters of texts, of a large answer that JSON.stringify writes at once: some ten microseconds. */
const partOfAnswer = 512;

/** Characters of a long text that are written at once. */
const partOfText = 16_384;

/** Characters of a large answer that become bytes at once. */
const writtenPiece = 65_536;

/** A response that took a while to be written. */
export interface LongResponse {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
}

/** Writes a result that may be large in slices of time: its data here, and Yoga all around them. */
export async function longResponse(result: ExecutionResult, mediaType: string): Promise<LongResponse> {
  const { data } = result;
  const around = data == null ? result : { ...result, data: {} };
  const response = processRegularResult(around, globalThis, mediaType);
  const shown = JSON.parse(await response.text()) as object;
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? mediaType,
    pieces: await writeJson(data == null ? shown : { ...shown, data }),
  };
}

/** As Yoga processes a result, for one that may be large. */
export async function processLongResult(result: unknown, fetchApi: FetchAPI, mediaType: string): Promise<Response> {
  const { status, contentType, pieces } = await longResponse(result as ExecutionResult, mediaType);
  const body = Buffer.concat(pieces);
  const headers = { 'content-type': contentType, 'content-length': String(body.length) };
  return new fetchApi.Response(body, { status, headers });
}

/** A list or an object of which a part has been written. */
interface Open {
  readonly members: readonly unknown[] | Readonly<Record<string, unknown>>;
  /** The names of an object; null for a list. */
  readonly names: readonly string[] | null;
  at: number;
  isFirst: boolean;
}

// The type library does not know it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: object) => boolean };

/**
 * The bytes of what JSON.stringify writes of a value, in pieces: at once where there is time for that, else in slices of time. What is
 * small is left to JSON.stringify.
 */
export function writeJson(value: object): readonly Buffer[] | Promise<readonly Buffer[]> {
  const writer = new JsonWriter(value);
  const slices = new WorkSlices();
  return writer.goOn(slices) ? writer.pieces : finish(writer, slices);
}

async function finish(writer: JsonWriter, slices: WorkSlices): Promise<readonly Buffer[]> {
  do await slices.rest();
  while (!writer.goOn(slices));
  return writer.pieces;
}

class JsonWriter {
  readonly pieces: Buffer[] = [];
  #text = '';
  readonly #open: Open[] = [];
  /** The part of a long text that is still to be written. */
  #long = '';
  #longAt = -1;

  constructor(value: object) {
    this.#begin(value);
  }

  /** Goes on until the slice is over; whether all is written. */
  goOn(slices: WorkSlices): boolean {
    while (this.#longAt >= 0 || this.#open.length > 0) {
      if (this.#longAt >= 0) this.#writeOnText();
      else this.#writeNext(this.#open.at(-1) as Open);
      if (this.#text.length > writtenPiece) this.#endPiece();
      if (slices.isOver()) return false;
    }
    this.#endPiece();
    return true;
  }

  #writeNext(open: Open): void {
    const { names, members } = open;
    if (open.at === (names ?? (members as readonly unknown[])).length) {
      this.#text += names === null ? ']' : '}';
      this.#open.pop();
      return;
    }
    const name = names?.[open.at];
    const value: unknown =
      name === undefined
        ? (members as readonly unknown[])[open.at]
        : (members as Readonly<Record<string, unknown>>)[name];
    open.at++;
    const isLeftOut = value === undefined || typeof value === 'function';
    if (isLeftOut && name !== undefined) return;
    if (!open.isFirst) this.#text += ',';
    open.isFirst = false;
    if (name !== undefined) this.#text += `${JSON.stringify(name)}:`;
    this.#begin(isLeftOut ? null : value);
  }

  #begin(value: unknown): void {
    if (weigh(value, partOfAnswer) >= 0) this.#text += JSON.stringify(value);
    else if (typeof value === 'string') this.#beginText(value);
    else if (value instanceof FreeFormText) this.#copy(value);
    else if (isRawJSON(value as object)) this.#text += JSON.stringify(value);
    else if (isWrapped(value)) this.#begin(value.toJSON());
    else this.#beginMembers(value as Open['members']);
  }

  #beginMembers(members: Open['members']): void {
    const names = Array.isArray(members) ? null : Object.keys(members);
    this.#text += names === null ? '[' : '{';
    this.#open.push({ members, names, at: 0, isFirst: true });
  }

  #copy({ pieces }: FreeFormText): void {
    this.#endPiece();
    for (const piece of pieces) this.pieces.push(piece);
  }

  #beginText(text: string): void {
    this.#text += '"';
    this.#long = text;
    this.#longAt = 0;
  }

  #writeOnText(): void {
    const text = this.#long;
    let end = this.#longAt + partOfText;
    // Half of a pair would be written as an escape.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00) end++;
    this.#text += JSON.stringify(text.slice(this.#longAt, end)).slice(1, -1);
    this.#longAt = end;
    if (end < text.length) return;
    this.#text += '"';
    this.#long = '';
    this.#longAt = -1;
  }

  #endPiece(): void {
    if (this.#text !== '') this.pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
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
