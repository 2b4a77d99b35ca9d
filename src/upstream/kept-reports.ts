import type { UpstreamMetrics } from '../telemetry/metrics.ts';
import type { Call } from './call.ts';
import type { Prepared } from './client.ts';
import type { FinalAnswers } from './final-answers.ts';
import type { Read } from './endpoint.ts';
import { type ReportCache, type ReportReading, UnreadReport } from './report-cache.ts';
import { ReceivedBody } from './response/received-body.ts';
import type { ResponseReader } from './response/response-reader.ts';
import type { ResponseHead, WireResponse } from './response/wire-response.ts';

export interface KeptReportsOptions {
  /** Reports that callers page through. */
  readonly cache: ReportCache;
  /** What does not change any more. */
  readonly final: FinalAnswers;
  readonly reader: ResponseReader;
  /** The reports of all replicas; absent where there is one replica. */
  readonly shared?: SharedReports | undefined;
  readonly metrics?: Pick<UpstreamMetrics, 'countKeptReport'> | undefined;
  /** Runs for each report that is being read for a caller who has been refused since, by its flight key. */
  readonly abandon: (flightKey: string) => void;
}

/** The reports and final answers that are kept here, and the reports that the replicas keep for each other. */
export class KeptReports {
  readonly #options: KeptReportsOptions;

  constructor(options: KeptReportsOptions) {
    this.#options = options;
    options.shared?.watchRefusals((identity, status, endpoint) => this.#forget(identity, status, endpoint));
  }

  /** A report that came before, read or not; undefined where there is none. */
  get<Body>({ flightKey, caller }: Prepared, call: Call<Body>): UnreadReport<Body> | Body | undefined {
    const { final, metrics } = this.#options;
    const { endpoint, isFinal } = call;
    const isHidden = isFinal && !final.isProven(caller.identity);
    const kept = isHidden ? undefined : this.#cacheOf(call)?.get(flightKey);
    if (kept === undefined) return undefined;
    if (caller.trace !== undefined) caller.trace.origin = 'kept';
    metrics?.countKeptReport(endpoint.name);
    return kept as UnreadReport<Body> | Body;
  }

  /** Where a final answer is kept that may not be shown yet: resolves when it is known whether it may. Null otherwise. */
  whenProven({ flightKey, caller }: Prepared, { isFinal }: Call<unknown>): Promise<void> | null {
    return isFinal ? this.#options.final.whenProven(flightKey, caller.identity) : null;
  }

  /** Begins the reading of a report; null for the response of an endpoint that has no report. */
  open<Body>(prepared: Prepared, call: Call<Body>): OpenReport<Body> | null {
    const { flightKey, caller } = prepared;
    const cache = this.#cacheOf(call);
    if (cache === null) return null;
    const reading = cache.begin(flightKey, caller.identity, call.endpoint.name);
    return new OpenReport(this.#options, prepared, call, reading);
  }

  /** Counts a call among those that prove a key; the function that is returned notes its response, if it has one. */
  noteSent({ caller: { identity } }: Prepared): (response: ResponseHead | null) => void {
    return this.#options.final.noteSent(identity);
  }

  /** Forgets the reports of a caller whom a response refuses. */
  noteRefusal({ key, caller: { identity } }: Prepared, { endpoint }: Call<unknown>, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    this.#forget(identity, status, endpoint.name);
    this.#options.shared?.refuse({ key, identity }, status, endpoint.name);
  }

  #cacheOf({ endpoint, isFinal }: Call<unknown>): ReportCache | FinalAnswers | null {
    if (isFinal) return this.#options.final;
    return endpoint.isPagedHere === true ? this.#options.cache : null;
  }

  #forget(identity: string, status: 401 | 403, endpoint: string): void {
    const { cache, final, abandon } = this.#options;
    for (const kept of [cache, final])
      for (const flightKey of kept.refuse(identity, status, endpoint)) abandon(flightKey);
  }
}

/** A report that is being read: found in another replica, or sent by the API. */
export class OpenReport<Body> {
  readonly #options: KeptReportsOptions;
  readonly #prepared: Prepared;
  readonly #call: Call<Body>;
  readonly #reading: ReportReading;
  /** For how long a report of another replica may still be kept, in milliseconds; undefined for one of the API. */
  #leftMs: number | undefined;

