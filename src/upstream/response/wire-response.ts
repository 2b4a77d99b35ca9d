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
  /** Lifts the time-out of the attempt: what has begun is a report, which takes as long as its reader likes. */
  readonly liftTimeout: () => void;
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
  const named = codings.join(', ');
  return /^[\w.+, -]{1,100}$/.test(named) ? named : null;
}

const plainCodings: ReadonlySet<string> = new Set(['', 'identity', 'chunked']);

export const byteOrderMark = Buffer.from('\uFEFF');
/** Text in UTF-8. Halves of surrogate pairs stand for what is none, so that a text that holds them is seen to be broken. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  // Two halves, since the first may make a whole character with what stands before.
  return isUtf8(bytes) ? text : text.replaceAll('\uFFFD', '\uDFFF\uDFFF');
}
