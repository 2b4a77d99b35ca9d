import { largeBody } from '../bounds.ts';
import type { UpstreamMetrics } from '../telemetry/metrics.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { withoutCredential } from './credential.ts';
import type { Endpoint, Read } from './endpoint.ts';
import { FinalAnswers } from './final-answers.ts';
import { KeptReports, type KeptReportsOptions, type SharedReports } from './kept-reports.ts';
import { ReportCache, UnreadReport } from './report-cache.ts';
import type { BodyHold } from './response/body-room.ts';
import type { ReceivedBody } from './response/received-body.ts';
import { rateLimitIn, type RateLimit } from './response/rate-limit-fields.ts';
import {
  readReport,
  createResponseReader,
  failureAt,
  isReadable,
  type ResponseReader,
} from './response/response-reader.ts';
import type { ResponseHead, StreamedResponse, WireResponse } from './response/wire-response.ts';
import { SingleFlight, Waiter, type MakeCall, type WaitLimits } from './single-flight.ts';
import type { Send, Stage, UpstreamRequest } from './stages/stages.ts';
import type { Transport } from './transport/transport.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and reads its response; throws UNAUTHENTICATED without a key, before anything is sent. */
  get<Body>(call: Call<Body>, caller: Caller): Promise<Body>;
  /** Makes the call and leaves its response unread; throws as `get` does before it reads. */
  fetch<Body>(call: Call<Body>, caller: Caller): Promise<Fetched<Body>>;
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

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller
 * that are under way at the same time are one, read once, across requests. `names` are those that records are read by.
 */
export function createClient(
  transport: Transport,
  stages: readonly Stage[],
  reports: ReportCache = new ReportCache({ keepMs: 0, mostBytes: 0 }),
  metrics?: SavingMetrics,
  shared?: SharedReports,
  names: ReadonlySet<string> | null = null,
  final = new FinalAnswers(0),
): Client {
  return new StagedClient(transport, stages, { cache: reports, final, shared, metrics }, createResponseReader(names));
}

/** What counts the calls that need not be sent. */
type SavingMetrics = Pick<UpstreamMetrics, 'countSharedCall' | 'countKeptReport'>;

class StagedClient implements Client {
  readonly #parts: CallParts;
  readonly #stream: Send<StreamedResponse>;
  readonly #metrics: SavingMetrics | undefined;
  readonly #flights = new SingleFlight();

  constructor(
    transport: Transport,
    stages: readonly Stage[],
    kept: Pick<KeptReportsOptions, 'cache' | 'final' | 'shared'> & { readonly metrics: SavingMetrics | undefined },
    reader: ResponseReader,
  ) {
    const abandon = (flightKey: string): void => this.#flights.leaveBehind(flightKey);
    const reports = new KeptReports({ ...kept, reader, abandon });
    this.#parts = { collect: staged(stages, transport.collect), reports, reader };
    this.#stream = staged(stages, transport.stream);
    this.#metrics = kept.metrics;
  }

