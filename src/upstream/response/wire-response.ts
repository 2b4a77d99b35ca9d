import type { Readable } from 'node:stream';
import { GatewayError } from '../../errors.ts';
import type { ReceivedBody } from './received-body.ts';

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

/** The memory of a large response (body-room.ts). It becomes free when all users have released it. */
export interface Hold {
  /** The body has been read: the memory of its bytes becomes free. */
  read(): void;
  /** Adds a user of what was read. */
  share(): void;
  release(): void;
}

/** A whole response of the upstream, whatever its status. */
export interface WireResponse extends ResponseHead {
  readonly body: ReceivedBody;
  /** Returns what JSON.parse makes of a large body, which has been read in slices; throws SyntaxError where it is none. */
  readonly json?: () => unknown;
  /** The text of a large body that is no JSON, which has been decoded in slices. */
  readonly text?: string;
  /** Present for a large body; its reader must release it. */
  readonly hold?: Hold;
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

/** A response that the gateway had no room for: it says nothing of the upstream. */
export class UnreadError extends GatewayError {}
