import { longestPollBackoffMs, longestRetryAfterMs } from '../bounds.ts';
import type { CancelSignal } from '../cancellation.ts';
import { gatewayErrorsOf } from '../errors.ts';

/** How often a list is polled. */
export interface PaceOptions {
  /** From the end of a poll to the beginning of the next, in milliseconds. */
  readonly pollMs: number;
  /** Random numbers from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

/**
 * Polls again and again until the signal aborts, for the first time after `firstWaitMs` milliseconds. A failure that may pass
 * is waited out; throws any other. `wait` waits for so many milliseconds, or until the signal aborts.
 */
export async function pollRepeatedly(
  poll: () => Promise<void>,
  firstWaitMs: number,
  wait: (milliseconds: number) => Promise<void>,
  signal: CancelSignal,
  options: PaceOptions,
): Promise<void> {
  let failures = 0;
  let waitMs = firstWaitMs;
  for (;;) {
    await wait(waitMs);
    if (signal.aborted) return;
    try {
      await poll();
      failures = 0;
      waitMs = options.pollMs;
    } catch (error) {
      failures += 1;
      waitMs = waitAfterFailure(error, failures, options);
    }
  }
}

/** How long to wait after so many failures in a row, in milliseconds; throws the last failure where it will not pass. */
export function waitAfterFailure(error: unknown, failures: number, options: PaceOptions): number {
  const errors = gatewayErrorsOf(error);
  if (!errors.every(({ retryable }) => retryable)) throw error;
  return waitAfter(failures, errors[0]?.retryAfterSeconds, options);
}

/**
 * How long to wait before the next poll, in milliseconds. The wait doubles with each failure in a row, up to half a minute. It
 * has jitter, so that streams that were cut off by one outage do not all come back at one moment. It is never shorter than
 * the upstream asked for.
 */
export function waitAfter(
  failures: number,
  retryAfterSeconds: number | undefined,
  { pollMs, random = Math.random }: PaceOptions,
): number {
  if (failures === 0) return pollMs;
  const longest = Math.max(pollMs, longestPollBackoffMs);
  const backoff = Math.min(longest, pollMs * 2 ** failures);
  const jittered = backoff / 2 + (backoff / 2) * random();
  const retryAfterMs = Math.min((retryAfterSeconds ?? 0) * 1000, longestRetryAfterMs);
  return retryAfterMs === 0 ? jittered : retryAfterMs + jittered;
}
