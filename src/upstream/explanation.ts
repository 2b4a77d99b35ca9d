import { gatewayErrorsOf } from '../errors.ts';
import { type Call, type Caller, type CallTrace, newCallTrace } from './call.ts';
import type { Client } from './client.ts';

/** A client whose calls have spans: one for each caller of a call, above those of its attempts, until it has its response. */
export function traceCalls(client: Client): Client {
  return {
    fetch: (call, caller) => withSpan(call, caller, (own) => client.fetch(call, own)),
    stream: (call, caller) => withSpan(call, caller, (own) => client.stream(call, own)),
  };
}

async function withSpan<Value>(
  { endpoint: { name } }: Call<unknown>,
  caller: Caller,
  make: (own: Caller) => Promise<Value>,
): Promise<Value> {
  if (caller.span?.isRecorded !== true) return make(caller);
  const span = caller.span.begin(`upstream ${name}`, 'internal', { 'switchboard.operation': name });
  const trace = caller.trace ?? newCallTrace();
  let errorType: string | null = null;
  try {
    return await make({ ...caller, span, trace });
  } catch (failure) {
    errorType = caller.signal.aborted ? 'aborted' : (gatewayErrorsOf(failure)[0]?.code ?? '_OTHER');
    throw failure;
  } finally {
    const { origin, attempts, bytes } = trace;
    const attributes = {
      'switchboard.call.origin': origin ?? undefined,
      'switchboard.call.attempts': origin === 'own' ? attempts : undefined,
      'http.response.body.size': bytes ?? undefined,
    };
    span.end(attributes, errorType);
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
          return await client.fetch(call, { ...caller, trace });
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
      const { origin, status, bytes, attempts } = trace;
      const [path = '', query = ''] = hiddenIn(call.target, hide).split('?', 2);
      return {
        operation: call.endpoint.name,
        query,
        origin,
        status,
        bytes,
        startMilliseconds: rounded(started - this.#began),
        milliseconds,
        retries: Math.max(0, attempts - 1),
        curl: curlOf(path, query, call.endpoint.accept),
      };
    });
  }
}

/** A path and its query string without secrets. Each part is looked at by itself: one that has an encoded key is hidden whole. */
function hiddenIn(target: string, hide: (text: string) => string): string {
  return target
    .split(/([/?&=])/)
    .map((part) => hide(part))
    .join('');
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
