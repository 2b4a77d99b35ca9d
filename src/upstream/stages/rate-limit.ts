import { longestRetryAfterMs, rateLimitedCallers } from '../../bounds.ts';
import type { UpstreamMetrics } from '../../telemetry/metrics.ts';
import type { Call } from '../call.ts';
import type { Caller } from '../caller.ts';
import { rateLimitIn } from '../response/rate-limit-fields.ts';
import { retryAfterOf, UnsentError, type ResponseHead } from '../response/wire-response.ts';
import { everybodyKnown, unknownShare, type KnownCallers } from './known-callers.ts';
import type { Stage } from './stages.ts';

const tooMany = 429;
const leastNewsMs = 1_000;

type RefusalMetrics = Pick<UpstreamMetrics, 'countRateLimitRefusal'>;

/** The used-up rate limits of callers that other replicas have met. */
export interface SharedLimits {
  /** When the limit of a caller is reset, in milliseconds since 1970; 0 where no replica has met one. */
  resetOf(caller: LimitedCaller): number;
  /** Tells the others that a caller's limit is used up until then. Does not wait, and never fails. */
  tell(caller: LimitedCaller, reset: number): void;
}

interface LimitedCaller {
  readonly key: string;
  readonly identity: string;
}

/**
 * Remembers which callers have used up their rate limit (429, or headers that leave no call), and until when. Until the reset
 * the calls of such a caller are not sent: they fail with RATE_LIMITED. Other callers are not affected, and no unknown caller makes
 * the gateway forget the limit of a known caller. Limits that other replicas have met are respected likewise; of unknown callers'
 * limits the others are not told.
 */
export class RateLimits {
  readonly #resets = new Map<string, number>();
  readonly #resetsOfUnknown = new Map<string, number>();
  readonly #now: () => number;
  readonly #known: KnownCallers;
  readonly #metrics: RefusalMetrics | undefined;
  readonly #shared: SharedLimits | undefined;

  constructor(
    now: () => number = () => Date.now(),
    known = everybodyKnown,
    metrics?: RefusalMetrics,
    shared?: SharedLimits,
  ) {
    this.#now = now;
    this.#known = known;
    this.#metrics = metrics;
    this.#shared = shared;
  }

  /** Refuses calls, and remembers the limits that their responses report. */
  readonly respect: Stage = (next) => async (request) => {
    this.#refuse(request.caller, request.call);
    const response = await next(request);
    this.#remember(request.caller, response);
    return response;
  };

  /** Refuses calls that come to `respect` later on. */
  readonly refuse: Stage = (next) => (request) => {
    this.#refuse(request.caller, request.call);
    return next(request);
  };

  #remember({ key, identity }: Caller, response: ResponseHead): void {
    const reported = resetIn(response, this.#now);
    if (reported === undefined) return;
    const before = this.#resetOf(identity) ?? 0;
    // Responses overtake each other, and there may be several limits: the latest reset counts.
    const reset = Math.max(reported, before);
    this.#forget(identity);
    const isKnown = this.#known.has(identity);
    // Every response of one window reports its reset.
    if (isKnown && key !== null && reset >= before + leastNewsMs) this.#shared?.tell({ key, identity }, reset);
    const [all, most] = isKnown
      ? [this.#resets, rateLimitedCallers]
      : [this.#resetsOfUnknown, unknownShare(rateLimitedCallers)];
    // The oldest reset is forgotten: it is the likeliest to have passed.
    const [oldest] = all.keys();
    if (all.size >= most && oldest !== undefined) all.delete(oldest);
    all.set(identity, reset);
  }

  #refuse({ key, identity }: Caller, { endpoint }: Call<unknown>): void {
    const own = this.#resetOf(identity);
    const ofOthers = this.#shared === undefined || key === null ? 0 : this.#shared.resetOf({ key, identity });
    if (own === undefined && ofOthers === 0) return;
    const waitMs = Math.max(own ?? 0, ofOthers) - this.#now();
    // No wait is remembered that is longer: then the clock has been set back, and nobody knows when the limit is reset.
    if (waitMs > 0 && waitMs <= longestRetryAfterMs) {
      this.#metrics?.countRateLimitRefusal(endpoint.name);
      throw rateLimited(waitMs);
    }
    this.#forget(identity);
  }

  #resetOf(identity: string): number | undefined {
    return this.#resets.get(identity) ?? this.#resetsOfUnknown.get(identity);
  }

  /** Forgets the limits of all callers that this process has met. */
  clear(): void {
    this.#resets.clear();
    this.#resetsOfUnknown.clear();
  }

  #forget(identity: string): void {
    this.#resets.delete(identity);
    this.#resetsOfUnknown.delete(identity);
  }
}

/** When the rate limit is reset, in milliseconds since 1970; undefined while it is not used up, or where nothing says when. */
function resetIn(response: ResponseHead, clock: () => number): number | undefined {
  const told = rateLimitIn(response, clock);
  const isFull = response.status === tooMany;
  if (!isFull && told?.remaining !== 0) return undefined;
  const now = clock();
  const retryAfter = isFull ? retryAfterOf(response) : undefined;
  const moment = retryAfter === undefined ? told?.resetAt : now + retryAfter * 1000;
  return moment != null && moment > now ? Math.min(moment, now + longestRetryAfterMs) : undefined;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
