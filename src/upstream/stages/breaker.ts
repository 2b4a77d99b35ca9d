import type { CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import { Circuit, type Callers, type CircuitOptions, type Outcome, type JudgedCall } from './circuit.ts';
import type { Check, Passage } from './stage.ts';
import { everybodyKnown, type KnownCallers } from './known-callers.ts';
import { UnreadError, UnsentError, type ResponseHead } from '../response/wire-response.ts';

/** The breakers that have opened for all callers elsewhere. */
export interface SharedBreakers {
  /** Tells the others that the breaker of an endpoint has opened for all callers of a kind. Does not wait, and never fails. */
  tell(endpoint: string, callers: Callers): void;
  /** Runs when others tell. */
  watch(run: (endpoint: string, callers: Callers) => void): void;
}

export interface BreakerOptions extends CircuitOptions {
  /** Strangers cannot open the breaker for these callers; absent: everybody is known. */
  readonly known?: KnownCallers;
  /** Absent: this process judges alone. */
  readonly shared?: SharedBreakers | undefined;
}

/**
 * Stops calling an endpoint that fails, and throws UPSTREAM_UNAVAILABLE at once instead. After a while it lets one call through
 * as a probe, and closes when that call is answered. Failures are the upstream's own: 5xx, no response, no response in time. A
 * refusal of what a caller asked for is no failure.
 *
 * The breaker opens for one caller when half of the caller's calls have failed, of at least twenty. It opens for all when the
 * last calls of half of the callers have failed, of at least five: callers count, not calls. A caller whose last call within
 * ten seconds was answered is never refused. Strangers, whose keys may be made up, open it for strangers alone.
 */
export function breakCircuit(
  options: BreakerOptions,
  metrics?: Pick<UpstreamMetrics, 'watchBreakers' | 'countBreakerRefusal'>,
): Check {
  const { known = everybodyKnown, shared } = options;
  const circuits = new Map<string, Circuit>();
  shared?.watch((name, callers) => circuits.get(name)?.open(callers));
  metrics?.watchBreakers(() => [...circuits].map(([operation, { openings }]) => ({ operation, ...openings })));

  function enter(circuit: Circuit, name: string, identity: string, now: number): JudgedCall {
    try {
      return circuit.enter(identity, known.has(identity), now);
    } catch (error) {
      metrics?.countBreakerRefusal(name);
      throw error;
    }
  }

  function create(name: string): Circuit {
    const circuit = new Circuit({ ...options, opened: (callers) => shared?.tell(name, callers) });
    circuits.set(name, circuit);
    return circuit;
  }

  return ({ call, caller: { identity }, signal }, now) => {
    const { name } = call.endpoint;
    const circuit = circuits.get(name) ?? create(name);
    return new CircuitPassage(circuit, enter(circuit, name, identity, now), known, signal);
  };
}

class CircuitPassage implements Passage {
  readonly #circuit: Circuit;
  readonly #call: JudgedCall;
  readonly #known: KnownCallers;
  readonly #signal: CancelSignal;

  constructor(circuit: Circuit, call: JudgedCall, known: KnownCallers, signal: CancelSignal) {
    this.#circuit = circuit;
    this.#call = call;
    this.#known = known;
    this.#signal = signal;
  }

  answered({ status }: ResponseHead, now: number): void {
    this.#leave(outcomeOf(status), now);
  }

  failed(error: unknown, now: number): void {
    // A call that was aborted, or not sent at all, says nothing of the upstream.
    this.#leave(!this.#signal.aborted && isUpstreamFailure(error) ? 'failed' : 'unknown', now);
  }

  #leave(outcome: Outcome, now: number): void {
    this.#circuit.leave(this.#call, this.#known.has(this.#call.identity), outcome, now);
  }
}

function outcomeOf(status: number): Outcome {
  // The edge refuses an unknown key and a used-up rate limit, whatever state the endpoint behind it is in.
  if (status === 401 || status === 429) return 'unknown';
  return status >= 500 ? 'failed' : 'answered';
}

function isUpstreamFailure(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof UnsentError || error instanceof UnreadError) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}
