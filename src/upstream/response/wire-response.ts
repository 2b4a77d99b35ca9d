import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { BodyChunks } from '../../body-chunks.ts';
import { GatewayError } from '../../errors.ts';
import type { BodyHold } from './body-room.ts';

/** Header names are lower-case; a header that came twice is a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The head of a response, whole or streamed. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Gives up the response without reading it. */
  readonly discard?: () => void;
  /** For a response whose body is still coming: runs a function when the body has ended or failed. */
  readonly whenClosed?: (run: () => void) => void;
}

/** A whole response of the upstream, whatever its status. */
export interface WireResponse extends ResponseHead {
  readonly body: BodyChunks;
  /** Present for a large body; its reader must release it. */
  readonly hold?: BodyHold;
}

/** A response whose body is still coming; its receiver must read the body to its end or destroy it. */
export interface StreamedResponse extends ResponseHead {
  readonly body: Readable;
  /** What an error of `body` means: a GatewayError, or the error itself where the caller has left. */
  readonly failureOf: (error: unknown) => unknown;
}

/** UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT before any byte of a response: the same call may be made again. */
export class UnansweredError extends GatewayError {}

/** The refusal of a stage before anything is sent: it says nothing of the upstream. */
export class UnsentError extends GatewayError {}

/** A reset of a connection that had served before, and of which nothing has come this time: the upstream has closed an idle connection. */
export class StaleConnectionError extends UnansweredError {}

/**
 * What a response is coded with, although calls ask for `identity`: a name, or `null` for one that cannot be shown. Undefined where it is
 * not coded.
 */
export function codingOf({ headers }: Pick<ResponseHead, 'headers'>): string | null | undefined {
  const given = [headers['content-encoding'] ?? [], headers['transfer-encoding'] ?? []].flat().join().split(',');
  const codings = given.map((name) => name.trim().toLowerCase()).filter((name) => !plainCodings.has(name));
  if (codings.length === 0) return undefined;
  return codings.every((name) => /^[\w.+-]{1,20}$/.test(name)) ? codings.slice(0, mostCodings).join(', ') : null;
}

const plainCodings: ReadonlySet<string> = new Set(['', 'identity', 'chunked']);
const mostCodings = 5;

export const byteOrderMark = Buffer.from('\uFEFF');
const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);
// Two, since the first may make a whole character with what stands before.
const halves = '\uDFFF\uDFFF';

/** Text in UTF-8. Halves of surrogate pairs stand for bytes that are none, so that a text that holds them is seen to be broken. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  // JavaScript reads such bytes as U+FFFD, which a text may also have of its own.
  for (let from = 0; ;) {
    const at = bytes.indexOf(replacementBytes, from);
    text += bytes.toString('utf8', from, at < 0 ? bytes.length : at).replaceAll(replacement, halves);
    if (at < 0) return text;
    text += replacement;
    from = at + replacementBytes.length;
  }
}
