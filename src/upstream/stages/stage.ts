import type { Call } from '../call.ts';
import type { Caller } from '../caller.ts';
import type { RateLimit } from '../response/rate-limit-fields.ts';
import type { ResponseHead, WireRequest } from '../response/wire-response.ts';

/** A call that is being sent. */
export interface Sending extends WireRequest {
  readonly call: Call<unknown>;
  /** The first of all callers who wait for the response. */
  readonly caller: Caller;
  /** The latest deadline of all who wait for the response. */
  readonly deadline: number;
  /** Whether the body is handed over as it comes, and is under way long after the response has begun. */
  readonly isStreamed: boolean;
  /** How many times the call has been sent. */
  readonly sent: { count: number };
  /** What the last response told of the caller's rate limit; null where it told nothing, or has not come. */
  rateLimit: RateLimit | null;
}

/** Sends a call through the stages that are left, and the transport. */
export type Send<A> = (sending: Sending) => Promise<A>;

/** One concern around every call: it may look, wait, refuse or try again. The first in the list is the outermost. */
export type Stage = <A extends ResponseHead>(next: Send<A>) => Send<A>;