  get<Body>(call: Call<Body>, caller: Caller, isWaiting = true): Promise<Body> {
    return new Promise((resolve, reject) => {
      const prepared = prepare(call, caller);
      const proof = isWaiting ? this.#parts.reports.whenProven(prepared, call) : null;
      if (proof !== null) return resolve(proof.then(() => this.get(call, caller, false)));
      const kept = this.#parts.reports.get(prepared, call);
      // Nobody knows any more how large it was.
      if (kept !== undefined) caller.noteBytes?.(largeBody);
      if (kept !== undefined) return resolve(kept instanceof UnreadReport ? kept.body() : kept);
      const read = readFunctionOf(call.endpoint, caller);
      const use = (shared: SharedResponse<Body>): void => resolve(this.#bodyOf(shared, call, read, prepared.key));
      return this.#respond(prepared, call, read, true, new ResponseWaiter(call, caller, use, reject));
    });
  }

  fetch<Body>(call: Call<Body>, caller: Caller, isWaiting = true): Promise<Fetched<Body>> {
    return new Promise((resolve, reject) => {
      const prepared = prepare(call, caller);
      const proof = isWaiting ? this.#parts.reports.whenProven(prepared, call) : null;
      if (proof !== null) return resolve(proof.then(() => this.fetch(call, caller, false)));
      const kept = this.#parts.reports.get(prepared, call);
      if (kept !== undefined) caller.noteBytes?.(largeBody);
      if (kept instanceof UnreadReport) return resolve({ bytes: kept.bytes, read: () => kept.body() });
      if (kept !== undefined) return resolve({ bytes: null, read: async () => kept });
      const read = readFunctionOf(call.endpoint, caller);
      const use = (shared: SharedResponse<Body>): void => {
        const { body } = shared.response;
        const readBody = async (): Promise<Body> => this.#bodyOf(shared, call, read, prepared.key);
        resolve({ bytes: isReadable(shared.response) ? body : null, read: readBody });
      };
      return this.#respond(prepared, call, read, false, new ResponseWaiter(call, caller, use, reject));
    });
  }

  async stream(call: Call<string>, caller: Caller): Promise<StreamedResponse> {
    const prepared = prepare(call, caller);
    const request = requestOf(prepared, call, caller, true);
    const streamed = await this.#stream(request).catch((error: unknown) => {
      throw failureAt(call, undefined, error);
    });
    if (caller.trace !== undefined) caller.trace.status = streamed.status;
    this.#parts.reports.noteRefusal(prepared, call, streamed);
    return readReport(streamed, call, prepared.key);
  }

  /** Sends a call, or joins an equal one that is under way. */
  #respond<Body>(
    prepared: Prepared,
    call: Call<Body>,
    read: Read<Body>,
    isRead: boolean,
    waiter: ResponseWaiter<Body>,
  ): void {
    const { flightKey, caller } = prepared;
    const make: MakeCall<SharedResponse<Body>> = (limits) =>
      makeOnce(this.#parts, prepared, call, read, isRead, limits);
    if (!this.#flights.join(flightKey, waiter, make)) return;
    this.#metrics?.countSharedCall(call.endpoint.name);
    if (caller.trace !== undefined) caller.trace.origin = 'shared';
  }

  #bodyOf<Body>(shared: SharedResponse<Body>, call: Call<Body>, read: Read<Body>, key: string) {
    if (shared.read === read) return shared.body as Body;
    // A caller who shares the call may need its numbers otherwise: the body is read once more for all of those.
    shared.otherwise ??= new Map();
    const known = shared.otherwise.get(read);
    if (known !== undefined) return known;
    const body = shared.report?.body(shared.response.body) ?? this.#parts.reader.read(shared.response, call, read, key);
    shared.otherwise.set(read, body);
    return body;
  }
}

/** What responses tell of the rate limit, by the errors for which they stand. */
const rateLimits = new WeakMap<object, RateLimit>();

/** A caller who waits for a response, and what is made of it. */
class ResponseWaiter<Body> extends Waiter<SharedResponse<Body>> {
  readonly #call: Call<Body>;
  readonly #caller: Caller;
  readonly #use: (shared: SharedResponse<Body>) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    call: Call<Body>,
    caller: Caller,
    use: (shared: SharedResponse<Body>) => void,
    reject: (error: unknown) => void,
  ) {
    super(caller);
    this.#call = call;
    this.#caller = caller;
    this.#use = use;
    this.#reject = reject;
  }

  answered(shared: SharedResponse<Body>): void {
    const { status, body, hold } = shared.response;
    const { trace } = this.#caller;
    this.#caller.noteBytes?.(body.length);
    if (shared.rateLimit !== null) this.#caller.noteRateLimit?.(shared.rateLimit);
    try {
      hold?.shareWith(this.#caller);
      if (trace !== undefined) Object.assign(trace, { status, bytes: body.length });
      this.#use(shared);
    } catch (error) {
      this.#reject(error);
    }
  }

  /** A failure of the wire gets the name of its endpoint. */
  failed(error: unknown): void {
    const limit = rateLimits.get(error as object);
    if (limit !== undefined) this.#caller.noteRateLimit?.(limit);
    this.#reject(failureAt(this.#call, undefined, error));
  }
}

