import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/metrics.ts';
import { TransientMap } from '../../transient-collections.ts';
import { UnreadError } from '../response/body-room.ts';
import { UnsentError } from '../response/wire-response.ts';
import type { Stage } from '../sending.ts';
import { everybodyKnown, type KnownCallers } from './known-callers.ts';

/** Callers by whom the breaker of one endpoint decides, of some hundred bytes each: a thousand show well whether the endpoint fails. */
const judgedCallers = 1_000;

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;
// Where the breaker is open for all, so many calls may probe in the time in which a failing caller may once.
const probesOfAll = 5;

export interface BreakerOptions {
  /** How long the breaker refuses before it lets one call through as a probe, in milliseconds. */
  readonly openMs: number;
  readonly now?: () => number;
  /** Unknown callers cannot open the breaker for these callers; absent: everybody is known. */
  readonly known?: KnownCallers;
}

/**
 * Stops calling an endpoint that fails, and throws UPSTREAM_UNAVAILABLE at once instead. After a while it lets one call through
 * as a probe, and closes when that call is answered. Failures are the upstream's own: 5xx, no response, no response in time. A
 * refusal of what a caller asked for is no failure.
 *
 * The breaker opens for one caller when half of the caller's calls have failed, of at least twenty. It opens for all when the
 * last calls of half of the callers have failed, of at least five: callers count, not calls. A caller whose last call within
 * ten seconds was answered is never refused. Unknown callers, whose keys may be made up, open it for unknown callers alone.
 */
