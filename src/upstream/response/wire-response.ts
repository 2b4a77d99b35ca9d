import type { Readable } from 'node:stream';
import { GatewayError } from '../../errors.ts';

/** Header names are lower-case; a header that came twice is a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What every answer has, whole or streamed. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Gives an answer up unread. */
  readonly discard?: () => void;
  /** Of an answer whose body is still coming: runs when that has ended, however it did. */
  readonly whenClosed?: (run: () => void) => void;
}

/** The room in memory that an answer takes (body-room.ts); it is given back when all who need it have released it. */
export interface Hold {
  /** Its body has been read: what came is let go of. */
  read(): void;
  /** One more needs what was read. */
  share(): void;
  release(): void;
}

/** A whole answer of the upstream, whatever its status. */
export interface WireResponse extends ResponseHead {
  readonly body: Buffer;
  /** Where the body is a large one; whoever has read it must release it. */
  readonly hold?: Hold;
}

/** An answer whose body is still coming; whoever takes it must read it to its end or destroy it. */
export interface StreamedResponse extends ResponseHead {
  readonly body: Readable;
  /** What an error of `body` means: a GatewayError, or the error itself where the caller has left. */
  readonly failureOf: (error: unknown) => unknown;
}

/** UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT before any byte of an answer: the same call may be made again. */
export class UnansweredError extends GatewayError {}

/** What a stage refuses before anything is sent: it says nothing of the upstream. */
export class UnsentError extends GatewayError {}

/** An answer that there was no room for here: it says nothing of the upstream. */
export class UnreadError extends GatewayError {}
