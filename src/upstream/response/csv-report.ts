import { Readable } from 'node:stream';
import { isSliceOver, type WorkSlices } from '../../time-slices.ts';
import { badResponse } from './envelope.ts';
import { byteOrderMark, type ResponseHead, type StreamedResponse, type WireResponse } from './wire-response.ts';

// The first bytes of a report, read as latin1: the mark of UTF-8, blanks, and one that begins a printable character, but no JSON, HTML
// or XML, whatever media type they came under. Reports begin with a name: what begins with more blanks is none.
const longestBeginning = 4_100;
const wholeBeginning = /^(?:\xEF\xBB\xBF|(?!\xEF\xBB\xBF))[ \t\r\n]{0,4095}(?![{[<])[\x21-\x7E\xC2-\xF4]/;
const shortBeginning = /^(?:\xEF\xBB?|(?:\xEF\xBB\xBF)?[ \t\r\n]{0,4095})$/;

/** Bytes that are decoded at a stretch. */
export const decodedPiece = 65_536;

/** The text of a CSV report, a long one in slices of time; null for something else, UPSTREAM_BAD_RESPONSE where it cannot be decoded. */
export async function csvIn(response: WireResponse, slices: WorkSlices | null): Promise<string | null> {
  if (!isCsvHead(response)) return null;
  const bytes = slices === null ? response.body.whole : await response.body.gather(slices);
  const decode = decoderOf(response, bytes);
  let text = '';
  let at = 0;
  do {
    const piece = bytes.subarray(at, (at += decodedPiece));
    text += decode(piece, at >= bytes.length);
    if (slices !== null && isSliceOver()) await slices.rest();
  } while (at < bytes.length);
  return beginsAsCsv(Buffer.from(text.slice(0, longestBeginning))) === false ? null : text;
}

/** Whether a response can be a CSV report. The contract does not show its media type, so only other known types are refused. */
export function isCsvHead({ headers }: ResponseHead): boolean {
  return !/\b(?:html|json|xml)\b/i.test(String(headers['content-type'] ?? ''));
}

const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const utf8 = 'utf-8';
/** What a text begins with, whatever its head says of it. */
const marks: readonly (readonly [mark: Buffer, charset: string])[] = [
  [byteOrderMark, utf8],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** The charset that a head names; UTF-8 where it names none. */
function charsetOf({ headers }: Pick<ResponseHead, 'headers'>): string {
  return charset.exec(String(headers['content-type'] ?? ''))?.[1]?.toLowerCase() ?? utf8;
}

/** Decodes the bytes of a report, which come in their order. Throws UPSTREAM_BAD_RESPONSE. */
type Decode = (bytes: Buffer, isLast: boolean) => string;

/** Decodes a report by the byte order mark that it begins with, or else by the charset that its head names. */
function decoderOf(head: Pick<ResponseHead, 'headers'>, beginning: Buffer): Decode {
  const named = charsetOf(head);
  // What says that it is in UTF-8, or says nothing, is in nothing else.
  const [, marked = named] =
    (named === utf8 ? [] : marks).find(([mark]) => beginning.subarray(0, mark.length).equals(mark)) ?? [];
  let decoder: TextDecoder | undefined;
  return (bytes, isLast) => {
    try {
      decoder ??= new TextDecoder(marked, { fatal: true, ignoreBOM: true });
      return decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw badResponse('CSV text of the charset that it names');
    }
  };
}

/** The body of a report in UTF-8, as it comes. What says that it is in UTF-8 passes as it is. */
export function decodedBody(report: StreamedResponse): Readable {
  return /^utf-?8$/.test(charsetOf(report)) ? report.body : Readable.from(decodedPieces(report), { objectMode: false });
}

async function* decodedPieces(report: StreamedResponse): AsyncGenerator<Buffer> {
  const nothing = Buffer.alloc(0);
  let decode: Decode | undefined;
  for await (const chunk of report.body as AsyncIterable<Buffer>) {
    decode ??= decoderOf(report, chunk);
    yield Buffer.from(decode(chunk, false));
  }
  decode ??= decoderOf(report, nothing);
  yield Buffer.from(decode(nothing, true));
}

/**
 * Whether a body that begins with these bytes can be CSV in UTF-8; null where more bytes are needed. An empty body can: a report
 * without numbers may have no head.
 */
function beginsAsCsv(bytes: Buffer): boolean | null {
  const text = bytes.toString('latin1', 0, longestBeginning);
  return shortBeginning.test(text) ? null : wholeBeginning.test(text);
}

/** A body whose first bytes have been looked at; it can still be read from its beginning. */
export interface Begun {
  readonly isCsv: boolean;
  readonly body: Readable;
}

/** Waits for the first bytes of a body and finds out whether it can be CSV; rejects with the body's own failure. */
export async function lookAtBeginning(body: Readable): Promise<Begun> {
  // The reader of a body handles its failure; between two readers nobody does.
  body.on('error', () => {});
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    held = Buffer.concat([held, chunk]);
    const isCsv = beginsAsCsv(held);
    if (isCsv === null) continue;
    body.unshift(held);
    return { isCsv, body };
  }
  // Nothing but blanks, or nothing.
  return { isCsv: true, body: Readable.from(held.length > 0 ? [held] : []) };
}
