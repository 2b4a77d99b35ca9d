import type { Violation } from '../errors.ts';
import { named, readInTurn, readReport } from './response/response-reader.ts';
import type { Call, CallTrace } from './call.ts';
import { withoutCredential } from './credential.ts';
import type { Endpoint, Read } from './endpoint.ts';
import { createReportCache } from './report-cache.ts';
import { createSingleFlight, type WaitLimits } from './single-flight.ts';
import type { Transport, WireRequest } from './transport.ts';
import type { WireResponse, ResponseHead, Hold, StreamedResponse } from './response/wire-response.ts';

/**
 * Whose call it is. The key goes upstream and nowhere else. The signal aborts when the caller has left or its operation has
 * taken too long, and the deadline says when that will be; Infinity where nothing bounds it.
 */
export interface Caller extends WaitLimits {
  /** Null where none of the right form was given: then nothing is called. */
  readonly key: string | null;
  /** Whether that is because of its length. */
  readonly isKeyTooLong?: boolean;
  readonly requestId: string;
  /** Names the caller in state that requests share; tells nothing of the key. */
  readonly identity: string;
  /** Told of each call that goes out, for the log line of the request. */
  readonly countCall: () => void;
  /** Told of promises that the upstream's answers break, where that is no error. */
  readonly noteViolation?: (violation: Violation) => void;
  /** Whether it will look at free-form values, when it is about to read an answer; absent means yes. */
  readonly needsExactNumbers?: () => boolean;
  /** Runs when what was read for it is not needed any more; absent where that is so as soon as it has been read. */
  readonly whenExecuted?: (run: () => void) => void;
  /** Filled in by the client, for whoever wants to know what became of this one call. */
  readonly trace?: CallTrace;
}

/** A call on its way through the stages. */
export interface UpstreamRequest extends WireRequest {
  readonly call: Call<unknown>;
  readonly caller: Caller;
  /** Of all who wait for the answer together. */
  readonly waitLimits: WaitLimits;
  /** Whether the body is handed over as it comes, and is under way long after the answer has begun. */
  readonly isStreamed: boolean;
  /** How often it has been sent. */
  readonly sent: { count: number };
}

/** The rest of a call's way, from a stage on. */
export type Send<A> = (request: UpstreamRequest) => Promise<A>;

/** One concern around every call: it may look, wait, refuse or try again. The first in the list is the outermost. */
export type Stage = <A extends ResponseHead>(next: Send<A>) => Send<A>;

/** The way upstream for everybody: makes calls, and reads what they are answered. */
export interface Client {
  /** Makes the call and reads its answer; throws UNAUTHENTICATED without a key, before anything is sent. */
  get<Body>(call: Call<Body>, caller: Caller): Promise<Body>;
  /** The CSV report as it comes; throws what `get` would. Its reader sets the pace and must destroy what it does not read. */
  stream(call: Call<string>, caller: Caller): Promise<StreamedResponse>;
}

/** A call that has been answered, and its answer as it was read, one way or both. */
interface SharedResponse<Body> {
  readonly response: WireResponse;
  readonly read: Read<Body>;
  readonly body: Body;
  otherwise?: Promise<Body>;
}

const noReports = createReportCache({ keepMs: 0, mostBytes: 0 });

/**
 * Puts the stages around the transport once; every call goes through all of them in their order. Equal calls of one caller
 * that are under way at the same time are one, read once, across requests.
 */
export function createClient(transport: Transport, stages: readonly Stage[], reports = noReports): Client {
  const collect = stages.reduceRight<Send<WireResponse>>((next, stage) => stage(next), transport.collect);
  const stream = stages.reduceRight<Send<StreamedResponse>>(
    (next, stage) => stage(next),
    (request) => transport.stream(request),
  );

  const flights = createSingleFlight();

  function noteRefusal({ caller, call }: UpstreamRequest, { status }: ResponseHead): void {
    if (status !== 401 && status !== 403) return;
    for (const flightKey of reports.refuse(caller.identity, status, call.endpoint.name)) flights.leaveBehind(flightKey);
  }

  return {
    async get<Body>(call: Call<Body>, caller: Caller) {
      const { key, request } = prepare(call, caller);
      const { isPagedHere = false } = call.endpoint;
      const flightKey = `${caller.identity} ${request.path}`;
      const kept = isPagedHere ? reports.get(flightKey) : undefined;
      const { trace } = caller;
      if (kept !== undefined) {
        if (trace !== undefined) trace.origin = 'kept';
        return kept as Body;
      }
      const read = readerOf(call.endpoint, caller);
      const flight = flights.join<SharedResponse<Body>>(flightKey, caller, async (waitLimits) => {
        if (trace !== undefined) Object.assign(trace, { origin: 'own', sent: request.sent });
        const reading = isPagedHere ? reports.begin(flightKey, caller.identity, call.endpoint.name) : null;
        try {
          const response = await collect({ ...request, signal: waitLimits.signal, waitLimits });
          noteRefusal(request, response);
          const body = await held(response.hold, readInTurn(response, call, read, key, waitLimits));
          reading?.keep(body, response.body.length);
          return { response, read, body };
        } finally {
          reading?.end();
        }
      });
      const landed = await named(call, flight);
      const { response } = landed;
      if (response.hold !== undefined) holdFor(caller, response.hold);
      if (trace !== undefined) Object.assign(trace, { status: response.status, bytes: response.body.length });
      if (landed.read === read) return landed.body;
      // Whoever shares the call may need its numbers otherwise: they are read once more, and not by each.
      landed.otherwise ??= readInTurn(response, call, read, key);
      return landed.otherwise;
    },
    async stream(call, caller) {
      const { key, request } = prepare(call, caller);
      const streamed = await named(call, stream({ ...request, isStreamed: true }));
      noteRefusal(request, streamed);
      return readReport(streamed, call, key);
    },
  };
}

function prepare(call: Call<unknown>, caller: Caller): { readonly key: string; readonly request: UpstreamRequest } {
  const { key } = caller;
  if (key === null) throw withoutCredential(caller);
  const { path, endpoint } = call;
  const headers = {
    authorization: `Bearer ${key}`,
    accept: endpoint.accept,
    'user-agent': 'switchboard',
    'x-request-id': caller.requestId,
  };
  const query = call.queryString === '' ? '' : `?${call.queryString}`;
  const { signal } = caller;
  return {
    key,
    request: {
      path: path + query,
      headers,
      identity: caller.identity,
      signal,
      call,
      caller,
      waitLimits: caller,
      isStreamed: false,
      sent: { count: 0 },
    },
  };
}

/** Gives back what a body needs no more when it has been read. */
async function held<Body>(hold: Hold | undefined, reading: Promise<Body>): Promise<Body> {
  if (hold === undefined) return reading;
  try {
    const body = await reading;
    hold.read();
    return body;
  } finally {
    // Those who wait for it come first, and hold it for themselves.
    setImmediate(() => hold.release());
  }
}

/** Holds what was read until its caller needs it no more. */
function holdFor({ whenExecuted, signal }: Caller, hold: Hold): void {
  if (whenExecuted === undefined || signal.aborted) return;
  hold.share();
  whenExecuted(() => hold.release());
}

function readerOf<Body>({ read, readExactly = read }: Endpoint<Body>, { needsExactNumbers }: Caller): Read<Body> {
  return (needsExactNumbers?.() ?? true) ? readExactly : read;
}
