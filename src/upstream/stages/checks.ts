import type { ResponseHead } from '../response/wire-response.ts';
import type { Send, Stage, UpstreamRequest } from './stage.ts';

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
  return (next) => (request) => {
    const passages: Passage[] = [];
    const answer = <A extends ResponseHead>(response: A): A => {
      for (let at = passages.length - 1; at >= 0; at--) passages[at]?.answered?.(response);
      return response;
    };
    const fail = (error: unknown): never => {
      for (let at = passages.length - 1; at >= 0; at--) passages[at]?.failed?.(error);
      throw error;
    };
    return passFrom(0, checks, request, passages, next).then(answer, fail);
  };
}

/** Passes the checks that are left, and sends the call. */
function passFrom<A>(
  from: number,
  checks: readonly Check[],
  request: UpstreamRequest,
  passages: Passage[],
  next: Send<A>,
): Promise<A> {
  try {
    for (let at = from; at < checks.length; at++) {
      const passage = (checks[at] as Check)(request);
      if (passage instanceof Promise)
        return passage.then((waited) => {
          passages.push(waited);
          return passFrom(at + 1, checks, request, passages, next);
        });
      passages.push(passage);
    }
    return next(request);
  } catch (error) {
    return Promise.reject(error);
  }
}
