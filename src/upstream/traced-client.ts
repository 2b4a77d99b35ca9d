import { gatewayErrorsOf } from '../errors.ts';
import type { Span } from '../telemetry/tracing.ts';
import { newCallTrace, originOf, type Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Client, Fetched } from './client.ts';

/** Ends the span of a call, as of now or of a moment before; null where nothing failed. */
type EndCall = (failure: unknown, at?: number) => void;

/** A client whose calls have spans: one for each caller of a call, above those of its attempts (stages/observe.ts). */
export function traceCalls(client: Client): Client {
  return {
    get: (call, caller) => traced(call, caller, (own) => client.get(call, own), endAtOnce),
    fetch: (call, caller) => traced(call, caller, (own) => client.fetch(call, own), endWithRead),
    stream: (call, caller) => traced(call, caller, (own) => client.stream(call, own), endAtOnce),
  };
}

function endAtOnce<Result>(result: Result, end: EndCall): Result {
  end(null);
  return result;
}

/** An unread response fails when somebody reads it. Until the work above it ends, somebody may. */
function endWithRead<Body>(fetched: Fetched<Body>, end: EndCall, above: Span): Fetched<Body> {
  const at = performance.now();
  let failure: unknown = null;
  above.beforeEnd(() => end(failure, at));
  return {
    bytes: fetched.bytes,
    read: () =>
      fetched.read().catch((error: unknown) => {
        failure = error;
        throw error;
      }),
  };
}

async function traced<Result>(
  call: Call<unknown>,
  caller: Caller,
  make: (caller: Caller) => Promise<Result>,
  endWith: (result: Result, end: EndCall, above: Span) => Result,
): Promise<Result> {
  const { name } = call.endpoint;
  if (caller.span?.isRecorded !== true) return make(caller);
  const span = caller.span.begin(`upstream ${name}`, 'internal', { 'switchboard.operation': name });
  const trace = caller.trace ?? newCallTrace();
  const typeOf = (failure: unknown): string =>
    caller.signal.aborted ? 'aborted' : (gatewayErrorsOf(failure)[0]?.code ?? '_OTHER');
  const end: EndCall = (failure, at) => {
    const origin = originOf(trace);
    const attributes = {
      'switchboard.call.origin': origin ?? undefined,
      'switchboard.call.attempts': origin === 'own' ? trace.sent.count : undefined,
      'http.response.body.size': trace.bytes ?? undefined,
    };
    span.end(attributes, failure === null ? null : typeOf(failure), at);
  };
  try {
    return endWith(await make({ ...caller, span, trace }), end, caller.span);
  } catch (error) {
    end(error);
    throw error;
  }
}
