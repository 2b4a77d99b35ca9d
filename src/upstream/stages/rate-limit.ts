import { LRUCache } from 'lru-cache';
import { longestRetryAfterMs } from '../../bounds.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { CallerKey } from '../credential.ts';
import { rateLimitIn, usedUpFor } from '../response/rate-limit-fields.ts';
import { UnsentError } from '../response/wire-response.ts';
import { unknownShare, type KnownCallers } from './known-callers.ts';
import type { Sending, Stage } from '../call.ts';

/** Used-up rate limits that are remembered, each of a caller at an endpoint, and a quarter of them for unknown callers: some megabytes. */
const rateLimitedCallers = 10_000;

type RefusalMetrics = Pick<Metrics, 'countRateLimitRefusal'>;

/** The used-up rate limits of callers that other replicas have met while this one runs. */
export interface SharedLimits {
  /** How long the limit of a caller at an endpoint is used up yet, in milliseconds; 0 where no replica has met one. */
  waitOf(caller: CallerKey, endpoint: string): number;
  /** Tells the others that run, once, for how long such a limit is used up. Does not wait, and never fails. */
  tell(caller: CallerKey, endpoint: string, waitMs: number): void;
}

interface RateLimitOptions {
  readonly known: KnownCallers;
  readonly metrics?: RefusalMetrics;
  readonly shared?: SharedLimits;
  /** A clock that never jumps, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Remembers which callers have used up their rate limit at an endpoint (429, or headers that leave no call), and until when. Until the
 * reset their calls to this endpoint are not sent: they fail with RATE_LIMITED. Other callers are not affected, and no unknown caller makes
 * the gateway forget the limit of a known caller. Limits that other replicas have met are respected likewise; of unknown callers'
 * limits the others are not told.
 */
export class RateLimits {
  /** The used-up limits of a caller at an endpoint: each is forgotten at its reset, or as the oldest of too many. */
  readonly #usedUp: LRUCache<string, true>;
  readonly #usedUpByUnknown: LRUCache<string, true>;
  readonly #known: KnownCallers;
  readonly #metrics: RefusalMetrics | undefined;
  readonly #shared: SharedLimits | undefined;

  constructor({ known, metrics, shared, now }: RateLimitOptions) {
    const limitsOf = (max: number) =>
      new LRUCache<string, true>({ max, ttlResolution: 0, ...(now && { perf: { now } }) });
    this.#usedUp = limitsOf(rateLimitedCallers);
    this.#usedUpByUnknown = limitsOf(unknownShare(rateLimitedCallers));
    this.#known = known;
    this.#metrics = metrics;
    this.#shared = shared;
  }

  /** Refuses calls, and remembers the limits that their responses report. */
  readonly respect: Stage = (next) => async (sending) => {
    this.#refuse(sending);
    const response = await next(sending);
    sending.rateLimit = rateLimitIn(response);
    const waitMs = usedUpFor(response, sending.rateLimit) ?? 0;
    if (waitMs > 0) this.#remember(sending, Math.min(waitMs, longestRetryAfterMs));
    return response;
  };

  /** Refuses calls that come to `respect` later on. */
  readonly refuse: Stage = (next) => (sending) => {
    this.#refuse(sending);
    return next(sending);
  };

  #remember(sending: Sending, waitMs: number): void {
    const name = nameOf(sending);
    const before = this.#waitOf(name);
    const isKnown = this.#known.has(sending.identity);
    if (isKnown && before <= 0) this.#shared?.tell(sending, sending.call.endpoint.name, waitMs);
    // Responses overtake each other, and there may be several limits: the latest reset counts.
    (isKnown ? this.#usedUp : this.#usedUpByUnknown).set(name, true, { ttl: Math.max(waitMs, before) });
  }

  #refuse(sending: Sending): void {
    sending.rateLimit = null;
    const { name: endpoint } = sending.call.endpoint;
    const waitMs = Math.max(this.#waitOf(nameOf(sending)), this.#shared?.waitOf(sending, endpoint) ?? 0);
    if (waitMs <= 0) return;
    this.#metrics?.countRateLimitRefusal(endpoint);
    throw rateLimited(waitMs);
  }

  /** The milliseconds until the reset of a caller's limit; none are left where it is not used up. */
  #waitOf(name: string): number {
    return Math.max(this.#usedUp.getRemainingTTL(name), this.#usedUpByUnknown.getRemainingTTL(name));
  }

  /** Forgets the limits of all callers that this process has met. */
  clear(): void {
    this.#usedUp.clear();
    this.#usedUpByUnknown.clear();
  }
}

/** Names a caller at an endpoint. */
function nameOf({ call, identity }: Sending): string {
  return `${identity} ${call.endpoint.name}`;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key for this operation is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
