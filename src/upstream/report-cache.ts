import { LRUCache } from 'lru-cache';

export interface ReportCacheOptions {
  /** How long a report is kept, in milliseconds; 0 keeps none. */
  readonly keepMs: number;
  /** How much is kept at most, in bytes of the bodies that were read; 0 keeps none. */
  readonly mostBytes: number;
}

/**
 * Reports as they were read, for as long as somebody may be paging through them: the upstream sends a report whole, and to
 * read its body takes a hundred times longer than to cut a page from it.
 */
export interface ReportCache {
  /** Undefined where it is not kept. The key must name the caller. */
  get(key: string): unknown;
  /** The oldest make room; what is larger than all the room is not kept. */
  keep(key: string, report: unknown, bytes: number): void;
}

/** Makes an empty one; its timers do not keep the process alive. The clock tells milliseconds, and never stands at 0. */
export function createReportCache(
  { keepMs, mostBytes }: ReportCacheOptions,
  now: () => number = () => performance.now(),
): ReportCache {
  // To the library, 0 is no bound.
  if (keepMs === 0 || mostBytes === 0) return { get: () => undefined, keep: () => {} };
  const entries = new LRUCache<string, { readonly report: unknown }>({
    maxSize: mostBytes,
    ttl: keepMs,
    // The room is given back also where nobody asks again.
    ttlAutopurge: true,
    // By a clock that is read each time: one that is remembered may be too late when a report's only timer asks it.
    ttlResolution: 0,
    perf: { now },
  });
  return {
    // A look that changes nothing: the oldest goes first, however often it is asked for, and nobody sees one that is older.
    get: (key) => entries.peek(key)?.report,
    keep: (key, report, bytes) => void entries.set(key, { report }, { size: bytes }),
  };
}
