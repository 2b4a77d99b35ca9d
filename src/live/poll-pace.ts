/** How the polls that have failed in a row, and the last failure, bear on the next. */
export interface PaceOptions {
  /** From the end of a poll to the beginning of the next, in milliseconds. */
  readonly pollMs: number;
  /** Random numbers from 0 to 1, for the jitter. */
  readonly random?: () => number;
}

const longestBackoffMs = 30_000;
// As for all rate limits: a wrong header must not silence a stream for a day.
const longestToldMs = 300_000;

/**
 * How long to wait before the next poll, in milliseconds. After failures twice as long each time, up to half a minute, with
 * jitter, so that all who were cut off by one outage do not come back at one moment; never less than the upstream asked for.
 */
export function waitAfter(
  failures: number,
  retryAfterSeconds: number | undefined,
  { pollMs, random = Math.random }: PaceOptions,
): number {
  if (failures === 0) return pollMs;
  const longest = Math.max(pollMs, longestBackoffMs);
  const backoff = Math.min(longest, pollMs * 2 ** failures);
  const jittered = backoff / 2 + (backoff / 2) * random();
  const told = Math.min((retryAfterSeconds ?? 0) * 1000, longestToldMs);
  return told === 0 ? jittered : told + jittered;
}
