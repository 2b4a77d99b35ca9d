import type { ResponseHead } from '../response/wire-response.ts';
import type { Receiver, Send, Stage, UpstreamRequest } from './stage.ts';

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
