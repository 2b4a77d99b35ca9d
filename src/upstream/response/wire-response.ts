import type { Readable } from 'node:stream';
import { GatewayError } from '../../errors.ts';
import type { BodyHold } from './body-room.ts';
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

/** A whole response of the upstream, whatever its status. */
export interface WireResponse extends ResponseHead {
  readonly body: ReceivedBody;
  /** Returns what JSON.parse makes of a large body, which has been read in slices; throws SyntaxError where it is none. */
  readonly json?: () => unknown;
  /** The text of a large body that is no JSON, which has been decoded in slices. */
  readonly text?: string;
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

/** A response that the gateway had no room for: it says nothing of the upstream. */
export class UnreadError extends GatewayError {}

/** The seconds to wait by a Retry-After header (RFC 9110, section 10.2.3), a number or a date; undefined without a usable one. */
export function retryAfterOf({ headers }: Pick<WireResponse, 'headers'>): number | undefined {
  const header = headers['retry-after'];
  const value = typeof header === 'string' ? header.trim() : '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  if (!value.endsWith(' GMT')) return undefined;
  const milliseconds = Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}
