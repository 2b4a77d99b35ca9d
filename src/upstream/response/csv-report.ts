import { Readable } from 'node:stream';
import { badResponse } from './body-reader.ts';
import { byteOrderMark, type ResponseHead, type StreamedResponse, type WireResponse } from './wire-response.ts';

/** Blanks before the first name of a CSV report; a body that begins with more is none. Reports begin with a name. */
const leadingBlanks = 4_096;

const blanks: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));
// JSON, HTML and XML, whatever media type they came under.
const foreign: ReadonlySet<number> = new Set(Buffer.from('{[<'));

/** The text of a CSV report; throws UPSTREAM_BAD_RESPONSE where the upstream sent something else instead. */
export function readCsv(response: WireResponse): string {
  if (!isCsvHead(response)) throw badResponse('CSV text');
  const text = response.text ?? new CsvDecoder(response).decode(response.body.whole, true);
  if (beginsAsCsv(Buffer.from(text.slice(0, leadingBlanks + 2))) === false) throw badResponse('CSV text');
  return text;
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

/** Decodes a report by its byte order mark, or else by the charset that its head names. Throws UPSTREAM_BAD_RESPONSE. */
export class CsvDecoder {
  readonly #named: string;
  #decoder: TextDecoder | undefined;
  #held: Buffer = Buffer.alloc(0);

  constructor(head: Pick<ResponseHead, 'headers'>) {
    this.#named = charsetOf(head);
  }

  /** The text of some of its bytes, which come in their order. */
  decode(bytes: Buffer, isLast: boolean): string {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    if (this.#decoder === undefined && !isLast && this.#held.length < byteOrderMark.length) return '';
    try {
      this.#decoder ??= decoderOf(this.#held, this.#named);
      return this.#decoder.decode(this.#held, { stream: !isLast });
    } catch {
      throw badResponse('CSV text of the charset that it names');
    } finally {
      if (this.#decoder !== undefined) this.#held = Buffer.alloc(0);
    }
  }
}

function decoderOf(beginning: Buffer, named: string): TextDecoder {
  // What says that it is in UTF-8, or says nothing, is in nothing else.
  const [, marked = named] =
    (named === utf8 ? [] : marks).find(([mark]) => beginning.subarray(0, mark.length).equals(mark)) ?? [];
  return new TextDecoder(marked, { fatal: true, ignoreBOM: true });
}

/** The body of a report in UTF-8, as it comes. What says that it is in UTF-8 passes as it is. */
export function decodedBody({ headers, body }: StreamedResponse): Readable {
  return /^utf-?8$/.test(charsetOf({ headers }))
    ? body
    : Readable.from(decodedPieces(body, new CsvDecoder({ headers })), { objectMode: false });
}

async function* decodedPieces(body: Readable, decoder: CsvDecoder): AsyncGenerator<Buffer> {
  for await (const chunk of body as AsyncIterable<Buffer>) yield Buffer.from(decoder.decode(chunk, false));
  yield Buffer.from(decoder.decode(Buffer.alloc(0), true));
}

/**
 * Whether a body that begins with these bytes can be CSV in UTF-8; null where more bytes are needed. An empty body can: a report
 * without numbers may have no head.
 */
export function beginsAsCsv(bytes: Buffer): boolean | null {
  const start = bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
  if (bytes.length < byteOrderMark.length && byteOrderMark.indexOf(bytes) === 0) return null;
  const index = bytes.subarray(start, start + leadingBlanks).findIndex((byte) => !blanks.has(byte));
  const first = bytes[start + index];
  if (index < 0 || first === undefined) return bytes.length - start < leadingBlanks ? null : false;
  return !foreign.has(first) && beginsCharacter(first);
}

/** Whether a byte begins a printable character of UTF-8: it is no control, and not the middle of a character. */
function beginsCharacter(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0xc2 && byte <= 0xf4);
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
