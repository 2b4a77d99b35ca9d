import type { Callers } from './circuit.ts';

/** The breakers that have opened for all callers elsewhere. */
export interface SharedBreakers {
  /** Tells the others that the breaker of an endpoint has opened for all callers of a kind. Does not wait, and never fails. */
  tell(endpoint: string, callers: Callers): void;
  /** Runs when others tell. */
  watch(run: (endpoint: string, callers: Callers) => void): void;
}
