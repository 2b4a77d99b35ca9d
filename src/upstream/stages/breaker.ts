import { GatewayError } from '../../errors.ts';
import { Circuit, type CircuitOptions, type Outcome } from './circuit.ts';
import type { Stage } from './stage.ts';
import { everybodyKnown, type KnownCallers } from './known-callers.ts';
import { UnreadError, UnsentError } from '../response/wire-response.ts';

export interface BreakerOptions extends CircuitOptions {
  /** All others cannot open it for these; everybody is known where nothing is said. */
  readonly known?: KnownCallers;
}

/**
 * Stops calling an operation that fails, and says UPSTREAM_UNAVAILABLE at once instead; by itself it lets one call through
 * after a while, and closes when that one is answered. Failures are the upstream's own: 5xx, no answer, no answer in time; a
 * refusal of what a caller asked for is none.
 *
 * It opens for one caller when half of its calls have failed, of twenty and more, and for all when the last calls of half of
 * the callers have, of five and more: callers count, not calls. Whose last call in ten seconds was answered is never
 * refused. Strangers, whose keys may be made up, open it for strangers alone.
 */
export function breakCircuit(options: BreakerOptions): Stage {
  const { known = everybodyKnown } = options;
  const circuits = new Map<string, Circuit>();
  return (next) => async (request) => {
    const { name } = request.call.endpoint;
    const circuit = circuits.get(name) ?? new Circuit(options);
    circuits.set(name, circuit);
    const { identity } = request.caller;
    const visit = circuit.enter(identity, known.has(identity));
    const leave = (outcome: Outcome): void => circuit.leave(visit, known.has(identity), outcome);
    try {
      const answer = await next(request);
      leave(outcomeOf(answer.status));
      return answer;
    } catch (error) {
      // What was given up here, or not sent at all, says nothing of the upstream.
      leave(!request.signal.aborted && isUpstreamFailure(error) ? 'failed' : 'unknown');
      throw error;
    }
  };
}

// An unknown key and a used-up budget are refused by the edge, whatever state the operation behind it is in.
const saidByEdge = new Set([401, 429]);

function outcomeOf(status: number): Outcome {
  if (saidByEdge.has(status)) return 'unknown';
  return status >= 500 ? 'failed' : 'answered';
}

function isUpstreamFailure(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof UnsentError || error instanceof UnreadError) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}
