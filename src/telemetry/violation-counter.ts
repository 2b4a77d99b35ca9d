import type { Violation } from '../errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** The request in which something was noticed. */
export interface Noticed {
  readonly requestId: string;
  /** Null for an operation without a name. */
  readonly operationName: string | null;
}

/** Counts how the upstream departs from its contract, so that an operator sees the API change before a user does. */
export type CountViolation = (violation: Violation, noticed: Noticed) => void;

const hourMs = 3_600_000;

/**
 * Counts every violation; logs the first of each coordinate and kind an hour, never the value. Both labels come from closed
 * sets, which bounds what is remembered.
 */
export function createViolationCounter(
  metrics: Metrics,
  log: Log,
  now = (): number => performance.now(),
): CountViolation {
  const logged = new Map<string, number>();
  return ({ coordinate, kind }, { requestId, operationName }) => {
    metrics.countViolation(coordinate, kind);
    const name = `${coordinate} ${kind}`;
    const time = now();
    if (time - (logged.get(name) ?? -Infinity) < hourMs) return;
    logged.set(name, time);
    log.warn({ requestId, operationName, coordinate, kind }, 'contract violation');
  };
}
