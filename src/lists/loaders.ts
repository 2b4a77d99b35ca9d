import type { ArgumentPath, GatewayError, Violation } from '../errors.ts';
import type { Arguments } from '../upstream/arguments.ts';
import { createCall, type Call, type PageRequest } from '../upstream/call.ts';
import { CallResults } from './call-results.ts';
import type { Caller } from '../upstream/caller.ts';
import type { Client, Fetched } from '../upstream/client.ts';
import { withoutCredential } from '../upstream/credential.ts';
import { failureFor } from '../upstream/response/reported-error.ts';
import type { ListEndpoint, Endpoint, ViolationCheck } from '../upstream/endpoint.ts';

/** How a call is made. */
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
    how?: HowToLoad,
  ): Promise<Pick<Fetched<Body>, 'bytes'>> | null;
  /** Equal readings of one request are made once, so that equal fields have equal values; the key names what is read. */
  once<Value>(key: string, read: () => Promise<Value>): Promise<Value>;
  /** Counts a violation that costs no field; one that does is counted with its error. */
  noteViolation(violation: Violation): void;
  /** The rows of all pages of a list that this request has asked for so far; pages that failed are left out. */
  rowsOf<Row>(endpoint: ListEndpoint<Row>): Promise<readonly (Row | null)[]>;
}

/** The loaders of one request, on behalf of its caller. */
export function createLoaders(client: Client, caller: Caller): Loaders {
  const bodies = new CallResults<Promise<unknown>>();
  const answers = new CallResults<Promise<Fetched<unknown>>>();
  // Nothing is batched. The two maps are made on demand: most requests need neither.
  let pages: Map<unknown, Promise<unknown>[]> | undefined;
  let readings: Map<string, Promise<unknown>> | undefined;

  /** Counts the violations of a body; they cost no field. */
  async function noteViolations<Body>(check: ViolationCheck<Body>, body: Promise<Body>): Promise<void> {
    const [settled] = await Promise.allSettled([body]);
    if (settled.status === 'rejected') return;
    for (const violation of check.violationsIn(settled.value)) caller.noteViolation?.(violation);
  }

  function bodyOf<Body>(call: Call<Body>, args: Arguments, { fresh = false, budget }: HowToLoad): Promise<Body> {
    const known = fresh ? undefined : bodies.get(call.target);
    if (known !== undefined) return known as Promise<Body>;
    const answer = fresh ? undefined : answers.get(call.target);
    if (answer === undefined) budget?.spend();
    const body = answer === undefined ? client.get(call, caller) : answer.then(({ read }) => read() as Promise<Body>);
    bodies.set(call.target, body);
    const check = call.endpoint.violationCheckFor?.(args) ?? null;
    if (check !== null) void noteViolations(check, body);
    return body;
  }

  function notePage(operation: unknown, body: Promise<unknown>): void {
    pages ??= new Map();
    const known = pages.get(operation);
    if (known === undefined) pages.set(operation, [body]);
    else known.push(body);
  }

  return {
    refusal: caller.key === null ? withoutCredential(caller) : null,
    async load<Body>(endpoint: Endpoint<Body>, args: Arguments, page?: PageRequest, how: HowToLoad = {}) {
      const call = createCall(endpoint, args, page, how.ownArguments);
      const body = bodyOf(call, args, how);
      if (page !== undefined) notePage(endpoint, body);
      try {
        return await body;
      } catch (error) {
        throw failureFor(call, error);
      }
    },
    loadBytes(endpoint, args, page, { budget } = {}) {
      const call = createCall(endpoint, args, page);
      // It has been read, and is not kept as it came.
      if (client.fetch === undefined || bodies.get(call.target) !== undefined) return null;
      const known = answers.get(call.target);
      if (known === undefined) budget?.spend();
      const answer = known ?? client.fetch(call, caller);
      answers.set(call.target, answer);
      return answer;
    },
    once<Value>(key: string, read: () => Promise<Value>) {
      readings ??= new Map();
      const reading = readings.get(key) ?? read();
      readings.set(key, reading);
      return reading as Promise<Value>;
    },
    noteViolation: (violation) => caller.noteViolation?.(violation),
    async rowsOf<Row>(endpoint: ListEndpoint<Row>) {
      const settled = await Promise.allSettled(pages?.get(endpoint) ?? []);
      return settled.flatMap((page) =>
        page.status === 'fulfilled' ? (page.value as ReturnType<typeof endpoint.read>).rows : [],
      );
    },
  };
}
