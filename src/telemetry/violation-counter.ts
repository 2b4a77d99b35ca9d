import type { Violation } from '../errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { TraceIds } from './request-line.ts';

/** The request in which a violation was found. */
export interface ViolatedRequest {
  readonly requestId: string;
  /** Null for an operation without a name. */
  readonly operationName: string | null;
  /** Null where there are no traces. */
  readonly trace: TraceIds | null;
}

/** Counts the violations of the upstream's contract, so that an operator sees a change of the API before a user does. */
export type CountViolation = (violation: Violation, request: ViolatedRequest) => void;

const hourMs = 3_600_000;

/**
 * Counts every violation. Of each coordinate and kind it logs one violation an hour, never the value. Both come from closed
 * sets, which bounds the memory.
 */
export function createViolationCounter(
  metrics: Metrics,
  log: Log,
  now = (): number => performance.now(),
): CountViolation {
  const logged = new Map<string, number>();
  return ({ coordinate, kind }, { requestId, operationName, trace }) => {
    metrics.countViolation(coordinate, kind);
    const name = `${coordinate} ${kind}`;
    const time = now();
    if (time - (logged.get(name) ?? -Infinity) < hourMs) return;
    logged.set(name, time);
    log.warn({ requestId, ...trace, operationName, coordinate, kind }, 'contract violation');
  };
}
