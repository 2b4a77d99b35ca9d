import { gatewayErrorsOf } from '../errors.ts';
import type { Span } from '../telemetry/tracing.ts';
import { newCallTrace, type Call, type Caller, type CallTrace } from './call.ts';
import type { Client, Fetched } from './client.ts';

/** Ends the span of a call, as of now or of a moment before, unless it has ended; null where nothing failed. */
type EndCall = (failure: unknown, at?: number) => void;

/** A client whose calls have spans: one for each caller of a call, above those of its attempts. */
export function traceCalls(client: Client): Client {
  return {
    fetch: (call, caller) => traced(call, caller, (own) => client.fetch(call, own), endWithRead),
    stream: (call, caller) => traced(call, caller, (own) => client.stream(call, own), endAtOnce),
  };
}

function endAtOnce<Result>(result: Result, end: EndCall): Result {
  end(null);
  return result;
}

/** The span of a response that somebody reads ends when that has been done; otherwise with the work above it, as of now. */
function endWithRead<Body>(fetched: Fetched<Body>, end: EndCall, above: Span): Fetched<Body> {
  const at = performance.now();
  above.beforeEnd(() => end(null, at));
  return {
    ...fetched,
    async read() {
      try {
        return endAtOnce(await fetched.read(), end);
      } catch (error) {
        end(error);
        throw error;
      }
    },
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
    const { origin } = trace;
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

/** One upstream call of an operation. */
export interface ExplainedCall {
  readonly operation: string;
  /** As it was sent, without a question mark. */
  readonly query: string;
  readonly origin: CallTrace['origin'];
  readonly status: number | null;
  /** Of the response's body; null where there was none, or it failed. */
  readonly bytes: number | null;
  /** From the beginning of the operation to that of the call. */
  readonly startMilliseconds: number;
  readonly milliseconds: number;
  readonly retries: number;
  /** A command that makes the same call; the environment has the key and the API's address. */
  readonly curl: string;
}

interface Made {
  readonly call: Call<unknown>;
  readonly trace: CallTrace;
  /** As `performance.now()` has it. */
  readonly started: number;
  milliseconds: number;
}

/** The upstream calls of one operation. */
export class Explanation {
  readonly #began = performance.now();
  readonly #made: Made[] = [];

  /** A client that makes the same calls, and records them. */
  over(client: Client): Client {
    return {
      fetch: async (call, caller) => {
        const trace = newCallTrace();
        const made: Made = { call, trace, started: performance.now(), milliseconds: 0 };
        this.#made.push(made);
        try {
          const fetched = await client.fetch(call, { ...caller, trace });
          return { ...fetched, read: () => fetched.read().catch((error: unknown) => noteFailure(made, error)) };
        } catch (error) {
          return noteFailure(made, error);
        } finally {
          made.milliseconds = rounded(performance.now() - made.started);
        }
      },
      stream: (call, caller) => client.stream(call, caller),
    };
  }

  /** The calls in the order in which they were made; `hide` takes secrets out of a text. */
  list(hide: (text: string) => string): readonly ExplainedCall[] {
    return this.#made.map(({ call, trace, started, milliseconds }) => {
      const { origin, status, bytes, sent } = trace;
      const query = hiddenValues(call, hide);
      return {
        operation: call.endpoint.name,
        query,
        origin,
        status,
        bytes,
        startMilliseconds: rounded(started - this.#began),
        milliseconds,
        retries: Math.max(0, sent.count - 1),
        curl: curlOf(hiddenPath(call, hide), query, call.endpoint.accept),
      };
    });
  }
}

/** The query string, of which only the values of arguments come from outside. */
function hiddenValues({ endpoint, queryString }: Call<unknown>, hide: (text: string) => string): string {
  const names = new Set(endpoint.parameters.map(({ name }) => name));
  const pairs = queryString.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=', 2);
    return names.has(name) ? `${name}=${hide(value)}` : pair;
  });
  return pairs.join('&');
}

/** The path, of which only the identifier comes from outside. */
function hiddenPath({ endpoint, path }: Call<unknown>, hide: (text: string) => string): string {
  const [before = ''] = endpoint.path.split('{id}', 1);
  return before === endpoint.path ? path : before + hide(path.slice(before.length));
}

/** A response that failed has its status, and no body. */
function noteFailure({ trace }: Made, error: unknown): never {
  const [failure] = gatewayErrorsOf(error);
  Object.assign(trace, { status: failure?.details.upstream?.status ?? null, bytes: null });
  throw error;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

// A query string is percent-encoded, except for brackets, commas and apostrophes; an apostrophe would end the shell's text.
// Without double quotes the line can be copied out of JSON. A shell splits and expands nothing of a key or an API's root.
function curlOf(path: string, query: string, accept: string): string {
  const target = `${path}${query === '' ? '' : `?${query}`}`.replaceAll("'", '%27');
  return `curl -g -H 'Authorization: Bearer '$API_KEY -H 'Accept: ${accept}' $UPSTREAM_BASE_URL'${target}'`;
}