/** Puts the stages around the transport. */
function staged<A extends ResponseHead>(stages: readonly Stage[], send: Send<A>): Send<A> {
  return stages.reduceRight<Send<A>>((next, stage) => stage(next), send);
}

function readFunctionOf<Body>({ read, readExactly = read }: Endpoint<Body>, caller: Caller): Read<Body> {
  return (caller.needsExactNumbers?.() ?? true) ? readExactly : read;
}

/** A response and its body as it was read, with free-form numbers as text or not; both null where nobody has read it yet. */
export interface SharedResponse<Body> {
  readonly response: WireResponse;
  readonly read: Read<Body> | null;
  readonly body: Body | null;
  /** The report that is kept of it, unread: whoever reads it finds out for all whether it is one. */
  readonly report: UnreadReport<Body> | undefined;
  /** What it tells of the caller's rate limit. */
  readonly rateLimit: RateLimit | null;
  /** The body as the other functions read it, once somebody has asked for that: two at most, where nobody has read it yet. */
  otherwise?: Map<Read<Body>, Promise<Body>>;
}

/** What all calls are made with. */
export interface CallParts {
  readonly collect: Send<WireResponse>;
  readonly reports: KeptReports;
  readonly reader: ResponseReader;
}

/** Makes a call, and reads its response, once for all who wait for it. Where `isRead` is false, a body that is not large is left unread. */
export async function makeOnce<Body>(
  { collect, reports, reader }: CallParts,
  prepared: Prepared,
  call: Call<Body>,
  read: Read<Body>,
  isRead: boolean,
  limits: WaitLimits,
): Promise<SharedResponse<Body>> {
  const report = reports.open(prepared, call);
  const noteResponse = reports.noteSent(prepared);
  let hold: BodyHold | undefined;
  let head: ResponseHead | null = null;
  let rateLimit: RateLimit | null = null;
  try {
    const request = requestOf(prepared, call, limits, false);
    const found = report === null ? null : await report.find();
    const response = found ?? (await collect(request));
    hold = response.hold;
    head = found === null ? response : null;
    // What another replica keeps was told to somebody else, long ago.
    if (head !== null) rateLimit = rateLimitIn(head, Date.now);
    reports.noteRefusal(prepared, call, response);
    // A large body has its turn to be read, and is never shown from its bytes.
    if (isRead || response.body.length >= largeBody) {
      const body = await reader.read(response, call, read, prepared.key, limits.signal);
      hold?.read();
      report?.keep(body, response.body);
      return { response, read, body, rateLimit, report: undefined };
    }
    const unread = isReadable(response) ? report?.keepUnread(response, read) : undefined;
    return { response, read: null, body: null, rateLimit, report: unread };
  } catch (error) {
    if (rateLimit !== null) rateLimits.set(error as object, rateLimit);
    throw error;
  } finally {
    noteResponse(head);
    hold?.releaseLater();
    report?.end();
  }
}

/** A call that can be sent. */
export interface Prepared {
  readonly key: string;
  readonly caller: Caller;
  /** Relative to the version-2 root, with the query string. */
  readonly path: string;
  /** Names the call among those under way and those kept. */
  readonly flightKey: string;
}

/** Prepares a call; throws UNAUTHENTICATED without a key. */
export function prepare(call: Call<unknown>, caller: Caller): Prepared {
  const { key, identity } = caller;
  if (key === null) throw withoutCredential(caller);
  return { key, caller, path: call.target, flightKey: `${identity} ${call.target}` };
}

/** The request of a call, within these limits. */
export function requestOf(
  { key, caller, path }: Prepared,
  call: Call<unknown>,
  waitLimits: WaitLimits,
  isStreamed: boolean,
): UpstreamRequest {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: call.endpoint.accept,
    'accept-encoding': 'identity',
    'user-agent': 'switchboard',
    'x-request-id': caller.requestId,
  };
  const { identity, trace } = caller;
  const sent = { count: 0 };
  if (trace !== undefined) Object.assign(trace, { origin: 'own', sent });
  return { path, headers, identity, signal: waitLimits.signal, call, caller, waitLimits, isStreamed, sent };
}
