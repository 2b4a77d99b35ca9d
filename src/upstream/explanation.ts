import { gatewayErrorsOf } from '../errors.ts';
import { newCallTrace, originOf, type Call, type CallTrace } from './call.ts';
import type { Client } from './client.ts';

/** One upstream call of an operation, and the field that asked for it. */
export interface ExplainedCall {
  /** Names from the root, e.g. `ipConnections.nodes.webhookDeliveries`; several fields where they share a search. */
  readonly field: string;
  readonly operation: string;
  /** As it was sent, without a question mark. */
  readonly query: string;
  /** As `originOf` tells; `repeated`: another field of this operation had asked for the same. */
  readonly origin: CallTrace['origin'] | 'repeated';
  readonly status: number | null;
  readonly bytes: number | null;
  /** From the beginning of the operation to that of the call, also of the one that is repeated; null where no call was begun. */
  readonly startMilliseconds: number | null;
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
  readonly #asked: { readonly fields: () => string; readonly call: Call<unknown> }[] = [];

  /** A client whose calls are recorded. */
  over(client: Client): Client {
    return {
      get: async (call, caller) => {
        const trace = newCallTrace();
        const made: Made = { call, trace, started: performance.now(), milliseconds: 0 };
        this.#made.push(made);
        return timed(made, client.get(call, { ...caller, trace }));
      },
      stream: (call, caller) => client.stream(call, caller),
    };
  }

  /** Records that fields ask for a call; `fields` runs when the calls are listed. */
  record(call: Call<unknown>, fields: () => string): void {
    this.#asked.push({ call, fields });
  }

  /** The calls in the order in which fields asked for them; `hide` takes secrets out of a text. */
  list(hide: (text: string) => string): readonly ExplainedCall[] {
    const left = [...this.#made];
    return this.#asked.map(({ call, fields }) => {
      const at = left.findIndex((made) => made.call.target === call.target);
      const [own] = at < 0 ? [] : left.splice(at, 1);
      const first = own ?? this.#made.find((made) => made.call.target === call.target);
      const trace = first?.trace ?? newCallTrace();
      const { status, bytes, sent } = trace;
      const query = hiddenValues(call, hide);
      return {
        field: fields(),
        operation: call.endpoint.name,
        query,
        origin: own === undefined ? 'repeated' : originOf(trace),
        status,
        bytes,
        startMilliseconds: first === undefined ? null : rounded(first.started - this.#began),
        milliseconds: own === undefined ? 0 : own.milliseconds,
        retries: own === undefined ? 0 : Math.max(0, sent.count - 1),
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

async function timed<Body>(made: Made, body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    const [failure] = gatewayErrorsOf(error);
    made.trace.status = failure?.upstream?.status ?? null;
    throw error;
  } finally {
    made.milliseconds = rounded(performance.now() - made.started);
  }
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