export function breakCircuit(
  { openMs, known = everybodyKnown, now = () => performance.now() }: BreakerOptions,
  metrics?: Pick<UpstreamMetrics, 'watchBreakers' | 'countBreakerRefusal'>,
): Stage {
  const circuits = new Map<string, { readonly known: Circuit; readonly unknown: Circuit }>();
  metrics?.watchBreakers(() =>
    [...circuits].map(([operation, each]) => ({
      operation,
      isOpenForKnown: each.known.isOpen,
      isOpenForUnknown: each.unknown.isOpen,
    })),
  );

  function create(name: string) {
    const unknown = new Circuit(openMs, null);
    const created = { known: new Circuit(openMs, unknown), unknown };
    circuits.set(name, created);
    return created;
  }

  return (next) => async (sending) => {
    const { identity } = sending.caller;
    const { name } = sending.call.endpoint;
    const both = circuits.get(name) ?? create(name);
    const circuitOf = (): Circuit => (known.has(identity) ? both.known : both.unknown);
    const entry = circuitOf().enter(identity, now());
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
      const circuit = circuitOf();
      // A response to an unknown caller who stays one may be the edge's refusal of anybody.
      if (outcome === 'answered' && (circuit === both.known || !both.known.isOpen)) circuit.close();
      circuit.leave(identity, entry, outcome, now());
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
  /** Whether this caller is refused, whatever the others' calls do. */
  isRefused: boolean;
  /** When the last call ended, or the last probe began if that was later. */
  lastAt: number;
  /** When a caller whose last call failed may probe. */
  probeAt: number;
  /** The beginning of the window in which calls and failures are counted. */
  since: number;
  calls: number;
  failures: number;
  /** How often the caller has been refused, or accepted again. */
  changes: number;
}

/** A call under way. */
interface Entered {
  readonly isProbe: boolean;
  /** How often the breaker had opened and closed for its caller: a failure behind the next time no longer counts. */
  readonly changes: number;
}

/** The breaker of one endpoint for known callers, or for unknown ones. */
class Circuit {
  readonly #openMs: number;
  /** Opens and closes with this one: so many unknown callers may come that they would take all probes of known ones. */
  readonly #below: Circuit | null;
  /** Of `judgedCallers` at most, in the order of `lastAt`. */
  readonly #tallies = new TransientMap<string, Tally>();
  /** When the next call may probe; null while it is closed. */
  #probeAt: number | null = null;
  #changes = 0;

  constructor(openMs: number, below: Circuit | null) {
    this.#openMs = openMs;
    this.#below = below;
  }

  get isOpen(): boolean {
    return this.#probeAt !== null;
  }

  /** A call that may go, or how long it has to wait, in milliseconds. */
  enter(identity: string, now: number): Entered | number {
    const tally = this.#tallyOf(identity, now);
    const changes = this.#changesOf(tally);
    const isProbe = tally?.isFailing !== false && (this.isOpen || tally?.isRefused === true);
    if (!isProbe) return { isProbe, changes };
    // A caller whose last call failed leaves the probes of all to others for a while.
    const probeAt = Math.max(this.#probeAt ?? -Infinity, tally?.probeAt ?? -Infinity);
    if (now < probeAt) return probeAt - now;
    if (this.isOpen) this.#probeAt = now + this.#openMs / probesOfAll;
    // The caller of a probe is not forgotten while the probe is under way.
    if (tally !== undefined) this.#keep(identity, tally, now).probeAt = now + this.#openMs;
    return { isProbe, changes };
  }

  /** Counts how a call went. */
  leave(identity: string, { isProbe, changes }: Entered, outcome: Outcome, now: number): void {
    const known = this.#tallyOf(identity, now);
    if (outcome === 'unknown') {
      // A probe without an outcome gives its turn to the next call.
      if (!isProbe) return;
      if (this.isOpen) this.#probeAt = now;
      if (known !== undefined) known.probeAt = now;
      return;
    }
    const hasFailed = outcome === 'failed';
    if (hasFailed && changes !== this.#changesOf(known)) return;
    if (known === undefined && !this.#hasRoom(now)) return;
    const tally = this.#keep(identity, known ?? newTally(now), now);
    if (now - tally.since >= windowMs) Object.assign(tally, { since: now, calls: 0, failures: 0 });
    if (!hasFailed && tally.isRefused) {
      Object.assign(tally, { isRefused: false, changes: tally.changes + 1, calls: 0, failures: 0 });
    }
    tally.isFailing = hasFailed;
    tally.calls++;
    if (!hasFailed) return;
    tally.failures++;
    tally.probeAt = now + this.#openMs;
    if (!this.isOpen && this.#isFailing(now)) this.#open(now);
    else if (!tally.isRefused && tally.calls >= leastCalls && tally.failures / tally.calls >= failureRate) {
      tally.isRefused = true;
      tally.changes++;
    }
  }

  #open(now: number): void {
    this.#probeAt = now + this.#openMs / probesOfAll;
    this.#changes++;
    if (this.#below?.isOpen === false) this.#below.#open(now);
  }

  close(): void {
    this.#below?.close();
    if (!this.isOpen) return;
    this.#probeAt = null;
    this.#changes++;
    for (const tally of this.#tallies.values()) if (tally.isFailing) tally.calls = tally.failures = 0;
  }

  /** Whether the endpoint fails, and not only the calls of a few callers. */
  #isFailing(now: number): boolean {
    const judged = [...this.#tallies.values()].filter((tally) => tally.calls > 0 && !isOver(tally, now));
    const calls = judged.reduce((sum, tally) => sum + tally.calls, 0);
    const failing = judged.filter(({ isFailing }) => isFailing).length;
    return failing >= leastCallers && calls >= leastCalls && failing / judged.length >= failureRate;
  }

  #changesOf(tally: Tally | undefined): number {
    return this.#changes + (tally?.changes ?? 0);
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    const tally = this.#tallies.get(identity);
    return tally === undefined || isOver(tally, now) ? undefined : tally;
  }

  #hasRoom(now: number): boolean {
    for (const [name, oldest] of this.#tallies) {
      if (!isOver(oldest, now)) break;
      this.#tallies.delete(name);
    }
    return this.#tallies.size < judgedCallers;
  }

  #keep(identity: string, tally: Tally, now: number): Tally {
    this.#tallies.delete(identity);
    tally.lastAt = now;
    this.#tallies.set(identity, tally);
    return tally;
  }
}

function newTally(now: number): Tally {
  const counts = { since: now, calls: 0, failures: 0, changes: 0 };
  return { isFailing: false, isRefused: false, lastAt: now, probeAt: -Infinity, ...counts };
}

function isOver({ lastAt }: Tally, now: number): boolean {
  return now - lastAt >= windowMs;
}
