import type { ResponseHead } from '../response/wire-response.ts';
import type { Receiver, Send, Stage, UpstreamRequest } from './stage.ts';

/** How a call ends, for the check that let it pass. One of the two is called, once. */
export interface Passage {
  readonly answered?: (response: ResponseHead) => void;
  readonly failed?: (error: unknown) => void;
}

/**
 * One concern around every call, which neither changes the call nor makes it again. It throws to refuse the call, and returns a
 * promise only where the call must wait.
 */
export type Check = (request: UpstreamRequest) => Passage | Promise<Passage>;

/**
 * Makes one stage of checks. A call passes them in their order, and ends for them in the reverse order; it does not end for a check
 * that has refused it. A call that need not wait is sent at once: a promise for each check would cost more than all of them.
 */
export function passChecks(...checks: readonly Check[]): Stage {
  return (next) => (request, receiver) => new CheckedCall(checks, request, next, receiver).pass(0);
}

/** One call on its way through the checks of a stage, and back. */
class CheckedCall<A extends ResponseHead> implements Receiver<A> {
  readonly #checks: readonly Check[];
  readonly #request: UpstreamRequest;
  readonly #next: Send<A>;
  readonly #receiver: Receiver<A>;
  readonly #passages: Passage[] = [];

  constructor(checks: readonly Check[], request: UpstreamRequest, next: Send<A>, receiver: Receiver<A>) {
    this.#checks = checks;
    this.#request = request;
    this.#next = next;
    this.#receiver = receiver;
  }

  /** Passes the checks that are left, and sends the call. */
  pass(from: number): void {
    try {
      for (let at = from; at < this.#checks.length; at++) {
        const passage = (this.#checks[at] as Check)(this.#request);
        if (passage instanceof Promise) return this.#passLater(passage, at + 1);
        this.#passages.push(passage);
      }
    } catch (error) {
      return this.failed(error);
    }
    return this.#next(this.#request, this);
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

  answered(response: A): void {
    try {
      for (let at = this.#passages.length - 1; at >= 0; at--) this.#passages[at]?.answered?.(response);
    } catch (error) {
      return this.#receiver.failed(error);
    }
    return this.#receiver.answered(response);
  }

  failed(error: unknown): void {
    try {
      for (let at = this.#passages.length - 1; at >= 0; at--) this.#passages[at]?.failed?.(error);
    } catch (other) {
      return this.#receiver.failed(other);
    }
    return this.#receiver.failed(error);
  }
}
