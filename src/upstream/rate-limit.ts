import type { Stage } from './client.ts';
import { retryAfterOf } from './retry-after.ts';
import { UnsentError, type AnswerHead, type AnswerHeaders } from './wire-answer.ts';

const tooMany = 429;
// Numbers from here on are moments (seconds since 1970), smaller ones are spans: both are met in x-ratelimit-reset.
const leastMoment = 1_000_000_000;
// No limit is believed for longer: a wrong header must not shut a caller out for a day.
const longestWaitMs = 300_000;
const mostCallers = 10_000;

/**
 * Remembers of each caller that the upstream's budget is used up (429, or `x-ratelimit-remaining: 0`) and until when: its
 * calls are answered RATE_LIMITED here, and not sent, until the reset. Other callers are not touched.
 */
export function respectRateLimits(now: () => number = () => Date.now()): Stage {
  const resets = new Map<string, number>();

  function note(identity: string, answer: AnswerHead): void {
    const told = resetOf(answer, now());
    if (told === undefined) return;
    // Answers overtake each other, and there may be several limits: the latest reset is the one that counts.
    const reset = Math.max(told, resets.get(identity) ?? 0);
    // The oldest goes: it is the likeliest to be over.
    resets.delete(identity);
    const [oldest] = resets.keys();
    if (resets.size >= mostCallers && oldest !== undefined) resets.delete(oldest);
    resets.set(identity, reset);
  }

  return (next) => async (request) => {
    const { identity } = request.caller;
    const reset = resets.get(identity);
    if (reset !== undefined && reset > now()) throw rateLimited(reset - now());
    if (reset !== undefined) resets.delete(identity);
    const answer = await next(request);
    note(identity, answer);
    return answer;
  };
}

/** When the budget is filled again, in milliseconds since 1970; undefined while there is some, or nobody says. */
function resetOf({ status, headers }: AnswerHead, now: number): number | undefined {
  const isEmpty = status === tooMany || numberIn(headers, 'x-ratelimit-remaining') === 0;
  if (!isEmpty) return undefined;
  const told = status === tooMany ? retryAfterOf({ headers }) : undefined;
  const reset = told ?? numberIn(headers, 'x-ratelimit-reset');
  if (reset === undefined) return undefined;
  const moment = reset >= leastMoment ? reset * 1000 : now + reset * 1000;
  return moment > now ? Math.min(moment, now + longestWaitMs) : undefined;
}

function numberIn(headers: AnswerHeaders, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,12}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
