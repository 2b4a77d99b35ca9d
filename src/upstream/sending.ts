import type { CancelSignal } from '../cancellation.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { RateLimit } from './response/rate-limit-fields.ts';
import type { ResponseHead, WireRequest, WireResponse } from './response/wire-response.ts';

/** A call on its way upstream: what goes over the wire, for whom, and what has come of it. */
export class Sending implements WireRequest {
  readonly call: Call<unknown>;
  /** The first of all callers who wait for the response. */
  readonly caller: Caller;
  readonly key: string;
  readonly identity: string;
  readonly path: string;
  headers: Readonly<Record<string, string>>;
  readonly signal: CancelSignal;
  /** The latest deadline of all who wait for the response. */
  deadline: number;
  /** Whether the body is handed over as it comes, and is under way long after the response has begun. */
  readonly isStreamed: boolean;
  /** How many times the call has been sent. */
  readonly sent = { count: 0 };
  /** What the last response told of the caller's rate limit; null where it told nothing, or has not come. */
  rateLimit: RateLimit | null = null;
  /** The whole response; null until it has come. */
  response: WireResponse | null = null;

  constructor(call: Call<unknown>, caller: Caller, key: string, signal: CancelSignal, isStreamed: boolean) {
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

/** Sends a call through the stages that are left, and the transport. */
export type Send<A> = (sending: Sending) => Promise<A>;

/** One concern around every call: it may look, wait, refuse or try again. The first in the list is the outermost. */
export type Stage = <A extends ResponseHead>(next: Send<A>) => Send<A>;
