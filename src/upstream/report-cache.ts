import { GatewayError } from '../errors.ts';
import { runAfter } from '../timeouts.ts';
import { ReceivedBody } from './response/received-body.ts';

export interface ReportCacheOptions {
  /** How long a report is kept, in milliseconds; 0 keeps none. */
  readonly keepMs: number;
  /** The most that is kept, in bytes of the bodies that were read; 0 keeps none. */
  readonly mostBytes: number;
  /** What the smallest report counts as, in bytes. Default: none. */
  readonly leastBytes?: number;
}

/** A report that is being read, and is kept then, until its time is up or something else takes it out. */
export class ReportReading {
  readonly key: string;
  readonly identity: string;
  readonly endpoint: string;
  /** What the API has refused to its caller since the reading began. */
  refused: 'nothing' | 'the report' | 'the key' = 'nothing';
  report: unknown;
  bytes = 0;
  /** By the clock of the cache. */
  until = 0;
  /** Keeps it beyond that. */
  callOffTime = (): void => {};
  readonly #cache: ReportCache;

  constructor(cache: ReportCache, key: string, identity: string, endpoint: string) {
    this.#cache = cache;
    this.key = key;
    this.identity = identity;
    this.endpoint = endpoint;
  }

  /**
   * Keeps the report if it may be kept, for less than all reports where `leftMs` says so; whether it is kept.
   * Throws UNAUTHENTICATED where its caller has been refused since the reading began.
   */
  keep(report: unknown, bytes: number, leftMs = Infinity): boolean {
    if (this.refused === 'the key') throw refusedSince();
    this.report = report;
    this.bytes = bytes;
    return this.refused === 'nothing' && this.#cache.keep(this, leftMs);
  }

  /** The reading is over, with or without a report. */
  end(): void {
    this.#cache.end(this);
  }
}

/**
 * Reports as they were read, for as long as somebody may be paging through them. The upstream sends a report whole, and reading
 * its body takes a hundred times longer than cutting a page from it. All keys must name their caller.
 */
export class ReportCache {
  readonly #options: ReportCacheOptions;
  readonly #now: () => number;
  /** In the order in which they were kept: the oldest goes first, however often it is asked for. */
  readonly #kept = new Map<string, ReportReading>();
  readonly #byCaller = new Map<string, Set<ReportReading>>();
  readonly #underWay = new Set<ReportReading>();
  #bytes = 0;

  constructor(options: ReportCacheOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** The report of a key; undefined where none is kept. */
  get(key: string): unknown {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#now() < kept.until ? kept.report : undefined;
  }

  /** How many reports are kept, and the bytes of their bodies. */
  size(): { readonly count: number; readonly bytes: number } {
    return { count: this.#kept.size, bytes: this.#bytes };
  }

  begin(key: string, identity: string, endpoint: string): ReportReading {
    const reading = new ReportReading(this, key, identity, endpoint);
    this.#underWay.add(reading);
    return reading;
  }

  end(reading: ReportReading): void {
    this.#underWay.delete(reading);
  }

  /** The oldest reports make room for it; a report larger than all the room is not kept. */
  keep(reading: ReportReading, leftMs: number): boolean {
    const { keepMs, mostBytes, leastBytes = 0 } = this.#options;
    reading.bytes = Math.max(reading.bytes, leastBytes);
    const { key, identity, bytes } = reading;
    if (keepMs === 0 || bytes > mostBytes) return false;
    this.remove(this.#kept.get(key));
    for (const oldest of this.#kept.values()) {
      if (this.#bytes + bytes <= mostBytes) break;
      this.remove(oldest);
    }
    const keptMs = Math.min(keepMs, leftMs);
    reading.until = this.#now() + keptMs;
    // It gives its room back then, although nobody asks for it.
    reading.callOffTime = runAfter(keptMs, () => this.remove(reading));
    this.#kept.set(key, reading);
    this.#bytes += bytes;
    const ofCaller = this.#byCaller.get(identity);
    if (ofCaller === undefined) this.#byCaller.set(identity, new Set([reading]));
    else ofCaller.add(reading);
    this.noteCaller(identity, true);
    return true;
  }

  /** Forgets a report that turned out to be none. False where another has taken its place, which stays. */
  drop(key: string, report: unknown): boolean {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.report !== report) return false;
    this.remove(kept);
    return true;
  }

  /**
   * Forgets the reports that a caller may not see any more: after a 401 all of them, after a 403 those of the refused endpoint.
   * Returns the keys of those that are being read: callers who come now must not wait for them.
   */
  refuse(identity: string, status: 401 | 403, endpoint: string): readonly string[] {
    const isRefused = (reading: ReportReading): boolean => status === 401 || reading.endpoint === endpoint;
    for (const kept of this.#byCaller.get(identity) ?? []) if (isRefused(kept)) this.remove(kept);
    const readings = [...this.#underWay].filter((reading) => reading.identity === identity && isRefused(reading));
    for (const reading of readings)
      if (status === 401) reading.refused = 'the key';
      else if (reading.refused === 'nothing') reading.refused = 'the report';
    return readings.map(({ key }) => key);
  }

  /** Forgets all reports. */
  clear(): void {
    for (const kept of this.#kept.values()) this.remove(kept);
  }

  /** Runs when something is kept for a caller, and when nothing is any more. */
  protected noteCaller(_identity: string, _isKept: boolean): void {}

  remove(kept: ReportReading | undefined): void {
    if (kept === undefined) return;
    this.#kept.delete(kept.key);
    this.#bytes -= kept.bytes;
    kept.callOffTime();
    const ofCaller = this.#byCaller.get(kept.identity);
    ofCaller?.delete(kept);
    if (ofCaller?.size === 0) {
      this.#byCaller.delete(kept.identity);
      this.noteCaller(kept.identity, false);
    }
    if (kept.report instanceof UnreadReport) kept.report.forget();
  }
}

function refusedSince(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', {
    message: 'The upstream has refused this API key while the report was being read.',
  });
}

/** A report that is kept as it came: it is read when somebody needs all of it, once, and what came is let go of then. */
export class UnreadReport<Body> {
  #own: Buffer<ArrayBuffer> | null = null;
  #bytes: ReceivedBody | null = null;
  #isShown = false;
  #read: ((bytes: ReceivedBody) => Promise<Body>) | null;
  #body: Promise<Body> | undefined;

  constructor(read: (bytes: ReceivedBody) => Promise<Body>) {
    this.#read = read;
  }

  /** Null once it has been read. */
  get bytes(): ReceivedBody | null {
    this.#isShown = true;
    return this.#bytes;
  }

  /** What is read of it. Who still has the bytes as they came gives them. Rejects where they cannot be read. */
  body(bytes: ReceivedBody | null = this.bytes): Promise<Body> {
    if (bytes !== null) this.#body ??= this.#read?.(bytes);
    this.#bytes = null;
    this.#read = null;
    this.forget();
    return this.#body as Promise<Body>;
  }

  /** Keeps bytes of its own, until it is forgotten. */
  keep(body: ReceivedBody): void {
    this.#own = body.copy();
    this.#bytes = new ReceivedBody([this.#own]);
  }

  /**
   * Lets go of its bytes: it has been read, or nobody will ask for it any more. Where nobody has seen them, their memory is free at
   * once: V8 would keep it until it collects all memory, and would do that for their sake several times a second.
   */
  forget(): void {
    if (!this.#isShown) this.#own?.buffer.transfer(0);
    this.#own = null;
  }
}
