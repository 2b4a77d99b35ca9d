import { instantOf, nanosecondsBetween } from './instant.ts';
import { int32Of } from './leaf.ts';
import { misfit, placeOf, type Site } from './misfit.ts';

/** What has begun and ended. */
interface Timed {
  readonly started_at?: string | null;
  readonly finished_at?: string | null;
}

const nanosecondsPerMillisecond = 1_000_000n;

/**
 * The time that something took by its own timestamps, in milliseconds, rounded to the nearest one, half of one away from zero; negative
 * where it ended before it began. Null where one of the times is missing or is no instant. Throws UPSTREAM_BAD_RESPONSE where the
 * number has more than 32 bits: that is 24 days.
 */
export function durationOf(record: Timed, site: Site): number | null {
  const [start, end] = [instantOf(record.started_at), instantOf(record.finished_at)];
  const nanoseconds = start && end && nanosecondsBetween(start, end);
  if (nanoseconds === null) return null;
  const milliseconds = int32Of(Number(rounded(nanoseconds)));
  if (milliseconds !== undefined) return milliseconds;
  throw misfit(site, 'a moment within 24 days of started_at', record.finished_at, placeOf(record, site.wireName));
}

function rounded(nanoseconds: bigint): bigint {
  const half = nanosecondsPerMillisecond / 2n;
  return (nanoseconds < 0n ? nanoseconds - half : nanoseconds + half) / nanosecondsPerMillisecond;
}
