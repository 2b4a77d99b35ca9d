import { longestRetryAfterMs, rateLimitedCallers } from '../../bounds.ts';
import type { UpstreamMetrics } from '../../telemetry/metrics.ts';
import type { Call } from '../call.ts';
import type { Caller } from '../caller.ts';
import { rateLimitIn } from '../response/rate-limit-fields.ts';
import { retryAfterOf, UnsentError, type ResponseHead } from '../response/wire-response.ts';
import { everybodyKnown, unknownShare, type KnownCallers } from './known-callers.ts';
import type { Stage } from './stages.ts';

const tooMany = 429;

type RefusalMetrics = Pick<UpstreamMetrics, 'countRateLimitRefusal'>;

/** The used-up rate limits of callers that other replicas have met while this one runs. */
export interface SharedLimits {
  /** How long the limit of a caller is used up yet, in milliseconds; 0 where no replica has met one. */
  waitOf(caller: LimitedCaller): number;
  /** Tells the others that run, once, for how long a caller's limit is used up. Does not wait, and never fails. */
  tell(caller: LimitedCaller, waitMs: number): void;
}

interface LimitedCaller {
  readonly key: string;
  readonly identity: string;
}

interface RateLimitOptions {
  readonly known?: KnownCallers;
  readonly metrics?: RefusalMetrics;
  readonly shared?: SharedLimits;
  /** A clock that never jumps, in milliseconds. */
  readonly now?: () => number;
  /** The machine's clock, in milliseconds since 1970: responses may tell a moment of it. */
  readonly date?: () => number;
}

/**
 * Remembers which callers have used up their rate limit (429, or headers that leave no call), and until when. Until the reset
 * the calls of such a caller are not sent: they fail with RATE_LIMITED. Other callers are not affected, and no unknown caller makes
 * the gateway forget the limit of a known caller. Limits that other replicas have met are respected likewise; of unknown callers'
 * limits the others are not told.
 */
export class RateLimits {
  /** When the limit of a caller is reset, by `now`. */
  readonly #resets = new Map<string, number>();
  readonly #resetsOfUnknown = new Map<string, number>();
  readonly #known: KnownCallers;
  readonly #metrics: RefusalMetrics | undefined;
  readonly #shared: SharedLimits | undefined;
  readonly #now: () => number;
  readonly #date: () => number;

  constructor(options: RateLimitOptions = {}) {
    this.#known = options.known ?? everybodyKnown;
    this.#metrics = options.metrics;
    this.#shared = options.shared;
    this.#now = options.now ?? (() => performance.now());
    this.#date = options.date ?? (() => Date.now());
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
    const waitMs = waitIn(response, this.#date);
    if (waitMs === undefined) return;
    const before = this.#resetOf(identity);
    // Responses overtake each other, and there may be several limits: the latest reset counts.
    const reset = Math.max(this.#now() + waitMs, before ?? 0);
    this.#forget(identity);
    const isKnown = this.#known.has(identity);
    if (isKnown && key !== null && before === undefined) this.#shared?.tell({ key, identity }, waitMs);
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
    const ofOthers = this.#shared === undefined || key === null ? 0 : this.#shared.waitOf({ key, identity });
    if (own === undefined && ofOthers === 0) return;
    const waitMs = Math.max(own === undefined ? 0 : own - this.#now(), ofOthers);
    if (waitMs > 0) {
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

/** For how long the rate limit is used up, in milliseconds; undefined while it is not, or where nothing says how long. */
function waitIn(response: ResponseHead, date: () => number): number | undefined {
  const told = rateLimitIn(response, date);
  const isFull = response.status === tooMany;
  if (!isFull && told?.remaining !== 0) return undefined;
  const retryAfter = isFull ? retryAfterOf(response) : undefined;
  const wait = retryAfter === undefined ? (told?.resetAt ?? 0) - date() : retryAfter * 1000;
  return wait > 0 ? Math.min(wait, longestRetryAfterMs) : undefined;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
