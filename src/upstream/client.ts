import { largeBody } from '../bounds.ts';
import type { UpstreamMetrics } from '../telemetry/upstream-metrics.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Endpoint, Read } from './endpoint.ts';
import { prepare, type Prepared } from './prepared-call.ts';
import { createReportCache, type ReportCache } from './report-cache.ts';
import { createResponseReader, withEndpoint } from './response/response-reader.ts';
import { ReceivedBody } from './response/received-body.ts';
import { readReport } from './response/report-reader.ts';
import { holdFor, releaseLater, releasing } from './response/hold.ts';
import type { ResponseHead, StreamedResponse, WireResponse } from './response/wire-response.ts';
import type { ReportName, SharedReports } from './shared-reports.ts';
import { createSingleFlight, type WaitLimits } from './single-flight.ts';
import type { Send, Stage, UpstreamRequest } from './stages/stage.ts';
import type { Transport } from './transport.ts';
import { UnreadReport } from './unread-report.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and reads its response; throws UNAUTHENTICATED without a key, before anything is sent. */
  get<Body>(call: Call<Body>, caller: Caller): Promise<Body>;
  /** Makes the call and leaves its response unread; throws as `get` does before it reads. Absent where every response is read. */
  fetch?<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>>;
  /** The CSV report as it comes; throws what `get` would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** The response to a call, unread. */
export interface Fetched<Body> {
  /** Null where the response is no whole one, or a report that has been read before. */
  readonly bytes: ReceivedBody | null;
  /** The body as `get` reads it. */
  readonly read: () => Promise<Body>;
}

/** A response and its body as it was read, with free-form numbers as text or not; both null where nobody has read it yet. */
interface SharedResponse<Body> {
  readonly response: WireResponse;
  readonly read: Read<Body> | null;
  readonly body: Body | null;
  /** The report that is kept of it, unread: whoever reads it finds out for all whether it is one. */
  readonly report?: UnreadReport<Body>;
  /** The body as the other of the two functions reads it, once somebody has asked for that. */
  otherwise?: Promise<Body>;
}

/** A report that another replica keeps, and for how long this one may keep it, in milliseconds. */
interface FoundReport {
  readonly response: WireResponse;
  readonly leftMs: number;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller
 * that are under way at the same time are one, read once, across requests.
 */
export function createClient(
  transport: Transport,
  stages: readonly Stage[],
  reports: ReportCache = createReportCache({ keepMs: 0, mostBytes: 0 }),
  metrics?: SavingMetrics,
  shared?: SharedReports,
): Client {
  return new StagedClient(transport, stages, reports, metrics, shared);
}

/** What counts the calls that need not be sent. */
type SavingMetrics = Pick<UpstreamMetrics, 'countSharedCall' | 'countKeptReport'>;

class StagedClient implements Client {
  readonly #collect: Send<WireResponse>;
  readonly #stream: Send<StreamedResponse>;
  readonly #reports: ReportCache;
  readonly #metrics: SavingMetrics | undefined;
  /** The reports of all replicas; undefined where there is one replica. */
  readonly #shared: SharedReports | undefined;
  readonly #flights = createSingleFlight();
  readonly #reader = createResponseReader();

  constructor(
    transport: Transport,
    stages: readonly Stage[],
    reports: ReportCache,
    metrics?: SavingMetrics,
    shared?: SharedReports,
  ) {
    this.#collect = stages.reduceRight<Send<WireResponse>>((next, stage) => stage(next), transport.collect);
    this.#stream = stages.reduceRight<Send<StreamedResponse>>(
      (next, stage) => stage(next),
      (request) => transport.stream(request),
    );
    this.#reports = reports;
    this.#metrics = metrics;
    this.#shared = shared;
    shared?.watchRefusals((identity, status, endpoint) => this.#forget(identity, status, endpoint));
  }

  async get<Body>(call: Call<Body>, caller: Caller): Promise<Body> {
    const prepared = prepare(call, caller);
    const kept = this.#keptReport(prepared, call);
    if (kept !== undefined) return kept instanceof UnreadReport ? kept.body() : kept;
    const read = readFunctionOf(call.endpoint, caller);
    return this.#bodyOf(await this.#respond(prepared, call, read, true), call, read, prepared.key);
  }

  async fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>> {
    const prepared = prepare(call, caller);
    const kept = this.#keptReport(prepared, call);
    if (kept instanceof UnreadReport) return { bytes: kept.bytes, read: () => kept.body() };
    if (kept !== undefined) return { bytes: null, read: async () => kept };
    const read = readFunctionOf(call.endpoint, caller);
    const shared = await this.#respond(prepared, call, read, false);
    const { status, body } = shared.response;
    return { bytes: status === 200 ? body : null, read: async () => this.#bodyOf(shared, call, read, prepared.key) };
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const { key, request } = prepare(call, caller);
    const { trace } = caller;
    if (trace !== undefined) Object.assign(trace, { origin: 'own', sent: request.sent });
    return withEndpoint(call, this.#stream({ ...request, isStreamed: true }), (streamed) => {
      if (trace !== undefined) trace.status = streamed.status;
      this.#recordRefusal(request, streamed);
      return readReport(streamed, call, key);
    });
  }

