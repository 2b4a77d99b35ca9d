import type { CancelSignal } from '../cancellation.ts';
import type { Violation } from '../errors.ts';
import type { Span } from '../telemetry/tracing.ts';
import type { CallTrace } from './call.ts';
import type { RateLimit } from './response/rate-limit-fields.ts';

/** The client of the gateway on whose behalf a call is made. */
export interface Caller {
  /** Aborts when the client has left, or its operation has taken too long. */
  readonly signal: CancelSignal;
  /** When the operation will have taken too long, by performance.now() in milliseconds; Infinity where nothing bounds it. */
  readonly deadline: number;
  /** The API key, which goes upstream and nowhere else; null where none of the right form was given: then nothing is called. */
  readonly key: string | null;
  /** Whether the key is null because it was too long. */
  readonly isKeyTooLong?: boolean;
  readonly requestId: string;
  /** Names the caller in state that requests share; reveals nothing of the key. */
  readonly identity: string;
  /** Runs for each call that goes out, for the log line of the request. */
  readonly countCall: () => void;
  /** Runs for each promise that the upstream's responses break, where that is no error. */
  readonly noteViolation?: (violation: Violation) => void;
  /** The API's present, in milliseconds since 1970; absent: the machine's. */
  readonly now?: (() => number) | undefined;
  /** Whether free-form values will be looked at; asked before a response is read. Absent means yes. */
  readonly needsExactNumbers?: (() => boolean) | undefined;
  /** Runs for each body that is read for this caller, with its length in bytes. */
  readonly noteBytes?: ((bytes: number) => void) | undefined;
  /** Runs for each rate limit that a response tells of this caller's key. */
  readonly noteRateLimit?: ((limit: RateLimit) => void) | undefined;
  /** Runs a function when the bodies read for this caller are no longer needed; absent: they are not needed once read. */
  readonly whenExecuted?: ((run: () => void) => void) | undefined;
  /** The span that the calls belong to; absent where there are no traces. */
  readonly span?: Span | undefined;
  /** Filled in by the client with the course of this one call. */
  readonly trace?: CallTrace;
}
