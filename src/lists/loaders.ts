import { GatewayError, type ArgumentPath, type Violation } from '../errors.ts';
import { isCalendarDate } from '../moment.ts';
import { valueAt, type Arguments, type Endpoint, type ListBody, type ListEndpoint } from '../upstream/endpoint.ts';
import { createCall, type Call, type Caller, type Fetched, type PageRequest } from '../upstream/call.ts';
import type { Client } from '../upstream/client.ts';
import { withoutCredential } from '../upstream/credential.ts';
import { failureFor } from '../upstream/response/response-reader.ts';

export interface HowToLoad {
  /** Makes the call again although it was made: the list has changed. */
  readonly fresh?: boolean;
  /** Pays for the call before it is made, and only if it is; throws where the call must not be made. */
  readonly budget?: { spend(): void } | undefined;
  /** Arguments that are not the caller's, or not as the caller gave them: nobody is to blame for them. */
  readonly ownArguments?: readonly ArgumentPath[];
}

/** What resolvers read from, made for one request and gone with it. */
export interface Loaders {
  /** The reason why nothing can be loaded; null where it can. */
  readonly refusal: GatewayError | null;
  /** Equal calls of one request are made once; one that fails costs only those who asked for it. */
  load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how?: HowToLoad): Promise<Body>;
  /** As `load`, of an answer that is still to be read: `load` will read the same one. Null where it has been read. */
  loadBytes<Body>(
    endpoint: Endpoint<Body>,
    args: Arguments,
    page?: PageRequest,
  ): Promise<Pick<Fetched<Body>, 'bytes'>> | null;
  /** Equal readings of one request are made once, so that equal fields have equal values; the key names what is read. */
  once<Value>(key: string, read: () => Promise<Value>): Promise<Value>;
  /** Has what does not change any more asked for again, of all that this request has read: a field has found some of it wrong. */
  forgetFinal(): void;
  /** Counts a violation that costs no field; one that does is counted with its error. */
  noteViolation(violation: Violation): void;
  /** The rows of all pages of a list that this request has asked for so far; pages that failed are left out. */
  rowsOf<Row>(endpoint: ListEndpoint<Row>): Promise<readonly (Row | null)[]>;
}

/** A call of a request: its answer as it came, and as it was read. No two endpoints share a target. */
interface Made {
  readonly call: Call<unknown>;
  /** Absent where its body was asked for first, and may not be kept for long. */
  answer: Promise<Fetched<unknown>> | undefined;
  body: Promise<unknown> | undefined;
}

/** The body, which answers these arguments. One that repeats other ones is forgotten, and throws UPSTREAM_BAD_RESPONSE. */
async function answerTo<Body>(
  args: Arguments,
  { repeated = [], coordinate }: Endpoint<Body>,
  answer: Fetched<Body>,
): Promise<Body> {
  const body = await answer.read();
  for (const { argument, name } of repeated) {
    const [asked, told] = [valueAt(args, argument), valueAt(body, [name])];
    // What is no date is for the field that shows it.
    const date = typeof told === 'string' ? told.slice(0, 10) : '';
    if (typeof asked !== 'string' || date === asked || !isCalendarDate(date)) continue;
    answer.forget();
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', {
      message: `The upstream sent a report for another period: its ${name} is ${date}, where ${asked} was asked for.`,
      violation: { coordinate, kind: 'contradiction' },
    });
  }
  return body;
}

/** `now` is the API's present, in milliseconds since 1970. */
export function createLoaders(client: Client, caller: Caller, now = Date.now): Loaders {
  const calls = new Map<string, Made>();
  const readings = new Map<string, Promise<unknown>>();

  function madeOf(call: Call<unknown>): Made {
    return calls.getOrInsert(call.target, { call, answer: undefined, body: undefined });
  }

  function bodyOf<Body>(call: Call<Body>, args: Arguments, { fresh = false, budget }: HowToLoad): Promise<Body> {
    const made = madeOf(call);
    if (!fresh && made.body !== undefined) return made.body as Promise<Body>;
    const known = fresh ? undefined : made.answer;
    if (known === undefined) budget?.spend();
    const answer = (known ?? client.fetch(call, caller)) as Promise<Fetched<Body>>;
    if (call.isFinal) made.answer = answer;
    const body = answer.then((each) => answerTo(args, call.endpoint, each));
    made.body = body;
    return body;
  }

  return {
    refusal: caller.key === null ? withoutCredential() : null,
    async load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how: HowToLoad = {}) {
      const call = createCall(endpoint, args, page, how.ownArguments, now());
      try {
        return await bodyOf(call, args, how);
      } catch (error) {
        throw failureFor(call, error);
      }
    },
    loadBytes(endpoint, args, page) {
      const call = createCall(endpoint, args, page, [], now());
      const made = madeOf(call);
      // It has been read, and is not kept as it came.
      if (made.body !== undefined) return null;
      return (made.answer ??= client.fetch(call, caller));
    },
    once<Value>(key: string, read: () => Promise<Value>) {
      return readings.getOrInsertComputed(key, read) as Promise<Value>;
    },
    forgetFinal() {
      for (const { call, answer } of calls.values())
        if (call.isFinal) answer?.then((each) => each.forget()).catch(() => {});
    },
    noteViolation: (violation) => caller.noteViolation?.(violation),
    async rowsOf<Row>(endpoint: ListEndpoint<Row>) {
      const bodies = [...calls.values()].flatMap(({ call, body }) => (call.endpoint === endpoint ? (body ?? []) : []));
      const settled = await Promise.allSettled(bodies as Promise<ListBody<Row>>[]);
      return settled.flatMap((body) => (body.status === 'fulfilled' ? body.value.rows : []));
    },
  };
}
