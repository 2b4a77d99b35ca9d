import { leadingBlanks } from '../../bounds.ts';
import { Readable } from 'node:stream';
import { badResponse } from './body-reader.ts';
import type { WireResponse, ResponseHead } from './wire-response.ts';

const byteOrderMark = Buffer.from('\uFEFF');
const blanks: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));
// JSON, HTML and XML, whatever media type they came under.
const foreign: ReadonlySet<number> = new Set(Buffer.from('{[<'));

/** The text of a CSV report; throws UPSTREAM_BAD_RESPONSE where the upstream sent something else instead. */
export function readCsv(response: WireResponse): string {
  if (!isCsvHead(response) || beginsAsCsv(response.body.whole) === false) throw badResponse('CSV text');
  return response.text ?? response.body.text;
}

/** Whether a response can be a CSV report. The contract does not show its media type, so only other known types are refused. */
export function isCsvHead({ headers }: ResponseHead): boolean {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  return (
    !/\b(?:html|json|xml)\b/i.test(String(headers['content-type'] ?? '')) && /^\s*(?:identity)?\s*$/i.test(encoding)
  );
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
export function lookAtBeginning(body: Readable): Promise<Begun> {
  // The reader of a body handles its failure; between two readers nobody does.
  body.on('error', () => {});
  return new Promise((resolve, reject) => {
    let held: Buffer = Buffer.alloc(0);
    const settle = (begun: Begun): void => {
      body.off('readable', look).off('end', end).off('error', reject);
      resolve(begun);
    };
    const look = (): void => {
      for (let chunk = body.read() as Buffer | null; chunk !== null; chunk = body.read() as Buffer | null) {
        held = Buffer.concat([held, chunk]);
        const isCsv = beginsAsCsv(held);
        if (isCsv === null) continue;
        body.unshift(held);
        return settle({ isCsv, body });
      }
      return undefined;
    };
    // Nothing but blanks, or nothing.
    const end = (): void => settle({ isCsv: true, body: Readable.from(held.length > 0 ? [held] : []) });
    body.on('readable', look).once('end', end).once('error', reject);
  });
}
