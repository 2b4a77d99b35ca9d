import { longestRetryAfterMs } from '../../bounds.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { rateLimitIn, usedUpFor } from '../response/rate-limit-fields.ts';
import { UnsentError } from '../response/wire-response.ts';
import { everybodyKnown, unknownShare, type KnownCallers } from './known-callers.ts';
import type { Sending, Stage } from '../call.ts';

/** Used-up rate limits that are remembered, each of a caller at an endpoint, and a quarter of them for unknown callers: some megabytes. */
const rateLimitedCallers = 10_000;

type RefusalMetrics = Pick<Metrics, 'countRateLimitRefusal'>;

/** The used-up rate limits of callers that other replicas have met while this one runs. */
export interface SharedLimits {
  /** How long the limit of a caller at an endpoint is used up yet, in milliseconds; 0 where no replica has met one. */
  waitOf(caller: LimitedCaller, endpoint: string): number;
  /** Tells the others that run, once, for how long such a limit is used up. Does not wait, and never fails. */
  tell(caller: LimitedCaller, endpoint: string, waitMs: number): void;
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
 * Remembers which callers have used up their rate limit at an endpoint (429, or headers that leave no call), and until when. Until the
 * reset their calls to this endpoint are not sent: they fail with RATE_LIMITED. Other callers are not affected, and no unknown caller makes
 * the gateway forget the limit of a known caller. Limits that other replicas have met are respected likewise; of unknown callers'
 * limits the others are not told.
 */
export class RateLimits {
  /** When the limit of a caller at an endpoint is reset, by `now`. */
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
  readonly respect: Stage = (next) => async (sending) => {
    this.#refuse(sending);
    const response = await next(sending);
    sending.rateLimit = rateLimitIn(response, this.#date);
    const waitMs = usedUpFor(response, sending.rateLimit, this.#date) ?? 0;
    if (waitMs > 0) this.#remember(sending, Math.min(waitMs, longestRetryAfterMs));
    return response;
  };

  /** Refuses calls that come to `respect` later on. */
  readonly refuse: Stage = (next) => (sending) => {
    this.#refuse(sending);
    return next(sending);
  };

  #remember(sending: Sending, waitMs: number): void {
    const { key, identity } = sending.caller;
    const name = nameOf(sending);
    const before = this.#resetOf(name);
    // Responses overtake each other, and there may be several limits: the latest reset counts.
    const reset = Math.max(this.#now() + waitMs, before ?? 0);
    this.#forget(name);
    const isKnown = this.#known.has(identity);
    if (isKnown && key !== null && before === undefined)
      this.#shared?.tell({ key, identity }, sending.call.endpoint.name, waitMs);
    const [all, most] = isKnown
      ? [this.#resets, rateLimitedCallers]
      : [this.#resetsOfUnknown, unknownShare(rateLimitedCallers)];
    // The oldest reset is forgotten: it is the likeliest to have passed.
    const [oldest] = all.keys();
    if (all.size >= most && oldest !== undefined) all.delete(oldest);
    all.set(name, reset);
  }

  #refuse(sending: Sending): void {
    sending.rateLimit = null;
    const { key, identity } = sending.caller;
    const { name: endpoint } = sending.call.endpoint;
    const name = nameOf(sending);
    const own = this.#resetOf(name);
    const ofOthers = this.#shared === undefined || key === null ? 0 : this.#shared.waitOf({ key, identity }, endpoint);
    if (own === undefined && ofOthers === 0) return;
    const waitMs = Math.max(own === undefined ? 0 : own - this.#now(), ofOthers);
    if (waitMs > 0) {
      this.#metrics?.countRateLimitRefusal(endpoint);
      throw rateLimited(waitMs);
    }
    this.#forget(name);
  }

  #resetOf(name: string): number | undefined {
    if (this.#resets.size === 0 && this.#resetsOfUnknown.size === 0) return undefined;
    return this.#resets.get(name) ?? this.#resetsOfUnknown.get(name);
  }

  /** Forgets the limits of all callers that this process has met. */
  clear(): void {
    this.#resets.clear();
    this.#resetsOfUnknown.clear();
  }

  #forget(name: string): void {
    this.#resets.delete(name);
    this.#resetsOfUnknown.delete(name);
  }
}

/** Names a caller at an endpoint. */
function nameOf({ call, caller }: Sending): string {
  return `${caller.identity} ${call.endpoint.name}`;
}

function rateLimited(waitMs: number): UnsentError {
  return new UnsentError('RATE_LIMITED', {
    message: 'The rate limit of this API key for this operation is used up; the call was not sent.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
