import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';

export interface ReportCacheOptions {
  /** How long a report is kept, in milliseconds; 0 keeps none. */
  readonly keepMs: number;
  /** The most that is kept, in bytes of the bodies that were read; 0 keeps none. */
  readonly mostBytes: number;
}

/** A report that is being read. */
export interface ReportReading {
  /**
   * Keeps the report if it may be kept, for less than all reports where `leftMs` says so; whether it is kept. Throws
   * UNAUTHENTICATED where its caller has been refused since the reading began.
   */
  keep(report: unknown, bytes: number, leftMs?: number): boolean;
  /** The reading is over, with or without a report. */
  end(): void;
}

/**
 * Reports as they were read, for as long as somebody may be paging through them. The upstream sends a report whole, and reading
 * its body takes a hundred times longer than cutting a page from it. All keys must name their caller.
 */
export interface ReportCache {
  /** The report of a key; undefined where none is kept. */
  get(key: string): unknown;
  /** Begins the reading of a report. The oldest reports make room for it; a report larger than all the room is not kept. */
  begin(key: string, identity: string, endpoint: string): ReportReading;
  /** How many reports are kept, and the bytes of their bodies. */
  size(): { readonly count: number; readonly bytes: number };
  /** Forgets a report that turned out to be none. False where another has taken its place, which stays. */
  drop(key: string, report: unknown): boolean;
  /**
   * Forgets the reports that a caller may not see any more: after a 401 all of them, after a 403 those of the refused endpoint.
   * Returns the keys of those that are being read: callers who come now must not wait for them.
   */
  refuse(identity: string, status: 401 | 403, endpoint: string): readonly string[];
}

/** The key, the caller and the endpoint of a report. */
interface Origin {
  readonly key: string;
  readonly identity: string;
  readonly endpoint: string;
}

interface OpenReading extends Origin {
  isUnkept: boolean;
  isRefused: boolean;
}

/** An empty cache. Its timers do not keep the process alive. `now` is in milliseconds and never 0. */
export function createReportCache(
  options: ReportCacheOptions,
  now: () => number = () => performance.now(),
): ReportCache {
  const { keepMs, mostBytes } = options;
  // To the library, 0 is no bound.
  const isKeeping = keepMs > 0 && mostBytes > 0;
  const kept = new Map<string, Set<Origin>>();
  const underWay = new Map<string, Set<OpenReading>>();
  const entries = new LRUCache<string, { readonly report: unknown; readonly origin: Origin }>({
    maxSize: isKeeping ? mostBytes : 1,
    ttl: keepMs,
    // Expired reports give their room back although nobody asks for them.
    ttlAutopurge: true,
    // The clock is read each time: a remembered time may be too early when a report's only timer asks for it.
    ttlResolution: 0,
    perf: { now },
    dispose: ({ origin }) => removeFrom(kept, origin),
  });

  return {
    // `peek` changes nothing: the oldest report goes first, however often it is asked for, and none is kept for longer.
    get: (key) => entries.peek(key)?.report,
    begin(key, identity, endpoint) {
      const reading: OpenReading = { key, identity, endpoint, isUnkept: !isKeeping, isRefused: false };
      addTo(underWay, reading);
      return {
        keep(report, bytes, leftMs = keepMs) {
          if (reading.isRefused) throw refusedSince();
          if (reading.isUnkept || bytes > mostBytes) return false;
          const origin = { key, identity, endpoint };
          entries.set(key, { report, origin }, { size: bytes, ttl: Math.min(keepMs, leftMs) });
          addTo(kept, origin);
          return true;
        },
        end: () => removeFrom(underWay, reading),
      };
    },
    size: () => ({ count: entries.size, bytes: entries.calculatedSize }),
    drop(key, report) {
      const entry = entries.peek(key);
      if (entry !== undefined && entry.report !== report) return false;
      entries.delete(key);
      return true;
    },
    refuse(identity, status, refused) {
      const isRefused = ({ endpoint }: Origin): boolean => status === 401 || endpoint === refused;
      for (const { key } of [...(kept.get(identity) ?? [])].filter(isRefused)) entries.delete(key);
      const readings = [...(underWay.get(identity) ?? [])].filter(isRefused);
      for (const reading of readings) {
        reading.isUnkept = true;
        if (status === 401) reading.isRefused = true;
      }
      return readings.map(({ key }) => key);
    },
  };
}

function addTo<Some extends Origin>(all: Map<string, Set<Some>>, one: Some): void {
  const set = all.get(one.identity);
  if (set === undefined) all.set(one.identity, new Set([one]));
  else set.add(one);
}

function removeFrom<Some extends Origin>(all: Map<string, Set<Some>>, one: Some): void {
  const set = all.get(one.identity);
  set?.delete(one);
  if (set?.size === 0) all.delete(one.identity);
}

function refusedSince(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}
