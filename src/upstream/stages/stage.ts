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

/** How a call ends, and when by the clock of the stage, for the check that let it pass. One of the two is called, once. */
export interface Passage {
  readonly answered?: (response: ResponseHead, now: number) => void;
  readonly failed?: (error: unknown, now: number) => void;
}

/**
 * One concern around every call, which neither changes the call nor makes it again. It throws to refuse the call, and returns a
 * promise only where the call must wait. Null is the passage of a check that does not look at how calls end. `now` is one moment for
 * all checks that a call passes without a wait.
 */
export type Check = (request: UpstreamRequest, now: number) => Passage | null | Promise<Passage>;

/**
 * Makes one stage of checks. A call passes them in their order, and ends for them in the reverse order; it does not end for a check
 * that has refused it. A call that need not wait is sent at once: a promise for each check would cost more than all of them. So
 * would a look at the clock by each: the stage looks once for all, by performance.now() as a rule.
 */
export function passChecks(checks: readonly Check[], clock: Clock = () => performance.now()): Stage {
  const options = { checks, clock };
  return (next) => (request, receiver) => new CheckedCall(options, request, next, receiver).pass(0);
}

/** Tells the time in milliseconds. */
type Clock = () => number;

interface CheckOptions {
  readonly checks: readonly Check[];
  readonly clock: Clock;
}

/** One call on its way through the checks of a stage, and back. */
class CheckedCall<A extends ResponseHead> implements Receiver<A> {
  readonly #options: CheckOptions;
  readonly #request: UpstreamRequest;
  readonly #next: Send<A>;
  readonly #receiver: Receiver<A>;
  readonly #passages: Passage[] = [];

  constructor(options: CheckOptions, request: UpstreamRequest, next: Send<A>, receiver: Receiver<A>) {
    this.#options = options;
    this.#request = request;
    this.#next = next;
    this.#receiver = receiver;
  }

  /** Passes the checks that are left, and sends the call. */
  pass(from: number): void {
    const { checks, clock } = this.#options;
    try {
      const now = clock();
      for (let at = from; at < checks.length; at++) {
        const passage = (checks[at] as Check)(this.#request, now);
        if (passage instanceof Promise) return this.#passLater(passage, at + 1);
        if (passage !== null) this.#passages.push(passage);
      }
      return this.#next(this.#request, this);
    } catch (error) {
      return this.failed(error);
    }
  }

  #passLater(passage: Promise<Passage>, from: number): void {
    passage.then(
      (waited) => {
        this.#passages.push(waited);
        return this.pass(from);
      },
      (error: unknown) => this.failed(error),
    );
  }

  // Whatever one passage throws, the call ends for all: each may hold a place that others wait for.
  answered(response: A): void {
    const now = this.#options.clock();
    let fault: { readonly error: unknown } | null = null;
    for (let at = this.#passages.length - 1; at >= 0; at--)
      try {
        this.#passages[at]?.answered?.(response, now);
      } catch (error) {
        fault ??= { error };
      }
    if (fault === null) this.#receiver.answered(response);
    else this.#receiver.failed(fault.error);
  }

  failed(error: unknown): void {
    const now = this.#options.clock();
    let reported = error;
    for (let at = this.#passages.length - 1; at >= 0; at--)
      try {
        this.#passages[at]?.failed?.(error, now);
      } catch (fault) {
        reported = fault;
      }
    this.#receiver.failed(reported);
  }
}

/** Learns from the response to a call of a caller. */
export type LearnFrom = (caller: Caller, response: ResponseHead) => void;

/** The passage of a check that learns from responses alone. */
export class ResponsePassage implements Passage {
  readonly #caller: Caller;
  readonly #learnFrom: LearnFrom;

  constructor(caller: Caller, learnFrom: LearnFrom) {
    this.#caller = caller;
    this.#learnFrom = learnFrom;
  }

  answered(response: ResponseHead): void {
    this.#learnFrom(this.#caller, response);
  }
}
