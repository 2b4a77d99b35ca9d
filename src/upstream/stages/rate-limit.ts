import { longestRetryAfterMs, rateLimitedCallers } from '../../bounds.ts';
import type { Stage } from './stage.ts';
import { everybodyKnown, strangersShare } from './known-callers.ts';
import { retryAfterOf } from '../response/retry-after.ts';
import { UnsentError, type ResponseHead, type ResponseHeaders } from '../response/wire-response.ts';

const tooMany = 429;
// Numbers from here on are moments (seconds since 1970), smaller ones are spans: both are met in x-ratelimit-reset.
const leastMoment = 1_000_000_000;

/**
 * Remembers of each caller that the upstream's budget is used up (429, or `x-ratelimit-remaining: 0`) and until when: its
 * calls are answered RATE_LIMITED here, and not sent, until the reset. Other callers are not touched, and what is remembered
 * of a known caller is forgotten for no stranger.
 */
export function respectRateLimits(now: () => number = () => Date.now(), known = everybodyKnown): Stage {
  const resets = new Map<string, number>();
  const resetsOfStrangers = new Map<string, number>();

  const resetOf = (identity: string): number | undefined => resets.get(identity) ?? resetsOfStrangers.get(identity);

  function forget(identity: string): void {
    resets.delete(identity);
    resetsOfStrangers.delete(identity);
  }

  function note(identity: string, response: ResponseHead): void {
    const told = resetIn(response, now());
    if (told === undefined) return;
    // Answers overtake each other, and there may be several limits: the latest reset is the one that counts.
    const reset = Math.max(told, resetOf(identity) ?? 0);
    forget(identity);
    const isKnown = known.has(identity);
    const [all, most] = isKnown
      ? [resets, rateLimitedCallers]
      : [resetsOfStrangers, strangersShare(rateLimitedCallers)];
    // The oldest goes: it is the likeliest to be over.
    const [oldest] = all.keys();
    if (all.size >= most && oldest !== undefined) all.delete(oldest);
    all.set(identity, reset);
  }

  return (next) => async (request) => {
    const { identity } = request.caller;
    const reset = resetOf(identity);
    if (reset !== undefined && reset > now()) throw rateLimited(reset - now());
    if (reset !== undefined) forget(identity);
    const answer = await next(request);
    note(identity, answer);
    return answer;
  };
}

/** When the budget is filled again, in milliseconds since 1970; undefined while there is some, or nobody says. */
function resetIn({ status, headers }: ResponseHead, now: number): number | undefined {
  const isEmpty = status === tooMany || numberIn(headers, 'x-ratelimit-remaining') === 0;
  if (!isEmpty) return undefined;
  const told = status === tooMany ? retryAfterOf({ headers }) : undefined;
  const reset = told ?? numberIn(headers, 'x-ratelimit-reset');
  if (reset === undefined) return undefined;
  const moment = reset >= leastMoment ? reset * 1000 : now + reset * 1000;
  return moment > now ? Math.min(moment, now + longestRetryAfterMs) : undefined;
}

function numberIn(headers: ResponseHeaders, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,12}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
