import type { Call } from '../call.ts';
import type { Caller } from '../caller.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { WaitLimits } from '../single-flight.ts';
import type { WireRequest } from '../transport.ts';

/** A call on its way through the stages. */
export interface UpstreamRequest extends WireRequest {
  readonly call: Call<unknown>;
  /** The first of all callers who wait for the response. */
  readonly caller: Caller;
  /** The wait limits of all who wait for the response together. */
  readonly waitLimits: WaitLimits;
  /** Whether the body is handed over as it comes, and is under way long after the response has begun. */
  readonly isStreamed: boolean;
  /** How many times the call has been sent, and when it was last, by performance.now(). */
  readonly sent: { count: number; at: number | undefined };
}

/** What becomes of a call. One of the two is called, once, and does not throw. */
export interface Receiver<A> {
  answered(response: A): void;
  failed(error: unknown): void;
}

/**
 * Sends a call through the stages that are left, and the transport. A call that is refused without a wait fails before this returns.
 * The stages call each other back: a promise for each of them would cost more than what they do.
 */
export type Send<A> = (request: UpstreamRequest, receiver: Receiver<A>) => void;

/** One concern around every call: it may look, wait, refuse or try again. The first in the list is the outermost. */
export type Stage = <A extends ResponseHead>(next: Send<A>) => Send<A>;
