import type { ExecutionResult } from 'graphql';
import type { ErrorCode } from '../../errors.ts';
import type { GraphqlRule } from '../graphql-rule.ts';

/** Sends Retry-After with a result that is RATE_LIMITED as a whole. It reads formatted errors. */
export function sendRetryAfter(): GraphqlRule {
  return {
    finish(result, { request: { res } }, part) {
      // The head of a stream has been sent before its first event.
      if (result.errors === undefined || part !== 'whole' || res.headersSent) return result;
      const seconds = secondsOf(result);
      if (seconds !== null) res.setHeader('retry-after', seconds);
      return result;
    },
  };
}

/** The longest wait of its errors; null where something in the result is not rate limited, or where no wait is known. */
function secondsOf({ data, errors = [] }: ExecutionResult): number | null {
  if (Object.values(data ?? {}).some((value) => value !== null)) return null;
  if (!errors.every(({ extensions }) => extensions['code'] === ('RATE_LIMITED' satisfies ErrorCode))) return null;
  const waits = errors
    .map(({ extensions }) => extensions['retryAfterSeconds'])
    .filter((wait) => typeof wait === 'number');
  return waits.length === 0 ? null : Math.max(...waits);
}
