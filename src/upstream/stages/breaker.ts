import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { UnreadError } from '../response/body-room.ts';
import { UnsentError } from '../response/wire-response.ts';
import type { Stage } from '../call.ts';
import type { KnownCallers } from './known-callers.ts';

/** Callers by whom the breaker of one endpoint decides, of some hundred bytes each: a thousand show well whether the endpoint fails. */
const judgedCallers = 1_000;

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;

interface BreakerOptions extends Pick<Config, 'upstreamBreakerOpenMs'> {
  readonly now?: () => number;
  /** Unknown callers cannot open the breaker for these callers. */
  readonly known: KnownCallers;
}

/**
 * Stops calling an endpoint that fails, and throws UPSTREAM_UNAVAILABLE at once instead. After a while it lets one call through
 * as a probe, and closes when that call is answered. Failures are the upstream's own: 5xx, no response, no response in time. A
 * refusal of what a caller asked for is no failure.
 *
 * The breaker opens after twenty calls within ten seconds, if half of the callers fail: callers count, not calls. It refuses callers whose
 * last call has failed, and from five of them on also those who have not called; never a caller whose last call within ten seconds was
 * answered. Unknown callers, whose keys may be made up, open it for unknown callers alone. If known callers open it, it is open for unknown
 * ones too, with probes of their own: they may be so many that they would take all, and a new key may be the only one that still calls.
 */
export function breakCircuit(
  { upstreamBreakerOpenMs: openMs, known, now = () => performance.now() }: BreakerOptions,
  metrics?: Pick<Metrics, 'watch' | 'countBreakerRefusal'>,
): Stage {
  const circuits = new Map<string, { readonly known: Circuit; readonly unknown: Circuit }>();
  metrics?.watch('openBreakers', () =>
    [...circuits].flatMap(([operation, each]): [number, string, string][] => [
      [Number(each.known.isOpen), operation, 'known'],
      [Number(each.known.isOpen || each.unknown.isOpen), operation, 'strangers'],
    ]),
  );

  return (next) => async (sending) => {
    const { identity } = sending.caller;
    const { name } = sending.call.endpoint;
    const both = circuits.get(name) ?? { known: new Circuit(openMs, now), unknown: new Circuit(openMs, now) };
    circuits.set(name, both);
    const begunAt = now();
    const circuit = known.has(identity) ? both.known : both.unknown;
    if (both.known.isOpen) both.unknown.open();
    const entry = circuit.enter(identity, both.known.isOpen && circuit === both.unknown);
    if (typeof entry === 'number') {
      metrics?.countBreakerRefusal(name);
      throw circuitOpen(entry);
    }
    // A call that was aborted, or not sent at all, says nothing of the upstream.
    let outcome: Outcome = 'unknown';
    try {
      const response = await next(sending);
      outcome = outcomeOf(response.status);
      return response;
    } catch (error) {
      if (!sending.signal.aborted && isUpstreamFailure(error)) outcome = 'failed';
      throw error;
    } finally {
      const isKnown = known.has(identity);
      (isKnown ? both.known : both.unknown).leave(identity, entry, outcome, begunAt);
      if (isKnown && outcome === 'answered') both.unknown.close();
    }
  };
}

/** How a call went: `unknown` where that says nothing of the upstream. */
type Outcome = 'answered' | 'failed' | 'unknown';

function outcomeOf(status: number): Outcome {
  // The edge refuses an unknown key and a used-up rate limit, whatever state the endpoint behind it is in.
  if (status === 401 || status === 429) return 'unknown';
  return status >= 500 ? 'failed' : 'answered';
}

function isUpstreamFailure(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof UnsentError || error instanceof UnreadError) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}

function circuitOpen(waitMs: number): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'The upstream keeps failing at this operation; it is left alone for a moment.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** The calls of one caller. A caller who has not called within the window is forgotten. */
interface Tally {
  /** Whether the last call failed. */
  isFailing: boolean;
  /** The beginning of the window in which calls and failures are counted. */
  since: number;
  calls: number;
  failures: number;
}

/** The breaker of one endpoint for known callers, or for unknown ones. */
class Circuit {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #tallies: LRUCache<string, Tally>;
  /** When the next call may probe; null while it is closed. */
  #probeAt: number | null = null;
  /** When it has opened or closed: a failure of a call that was sent before says nothing new. */
  #changedAt = -Infinity;

  constructor(openMs: number, now: () => number) {
    this.#openMs = openMs;
    this.#now = now;
    this.#tallies = new LRUCache({ max: judgedCallers, ttl: windowMs, ttlResolution: 0, perf: { now } });
  }

  get isOpen(): boolean {
    return this.#probeAt !== null;
  }

  /**
   * Lets a call go, as a probe or not, or tells how long it has to wait, in milliseconds. `isForAll`: whoever has not called is refused
   * too, however few have failed.
   */
  enter(identity: string, isForAll: boolean): 'probe' | 'call' | number {
    if (this.#probeAt === null) return 'call';
    const isFailing = this.#tallies.get(identity)?.isFailing;
    if (isFailing === false) return 'call';
    if (isFailing === undefined && !isForAll && this.#failingCallers() < leastCallers) return 'call';
    const waitMs = this.#probeAt - this.#now();
    if (waitMs > 0) return waitMs;
    this.#probeAt = this.#now() + this.#openMs;
    return 'probe';
  }

  /** Counts how a call went. */
  leave(identity: string, entry: 'probe' | 'call', outcome: Outcome, begunAt: number): void {
    if (outcome === 'unknown') {
      // A probe without an outcome gives its turn to the next call.
      if (entry === 'probe' && this.isOpen) this.#probeAt = this.#now();
      return;
    }
    const hasFailed = outcome === 'failed';
    if (hasFailed && begunAt <= this.#changedAt) return;
    if (!hasFailed) this.close();
    this.#count(identity, hasFailed);
    if (hasFailed && !this.isOpen && this.#isFailing()) this.open();
  }

  open(): void {
    if (this.isOpen) return;
    this.#changedAt = this.#now();
    this.#probeAt = this.#changedAt + this.#openMs;
  }

  close(): void {
    if (!this.isOpen) return;
    this.#probeAt = null;
    this.#changedAt = this.#now();
    for (const tally of this.#tallies.values()) tally.calls = tally.failures = 0;
  }

  #count(identity: string, isFailing: boolean): void {
    const now = this.#now();
    const before = this.#tallies.get(identity);
    const isRecent = before !== undefined && now - before.since < windowMs;
    const { since, calls, failures } = isRecent ? before : { since: now, calls: 0, failures: 0 };
    const counts = { calls: calls + 1, failures: failures + Number(isFailing) };
    this.#tallies.set(identity, { isFailing, since, ...counts });
  }

  /** Whether the endpoint fails, and not only the calls of a few of its callers. */
  #isFailing(): boolean {
    const judged = [...this.#tallies.values()].filter(({ calls }) => calls > 0);
    const calls = judged.reduce((sum, tally) => sum + tally.calls, 0);
    const failing = judged.filter((tally) => tally.isFailing && tally.failures / tally.calls >= failureRate).length;
    return calls >= leastCalls && failing / judged.length >= failureRate;
  }

  /** How many callers' last calls have failed. */
  #failingCallers(): number {
    return [...this.#tallies.values()].filter(({ isFailing }) => isFailing).length;
  }
}
