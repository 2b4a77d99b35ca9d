import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { withoutCredential } from './credential.ts';
import type { Endpoint, Read } from './endpoint.ts';
import { createReportCache, type ReportCache } from './report-cache.ts';
import { createResponseReader, withEndpoint } from './response/response-reader.ts';
import { readReport } from './response/report-reader.ts';
import type { Hold, ResponseHead, StreamedResponse, WireResponse } from './response/wire-response.ts';
import { createSingleFlight, type WaitLimits } from './single-flight.ts';
import type { Send, Stage, UpstreamRequest } from './stages/stage.ts';
import type { Transport } from './transport.ts';

export type { Caller } from './caller.ts';

/** Makes the calls of all callers, and reads the responses. */
export interface Client {
  /** Makes the call and reads its response; throws UNAUTHENTICATED without a key, before anything is sent. */
  get<Body>(call: Call<Body>, caller: Caller): Promise<Body>;
  /** The CSV report as it comes; throws what `get` would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** A response and its body as it was read, with free-form numbers as text or not. */
interface SharedResponse<Body> {
  readonly response: WireResponse;
  readonly read: Read<Body>;
  readonly body: Body;
  /** The body as the other of the two functions reads it, once somebody has asked for that. */
  otherwise?: Promise<Body>;
}

/** A call that is ready to be sent. */
interface Prepared {
  readonly key: string;
  readonly request: UpstreamRequest;
  /** Names the call among those under way and those kept. */
  readonly flightKey: string;
}

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller
 * that are under way at the same time are one, read once, across requests.
 */
export function createClient(
  transport: Transport,
  stages: readonly Stage[],
  reports: ReportCache = createReportCache({ keepMs: 0, mostBytes: 0 }),
): Client {
  const collect = stages.reduceRight<Send<WireResponse>>((next, stage) => stage(next), transport.collect);
  const stream = stages.reduceRight<Send<StreamedResponse>>(
    (next, stage) => stage(next),
    (request) => transport.stream(request),
  );
  const flights = createSingleFlight();
  const reader = createResponseReader();

  function recordRefusal({ caller, call }: UpstreamRequest, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    for (const flightKey of reports.refuse(caller.identity, status, call.endpoint.name)) flights.leaveBehind(flightKey);
  }

  async function send<Body>(
    { key, request, flightKey }: Prepared,
    call: Call<Body>,
    read: Read<Body>,
    waitLimits: WaitLimits,
  ): Promise<SharedResponse<Body>> {
    const { name, isPagedHere = false } = call.endpoint;
    const { trace, identity } = request.caller;
    if (trace !== undefined) Object.assign(trace, { origin: 'own', sent: request.sent });
    const reading = isPagedHere ? reports.begin(flightKey, identity, name) : null;
    try {
      const response = await collect({ ...request, signal: waitLimits.signal, waitLimits });
      recordRefusal(request, response);
      const body = await releasing(response.hold, reader.read(response, call, read, key, waitLimits.signal));
      reading?.keep(body, response.body.length);
      return { response, read, body };
    } finally {
      reading?.end();
    }
  }

  return {
    async get<Body>(call: Call<Body>, caller: Caller) {
      const prepared = prepare(call, caller);
      const { key, flightKey } = prepared;
      const { trace } = caller;
      const kept = call.endpoint.isPagedHere === true ? reports.get(flightKey) : undefined;
      if (kept !== undefined) {
        if (trace !== undefined) trace.origin = 'kept';
        return kept as Body;
      }
      const read = readFunctionOf(call.endpoint, caller);
      const flight = flights.join(flightKey, caller, (waitLimits) => send(prepared, call, read, waitLimits));
      const shared = await withEndpoint(call, flight);
      const { response } = shared;
      if (response.hold !== undefined) holdFor(caller, response.hold);
      if (trace !== undefined) Object.assign(trace, { status: response.status, bytes: response.body.length });
      if (shared.read === read) return shared.body;
      // A caller who shares the call may need its numbers otherwise: the body is read once more for all of those.
      shared.otherwise ??= reader.read(response, call, read, key);
      return shared.otherwise;
    },
    async stream(call, caller) {
      const { key, request } = prepare(call, caller);
      const streamed = await withEndpoint(call, stream({ ...request, isStreamed: true }));
      recordRefusal(request, streamed);
      return readReport(streamed, call, key);
    },
  };
}

function prepare(call: Call<unknown>, caller: Caller): Prepared {
  const { key, identity, signal, requestId } = caller;
  if (key === null) throw withoutCredential(caller);
  const path = call.queryString === '' ? call.path : `${call.path}?${call.queryString}`;
  const headers = {
    authorization: `Bearer ${key}`,
    accept: call.endpoint.accept,
    'user-agent': 'switchboard',
    'x-request-id': requestId,
  };
  const request = {
    path,
    headers,
    identity,
    signal,
    call,
    caller,
    waitLimits: caller,
    isStreamed: false,
    sent: { count: 0 },
  };
  return { key, request, flightKey: `${identity} ${path}` };
}

/** Gives memory back once a body has been read: that of its bytes at once, all of it after those who wait have held it. */
async function releasing<Body>(hold: Hold | undefined, reading: Promise<Body>): Promise<Body> {
  if (hold === undefined) return reading;
  try {
    const body = await reading;
    hold.read();
    return body;
  } finally {
    // Those who wait for the body run first, and hold it for themselves.
    setImmediate(() => hold.release());
  }
}

/** Holds a body until its caller no longer needs it. */
function holdFor({ whenExecuted, signal }: Caller, hold: Hold): void {
  if (whenExecuted === undefined || signal.aborted) return;
  hold.share();
  whenExecuted(() => hold.release());
}

function readFunctionOf<Body>({ read, readExactly = read }: Endpoint<Body>, caller: Caller): Read<Body> {
  return (caller.needsExactNumbers?.() ?? true) ? readExactly : read;
}