  /** Sends a call, or joins an equal one that is under way. */
  #respond<Body>(prepared: Prepared, call: Call<Body>, read: Read<Body>, isRead: boolean) {
    const { flightKey, request } = prepared;
    const { caller } = request;
    let isOwn = caller.signal.aborted;
    const flight = this.#flights.join(flightKey, caller, (waitLimits) => {
      isOwn = true;
      return this.#send(prepared, call, read, waitLimits, isRead);
    });
    if (!isOwn) {
      this.#metrics?.countSharedCall(call.endpoint.name);
      if (caller.trace !== undefined) caller.trace.origin = 'shared';
    }
    return withEndpoint(call, flight, (shared) => {
      const { status, body, hold } = shared.response;
      if (hold !== undefined) holdFor(caller, hold);
      if (caller.trace !== undefined) Object.assign(caller.trace, { status, bytes: body.length });
      return shared;
    });
  }

  async #send<Body>(
    { key, request, flightKey }: Prepared,
    call: Call<Body>,
    read: Read<Body>,
    waitLimits: WaitLimits,
    isRead: boolean,
  ): Promise<SharedResponse<Body>> {
    const { name, isPagedHere = false } = call.endpoint;
    const { trace, identity } = request.caller;
    if (trace !== undefined) Object.assign(trace, { origin: 'own', sent: request.sent });
    const reading = isPagedHere ? this.#reports.begin(flightKey, identity, name) : null;
    try {
      const found = reading === null ? null : await this.#findReport(key, request);
      const response = found?.response ?? (await this.#collect({ ...request, signal: waitLimits.signal, waitLimits }));
      this.#recordRefusal(request, response);
      const keep = (report: unknown): void => {
        const isKept = reading?.keep(report, response.body.length, found?.leftMs) ?? false;
        if (isKept && found === null) this.#shared?.keep({ key, identity }, nameOf(request), response.body);
      };
      // A large body has its turn to be read, and is never shown from its bytes.
      if (!isRead && response.body.length < largeBody) {
        if (response.hold !== undefined) releaseLater(response.hold);
        if (reading === null || response.status !== 200) return { response, read: null, body: null };
        const report = this.#unreadReport(response, call, read, key, request, flightKey);
        keep(report);
        return { response, read: null, body: null, report };
      }
      const body = await releasing(response.hold, this.#reader.read(response, call, read, key, waitLimits.signal));
      keep(body);
      return { response, read, body };
    } finally {
      reading?.end();
    }
  }

  /** A report that another replica keeps, as the response that it was; null where there is none. */
  async #findReport(key: string, { caller, call, path }: UpstreamRequest): Promise<FoundReport | null> {
    const { identity, trace } = caller;
    const found = await this.#shared?.find({ key, identity }, { endpoint: call.endpoint.name, path });
    if (found === undefined || found === null) return null;
    if (trace !== undefined) trace.origin = 'kept';
    this.#metrics?.countKeptReport(call.endpoint.name);
    const { body, leftMs } = found;
    const headers = { 'content-type': call.endpoint.accept };
    return { leftMs, response: { status: 200, headers, body: new ReceivedBody([body]) } };
  }

  /** A report that is kept until it turns out to be none. */
  #unreadReport<Body>(
    response: WireResponse,
    call: Call<Body>,
    read: Read<Body>,
    key: string,
    request: UpstreamRequest,
    flightKey: string,
  ): UnreadReport<Body> {
    return new UnreadReport(response.body, async () => {
      try {
        return await this.#reader.read(response, call, read, key);
      } catch (error) {
        this.#reports.drop(flightKey);
        this.#shared?.drop({ key, identity: request.caller.identity }, nameOf(request));
        throw error;
      }
    });
  }

  #bodyOf<Body>(shared: SharedResponse<Body>, call: Call<Body>, read: Read<Body>, key: string) {
    if (shared.read === read) return shared.body as Body;
    // A caller who shares the call may need its numbers otherwise: the body is read once more for all of those.
    shared.otherwise ??= shared.report?.body() ?? this.#reader.read(shared.response, call, read, key);
    return shared.otherwise;
  }

  /** A report that came before; undefined where there is none. */
  #keptReport<Body>({ flightKey, request }: Prepared, { endpoint }: Call<Body>) {
    const kept = endpoint.isPagedHere === true ? this.#reports.get(flightKey) : undefined;
    if (kept === undefined) return undefined;
    const { trace } = request.caller;
    if (trace !== undefined) trace.origin = 'kept';
    this.#metrics?.countKeptReport(endpoint.name);
    return kept as UnreadReport<Body> | Body | undefined;
  }

  #recordRefusal({ caller, call }: UpstreamRequest, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    const { key, identity } = caller;
    this.#forget(identity, status, call.endpoint.name);
    if (key !== null) this.#shared?.refuse({ key, identity }, status, call.endpoint.name);
  }

  #forget(identity: string, status: 401 | 403, endpoint: string): void {
    for (const flightKey of this.#reports.refuse(identity, status, endpoint)) this.#flights.leaveBehind(flightKey);
  }
}

function nameOf({ call, path }: UpstreamRequest): ReportName {
  return { endpoint: call.endpoint.name, path };
}

function readFunctionOf<Body>({ read, readExactly = read }: Endpoint<Body>, caller: Caller): Read<Body> {
  return (caller.needsExactNumbers?.() ?? true) ? readExactly : read;
}
