import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';

export interface ReportCacheOptions {
  /** How long a report is kept, in milliseconds; 0 keeps none. */
  readonly keepMs: number;
  /** How much is kept at most, in bytes of the bodies that were read; 0 keeps none. */
  readonly mostBytes: number;
}

/** A report that is being read. */
export interface ReportReading {
  /** Keeps it where it may be kept; throws UNAUTHENTICATED where its caller has been refused since it began. */
  keep(report: unknown, bytes: number): void;
  /** It has been read, or could not be. */
  end(): void;
}

/**
 * Reports as they were read, for as long as somebody may be paging through them: the upstream sends a report whole, and to
 * read its body takes a hundred times longer than to cut a page from it. All keys are to name their caller.
 */
export interface ReportCache {
  /** Undefined where it is not kept. */
  get(key: string): unknown;
  /** The oldest make room; what is larger than all the room is not kept. */
  begin(key: string, identity: string, operation: string): ReportReading;
  /**
   * Forgets what a caller may not see any more: by 401 all reports, by 403 those of the operation that was refused. Returns the
   * keys of those that are being read: nobody who comes now may wait for them.
   */
  refuse(identity: string, status: 401 | 403, operation: string): readonly string[];
}

/** What is remembered of a report besides itself. */
interface Origin {
  readonly key: string;
  readonly identity: string;
  readonly operation: string;
}

interface OpenReading extends Origin {
  isUnkept: boolean;
  isRefused: boolean;
}

/** Makes an empty one; its timers do not keep the process alive. The clock tells milliseconds, and never stands at 0. */
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
    // The room is given back also where nobody asks again.
    ttlAutopurge: true,
    // By a clock that is read each time: one that is remembered may be too late when a report's only timer asks it.
    ttlResolution: 0,
    perf: { now },
    dispose: ({ origin }) => removeFrom(kept, origin),
  });

  return {
    // A look that changes nothing: the oldest goes first, however often it is asked for, and nobody sees one that is older.
    get: (key) => entries.peek(key)?.report,
    begin(key, identity, operation) {
      const reading: OpenReading = { key, identity, operation, isUnkept: !isKeeping, isRefused: false };
      addTo(underWay, reading);
      return {
        keep(report, bytes) {
          if (reading.isRefused) throw refusedMeanwhile();
          if (reading.isUnkept || bytes > mostBytes) return;
          const origin = { key, identity, operation };
          entries.set(key, { report, origin }, { size: bytes });
          addTo(kept, origin);
        },
        end: () => removeFrom(underWay, reading),
      };
    },
    refuse(identity, status, refused) {
      const isRefused = ({ operation }: Origin): boolean => status === 401 || operation === refused;
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

function refusedMeanwhile(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}
