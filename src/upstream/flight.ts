import { CancelSource, type CancelSignal } from '../cancellation.ts';
import { Linked, LinkedSet, TransientMap } from '../transient-collections.ts';
import type { Answer, SentAnswer } from './answer.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { RateLimit } from './response/rate-limit-fields.ts';
import { failureAt } from './response/response-reader.ts';
import type { Sending } from './stages/stage.ts';

/** A call with the key of its caller. */
export class KeyedCall<Body> implements Sending {
  readonly call: Call<Body>;
  readonly caller: Caller;
  readonly key: string;
  readonly identity: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: CancelSignal;
  deadline: number;
  readonly isStreamed: boolean;
  readonly sent = { count: 0 };
  rateLimit: RateLimit | null = null;

  constructor(call: Call<Body>, caller: Caller, key: string, signal: CancelSignal, isStreamed: boolean) {
    this.call = call;
    this.caller = caller;
    this.key = key;
    this.identity = caller.identity;
    this.path = call.target;
    this.headers = {
      authorization: `Bearer ${key}`,
      accept: call.endpoint.accept,
      'accept-encoding': 'identity',
      'user-agent': 'switchboard',
      'x-request-id': caller.requestId,
    };
    this.signal = signal;
    this.deadline = caller.deadline;
    this.isStreamed = isStreamed;
    if (caller.trace !== undefined) Object.assign(caller.trace, { origin: 'own', sent: this.sent });
  }
}

/** A caller who waits for a call until it settles, or until the caller's signal aborts. One of the two functions is called, once. */
export class Waiter<Body> extends Linked {
  readonly caller: Caller;
  readonly #call: Call<Body>;
  readonly #use: (answer: Answer<Body>) => void;
  readonly #fail: (error: unknown) => void;
  #flight: Flight<Body> | null = null;

  constructor(call: Call<Body>, caller: Caller, use: (answer: Answer<Body>) => void, fail: (error: unknown) => void) {
    super();
    this.caller = caller;
    this.#call = call;
    this.#use = use;
    this.#fail = fail;
  }

  begin(flight: Flight<Body>): void {
    this.#flight = flight;
    this.caller.signal.addEventListener('abort', this.#abort);
  }

  end(rateLimit: RateLimit | null): void {
    this.caller.signal.removeEventListener('abort', this.#abort);
    if (rateLimit !== null) this.caller.noteRateLimit?.(rateLimit);
  }

  answered(answer: SentAnswer<Body>): void {
    const { noteBytes, trace } = this.caller;
    const { status, body, hold } = answer.response;
    noteBytes?.(body.length);
    try {
      hold?.shareWith(this.caller);
      if (trace !== undefined) Object.assign(trace, { status, bytes: body.length });
      this.#use(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A failure of the wire gets the name of its endpoint. */
  failed(error: unknown): void {
    this.#fail(failureAt(this.#call, undefined, error));
  }

  readonly #abort = (): void => {
    const { reason } = this.caller.signal;
    this.end(null);
    this.failed(reason);
    this.#flight?.leave(this, reason);
  };
}

/** Calls under way, by name. */
export type Flights = TransientMap<string, Flight<never>>;

/**
 * One call under way for all who wait for it. It is cancelled when its last waiter has left, and has the latest deadline of all: a
 * waiter with more time gives the call more time. It holds no answer: V8 keeps what an object in its old space holds for a while.
 */
export class Flight<Body> extends KeyedCall<Body> {
  /** Names the call and its caller. */
  readonly name: string;
  declare readonly signal: CancelSource;
  /** What the API has refused to its caller since it began. */
  refused: 'nothing' | 'the endpoint' | 'the key' = 'nothing';
  readonly #flights: Flights;
  readonly #waiters = new LinkedSet<Waiter<Body>>();

  /** Takes the place of that name among all flights. */
  constructor(flights: Flights, name: string, call: Call<Body>, caller: Caller, key: string) {
    super(call, caller, key, new CancelSource(), false);
    this.name = name;
    this.#flights = flights;
    flights.set(name, this as never);
  }

  /** Lets a caller wait too, who fails at once, and fails no other, when the caller's signal aborts. */
  add(waiter: Waiter<Body>): void {
    this.deadline = Math.max(this.deadline, waiter.caller.deadline);
    this.#waiters.add(waiter);
    waiter.begin(this);
  }

  /** Closes the call to new waiters; those who wait for it still do. */
  close(): void {
    if (this.#flights.get(this.name) === (this as never)) this.#flights.delete(this.name);
  }

  leave(waiter: Waiter<Body>, reason: unknown): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.first !== null) return;
    // A new waiter must not join a call that is being cancelled.
    this.close();
    this.signal.abort(reason);
  }

  /** Tells all who wait what becomes of it. */
  land(answer: Promise<SentAnswer<Body>>): void {
    answer.then(
      (given) => this.#end((waiter) => waiter.answered(given)),
      (error: unknown) => this.#end((waiter) => waiter.failed(error)),
    );
  }

  #end(tell: (waiter: Waiter<Body>) => void): void {
    this.close();
    for (let waiter = this.#waiters.first; waiter !== null; waiter = this.#waiters.first) {
      this.#waiters.delete(waiter);
      waiter.end(this.rateLimit);
      tell(waiter);
    }
  }
}
