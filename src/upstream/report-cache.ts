import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import { SweptTimeout, TimeoutSweep } from '../timeout-sweep.ts';
import { TransientMap } from '../transient-map.ts';
import { UnreadReport } from './unread-report.ts';

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

/** A report that is kept, until its time is up or something else takes it out. */
class KeptReport extends SweptTimeout {
  readonly report: unknown;
  readonly origin: Origin;
  readonly #remove: (key: string) => void;

  constructor(report: unknown, origin: Origin, remove: (key: string) => void) {
    super();
    this.report = report;
    this.origin = origin;
    this.#remove = remove;
  }

  expire(): void {
    this.#remove(this.origin.key);
  }
}

/** An empty cache. Its timer does not keep the process alive. `now` is in milliseconds and never 0. */
export function createReportCache(
  options: ReportCacheOptions,
  now: () => number = () => performance.now(),
): ReportCache {
  const { keepMs, mostBytes } = options;
  // To the library, 0 is no bound.
  const isKeeping = keepMs > 0 && mostBytes > 0;
  const kept = new Map<string, Set<Origin>>();
  const underWay = new TransientMap<string, Set<OpenReading>>();
  // Expired reports give their room back although nobody asks for them. The library would take a timer for each, and leave it
  // running when the report goes: under load there would be tens of thousands.
  const expiring = new TimeoutSweep<KeptReport>(keepMs);
  const entries = new LRUCache<string, KeptReport>({
    maxSize: isKeeping ? mostBytes : 1,
    ttl: keepMs,
    // The clock is read each time: a report of another replica has less time than the others.
    ttlResolution: 0,
    perf: { now },
    dispose(entry) {
      const { report, origin } = entry;
      expiring.delete(entry);
      removeFrom(kept, origin);
      if (report instanceof UnreadReport) report.forget();
    },
  });
  const remove = (key: string): void => void entries.delete(key);

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
          const entry = new KeptReport(report, origin, remove);
          entries.set(key, entry, { size: bytes, ttl: Math.min(keepMs, leftMs) });
          expiring.add(entry);
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

/** Origins by their caller. */
type ByCaller<Some> = Pick<Map<string, Set<Some>>, 'get' | 'delete'> & { set(key: string, value: Set<Some>): unknown };

function addTo<Some extends Origin>(all: ByCaller<Some>, one: Some): void {
  const set = all.get(one.identity);
  if (set === undefined) all.set(one.identity, new Set([one]));
  else set.add(one);
}

function removeFrom<Some extends Origin>(all: ByCaller<Some>, one: Some): void {
  const set = all.get(one.identity);
  set?.delete(one);
  if (set?.size === 0) all.delete(one.identity);
}

function refusedSince(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}
