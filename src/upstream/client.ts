import { largeBody } from '../bounds.ts';
import type { UpstreamMetrics } from '../telemetry/upstream-metrics.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Endpoint, Read } from './endpoint.ts';
import { KeptReports } from './kept-reports.ts';
import { prepare, requestOf, type Prepared } from './prepared-call.ts';
import { createReportCache, type ReportCache } from './report-cache.ts';
import { createResponseReader, withEndpoint } from './response/response-reader.ts';
import type { ReceivedBody } from './response/received-body.ts';
import { readReport } from './response/report-reader.ts';
import { holdFor, releaseLater, releasing } from './response/hold.ts';
import type { StreamedResponse, WireResponse } from './response/wire-response.ts';
import type { SharedReports } from './shared-reports.ts';
import { createSingleFlight, type WaitLimits } from './single-flight.ts';
import type { Send, Stage } from './stages/stage.ts';
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
  readonly report: UnreadReport<Body> | undefined;
  /** The body as the other functions read it, once somebody has asked for that: two at most, where nobody has read it yet. */
  otherwise?: Map<Read<Body>, Promise<Body>>;
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
  readonly #metrics: SavingMetrics | undefined;
  readonly #reports: KeptReports;
  readonly #flights = createSingleFlight();
  readonly #reader = createResponseReader();

  constructor(
    transport: Transport,
    stages: readonly Stage[],
    cache: ReportCache,
    metrics?: SavingMetrics,
    shared?: SharedReports,
  ) {
    this.#collect = stages.reduceRight<Send<WireResponse>>((next, stage) => stage(next), transport.collect);
    this.#stream = stages.reduceRight<Send<StreamedResponse>>(
      (next, stage) => stage(next),
      (request) => transport.stream(request),
    );
    this.#metrics = metrics;
    const abandon = (flightKey: string): void => this.#flights.leaveBehind(flightKey);
    this.#reports = new KeptReports({ cache, reader: this.#reader, shared, metrics, abandon });
  }

  async get<Body>(call: Call<Body>, caller: Caller): Promise<Body> {
    const prepared = prepare(call, caller);
    const kept = this.#reports.get(prepared, call);
    if (kept !== undefined) return kept instanceof UnreadReport ? kept.body() : kept;
    const read = readFunctionOf(call.endpoint, caller);
    // To return the promise itself would take two ticks more.
    return await this.#respond(prepared, call, read, true, (shared) => this.#bodyOf(shared, call, read, prepared.key));
  }

  async fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>> {
    const prepared = prepare(call, caller);
    const kept = this.#reports.get(prepared, call);
    if (kept instanceof UnreadReport) return { bytes: kept.bytes, read: () => kept.body() };
    if (kept !== undefined) return { bytes: null, read: async () => kept };
    const read = readFunctionOf(call.endpoint, caller);
    return await this.#respond(prepared, call, read, false, (shared) => {
      const { status, body } = shared.response;
      return { bytes: status === 200 ? body : null, read: async () => this.#bodyOf(shared, call, read, prepared.key) };
    });
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const prepared = prepare(call, caller);
    return withEndpoint(call, this.#stream(requestOf(prepared, call, caller, true)), (streamed) => {
      if (caller.trace !== undefined) caller.trace.status = streamed.status;
      this.#reports.noteRefusal(prepared, call, streamed);
      return readReport(streamed, call, prepared.key);
    });
  }

  /** Sends a call, or joins an equal one that is under way. */
  #respond<Body, Result>(
    prepared: Prepared,
    call: Call<Body>,
    read: Read<Body>,
    isRead: boolean,
    use: (shared: SharedResponse<Body>) => Result | Promise<Result>,
  ): Promise<Result> {
    const { flightKey, caller } = prepared;
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
      return use(shared);
    });
  }

  async #send<Body>(
    prepared: Prepared,
    call: Call<Body>,
    read: Read<Body>,
    waitLimits: WaitLimits,
    isRead: boolean,
  ): Promise<SharedResponse<Body>> {
    const request = requestOf(prepared, call, waitLimits, false);
    const open = this.#reports.open(prepared, call);
    try {
      const found = open === null ? null : await open.find();
      const response = found ?? (await this.#collect(request));
      this.#reports.noteRefusal(prepared, call, response);
      // A large body has its turn to be read, and is never shown from its bytes.
      if (!isRead && response.body.length < largeBody) {
        if (response.hold !== undefined) releaseLater(response.hold);
        const report = response.status === 200 ? open?.keepUnread(response, read) : undefined;
        return { response, read: null, body: null, report };
      }
      const body = await releasing(
        response.hold,
        this.#reader.read(response, call, read, prepared.key, waitLimits.signal),
      );
      open?.keep(body, response.body);
      return { response, read, body, report: undefined };
    } finally {
      open?.end();
    }
  }

  #bodyOf<Body>(shared: SharedResponse<Body>, call: Call<Body>, read: Read<Body>, key: string) {
    if (shared.read === read) return shared.body as Body;
    // A caller who shares the call may need its numbers otherwise: the body is read once more for all of those.
    shared.otherwise ??= new Map();
    const known = shared.otherwise.get(read);
    if (known !== undefined) return known;
    const body = shared.report?.body(shared.response.body) ?? this.#reader.read(shared.response, call, read, key);
    shared.otherwise.set(read, body);
    return body;
  }
}

function readFunctionOf<Body>({ read, readExactly = read }: Endpoint<Body>, caller: Caller): Read<Body> {
  return (caller.needsExactNumbers?.() ?? true) ? readExactly : read;
}