  constructor(options: KeptReportsOptions, prepared: Prepared, call: Call<Body>, reading: ReportReading) {
    this.#options = options;
    this.#prepared = prepared;
    this.#call = call;
    this.#reading = reading;
  }

  /** A report that another replica keeps, as the response that it was; null where there is none. */
  async find(): Promise<WireResponse | null> {
    const { shared, metrics } = this.#options;
    const { key, path, caller } = this.#prepared;
    const { name: endpoint, accept } = this.#call.endpoint;
    const found = this.#call.isFinal
      ? null
      : await shared?.find({ key, identity: caller.identity }, { endpoint, path });
    if (found === undefined || found === null) return null;
    if (caller.trace !== undefined) caller.trace.origin = 'kept';
    metrics?.countKeptReport(endpoint);
    this.#leftMs = found.leftMs;
    return { status: 200, headers: { 'content-type': accept }, body: new ReceivedBody([found.body]) };
  }

  /** Keeps a report as it was read, or to be read. Throws UNAUTHENTICATED where its caller has been refused meanwhile. */
  keep(report: unknown, body: ReceivedBody): void {
    const isKept = this.#reading.keep(report, body.length, this.#leftMs);
    if (!isKept) return;
    if (report instanceof UnreadReport) report.keep(body);
    if (this.#leftMs !== undefined || this.#call.isFinal) return;
    const { key, path, caller } = this.#prepared;
    const name = { endpoint: this.#call.endpoint.name, path };
    this.#options.shared?.keep({ key, identity: caller.identity }, name, body);
  }

  /** The report of a response, kept until it turns out to be none. */
  keepUnread(response: WireResponse, read: Read<Body>): UnreadReport<Body> {
    const report = unreadReport(this.#options, this.#prepared, this.#call, response, read);
    this.keep(report, response.body);
    return report;
  }

  /** The reading is over, with or without a report. */
  end(): void {
    this.#reading.end();
  }
}

/** A report that forgets itself where it turns out to be none. While it is kept, nothing of the request that it came for is. */
function unreadReport<Body>(
  { cache, final, reader, shared }: KeptReportsOptions,
  { key, path, flightKey, caller: { identity } }: Prepared,
  call: Call<Body>,
  response: WireResponse,
  read: Read<Body>,
): UnreadReport<Body> {
  const { status, headers } = response;
  const report = new UnreadReport(async (body) => {
    try {
      return await reader.read({ status, headers, body }, call, read, key);
    } catch (error) {
      if ((call.isFinal ? final : cache).drop(flightKey, report))
        shared?.drop({ key, identity }, { endpoint: call.endpoint.name, path });
      throw error;
    }
  });
  return report;
}

/** The caller of a report: the key opens it, the identity names the caller in this process. */
export interface ReportCaller {
  readonly key: string;
  readonly identity: string;
}

/** A report of one caller: its endpoint, and the path and query string of its call. */
export interface ReportName {
  readonly endpoint: string;
  readonly path: string;
}

/** A report that another replica has read, as the body of its response. */
export interface SharedReport {
  readonly body: Buffer;
  /** For how long it may still be kept, in milliseconds. */
  readonly leftMs: number;
}

/** The reports that all replicas keep for each other. Nothing here fails: what cannot be shared is read from the API. */
export interface SharedReports {
  /** Null where no replica keeps it. Takes fifty milliseconds at most. */
  find(caller: ReportCaller, name: ReportName): Promise<SharedReport | null>;
  /** Keeps the body of a report for all replicas. */
  keep(caller: ReportCaller, name: ReportName, body: ReceivedBody): void;
  /** Forgets a report that turned out to be none. */
  drop(caller: ReportCaller, name: ReportName): void;
  /** Forgets the reports of a refused caller here and everywhere: after a 401 all, after a 403 those of the endpoint. */
  refuse(caller: ReportCaller, status: 401 | 403, endpoint: string): void;
  /** Runs when another replica has seen a caller refused. */
  watchRefusals(run: (identity: string, status: 401 | 403, endpoint: string) => void): void;
}
