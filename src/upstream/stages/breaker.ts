import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/metrics.ts';
import { TransientMap } from '../../transient-collections.ts';
import { UnreadError } from '../response/body-room.ts';
import { UnsentError } from '../response/wire-response.ts';
import { everybodyKnown, type KnownCallers } from './known-callers.ts';
import type { Stage } from '../sending.ts';

/** Callers by whom the breaker of one endpoint decides, of some hundred bytes each: a thousand show well whether the endpoint fails. */
const judgedCallers = 1_000;

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
  const circuits = new Map<string, Circuit>();
  metrics?.watchBreakers(() => [...circuits].map(([operation, { openings }]) => ({ operation, ...openings })));

  function create(name: string): Circuit {
    const circuit = new Circuit(openMs);
    circuits.set(name, circuit);
    return circuit;
  }

  return (next) => async (sending) => {
    const { identity } = sending.caller;
    const { name } = sending.call.endpoint;
    const circuit = circuits.get(name) ?? create(name);
    const started = now();
    const gates = circuit.enter(identity, known.has(identity), started);
    if (typeof gates === 'number') {
      metrics?.countBreakerRefusal(name);
      throw circuitOpen(gates);
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
      circuit.leave({ identity, started, gates }, known.has(identity), outcome, now());
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

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;
// Where the breaker is open for all, so many calls may probe in the time in which a failing caller may once.
const probesOfAll = 5;

/** Lets one call through as a probe now and then. All times are in milliseconds. */
interface Gate {
  nextAt: number;
  readonly everyMs: number;
}

/** The calls of one caller. A caller who has not called within the window is forgotten. */
interface Tally {
  /** Whether the last call failed. */
  isFailing: boolean;
  /** When the last call ended, or the last probe began if that was later. */
  lastAt: number;
  /** The beginning of the window in which calls and failures are counted. */
  since: number;
  calls: number;
  failures: number;
  /** Null unless this caller alone is refused. */
  gate: Gate | null;
  /** When the counts last began anew: calls that were under way then no longer count. */
  changedAt: number;
}

/** Callers who are counted together: known or unknown ones. */
class Group {
  /** Of `judgedCallers` at most, in the order of `lastAt`. */
  readonly tallies = new TransientMap<string, Tally>();
  /** Null while the breaker is closed for this group. */
  gate: Gate | null = null;
  /** When the breaker last opened or closed: calls that were under way then no longer count. */
  changedAt = -Infinity;

  set(gate: Gate | null, now: number): void {
    if ((this.gate === null) === (gate === null)) return;
    this.gate = gate;
    this.changedAt = now;
    for (const tally of this.tallies.values()) if (tally.isFailing) tally.calls = tally.failures = 0;
  }

  /** Whether the endpoint fails, and not only the calls of a few callers. */
  isFailing(now: number): boolean {
    let [callers, failing, calls] = [0, 0, 0];
    for (const tally of this.tallies.values()) {
      if (tally.calls === 0 || isOver(tally, now)) continue;
      callers++;
      calls += tally.calls;
      if (tally.isFailing) failing++;
    }
    return failing >= leastCallers && calls >= leastCalls && failing / callers >= failureRate;
  }
}

/** One call under way, and the gates that it has passed as a probe. */
interface CountedCall {
  readonly identity: string;
  readonly started: number;
  readonly gates: readonly Gate[];
}

const noGates: readonly Gate[] = [];

/** The breaker of one endpoint. Where it is open for known callers, it is open for all. */
class Circuit {
  readonly #openMs: number;
  readonly #known = new Group();
  readonly #unknown = new Group();

  constructor(openMs: number) {
    this.#openMs = openMs;
  }

  get openings(): { readonly isOpenForKnown: boolean; readonly isOpenForUnknown: boolean } {
    return { isOpenForKnown: this.#known.gate !== null, isOpenForUnknown: this.#unknown.gate !== null };
  }

  /** The gates through which a call may pass, if any; how long it has to wait, if the breaker is open for its caller. */
  enter(identity: string, isKnown: boolean, now: number): readonly Gate[] | number {
    const { gate } = this.#groupOf(isKnown);
    const tally = this.#tallyOf(identity, now);
    // Of a caller without a tally nothing is known, be it that there is no room for one.
    if (tally?.isFailing === false) return noGates;
    const gates = [gate, tally?.gate ?? null].filter((each) => each !== null);
    // A caller whose last call failed leaves the probes of all to others for a while.
    const ownWait = gate === null || tally === undefined ? -Infinity : tally.lastAt + this.#openMs;
    const nextAt = Math.max(ownWait, ...gates.map((each) => each.nextAt));
    if (now < nextAt) return nextAt - now;
    for (const each of gates) each.nextAt = now + each.everyMs;
    // The caller of a probe is not forgotten while the probe is under way.
    if (gates.length > 0 && tally !== undefined) this.#keep(identity, isKnown, now);
    return gates;
  }

  /** Counts how a call went. */
  leave(call: CountedCall, isKnown: boolean, outcome: Outcome, now: number): void {
    const { identity, started, gates } = call;
    if (outcome === 'unknown') {
      // A probe without an outcome gives its turn to the next call.
      for (const gate of gates) if (gate.nextAt === started + gate.everyMs) gate.nextAt = now;
      return;
    }
    const hasFailed = outcome === 'failed';
    if (hasFailed && this.#isStraggler(call, isKnown, now)) return;
    // A response to an unknown caller who stays one may be the edge's refusal of anybody.
    if (!hasFailed && isKnown) this.#known.set(null, now);
    if (!hasFailed && this.#known.gate === null) this.#unknown.set(null, now);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    if (!hasFailed && tally.gate !== null) Object.assign(tally, { gate: null, changedAt: now, calls: 0, failures: 0 });
    count(tally, hasFailed, now);
    if (hasFailed && gates.length === 0) this.#openFor(tally, this.#groupOf(isKnown), now);
  }

  /** Whether a call was under way when the breaker opened or closed for its caller, or for all. */
  #isStraggler({ identity, started, gates }: CountedCall, isKnown: boolean, now: number): boolean {
    const tally = this.#tallyOf(identity, now);
    if (tally?.gate != null && !gates.includes(tally.gate)) return true;
    return started < Math.max(this.#groupOf(isKnown).changedAt, tally?.changedAt ?? -Infinity);
  }

  /** Opens the breaker for all, or for the caller of a tally, where the failures are enough. */
  #openFor(tally: Tally, group: Group, now: number): void {
    if (group.gate === null && group.isFailing(now)) {
      const everyMs = this.#openMs / probesOfAll;
      group.set(gateEvery(everyMs, now), now);
      // Unknown callers may be so many that they would take all probes of known callers.
      this.#unknown.set(gateEvery(everyMs, now), now);
    } else if (tally.calls >= leastCalls && tally.failures / tally.calls >= failureRate) {
      tally.gate = gateEvery(this.#openMs, now);
      tally.changedAt = now;
    }
  }

  #groupOf(isKnown: boolean): Group {
    return isKnown ? this.#known : this.#unknown;
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    const tally = this.#known.tallies.get(identity) ?? this.#unknown.tallies.get(identity);
    return tally === undefined || isOver(tally, now) ? undefined : tally;
  }

  /** The tally of a caller, in the group that the caller is in by now; undefined where there is no room for one. */
  #keep(identity: string, isKnown: boolean, now: number): Tally | undefined {
    const tally = this.#tallyOf(identity, now) ?? newTally(now);
    for (const { tallies } of [this.#known, this.#unknown]) tallies.delete(identity);
    const { tallies } = this.#groupOf(isKnown);
    for (const [name, oldest] of tallies) {
      if (!isOver(oldest, now)) break;
      tallies.delete(name);
    }
    if (tallies.size >= judgedCallers) return undefined;
    tally.lastAt = now;
    tallies.set(identity, tally);
    return tally;
  }
}

function gateEvery(everyMs: number, now: number): Gate {
  return { nextAt: now + everyMs, everyMs };
}

function newTally(now: number): Tally {
  return { isFailing: false, lastAt: now, since: now, calls: 0, failures: 0, gate: null, changedAt: -Infinity };
}

function isOver({ lastAt }: Tally, now: number): boolean {
  return now - lastAt >= windowMs;
}

/** Counts one more call of a caller. */
function count(tally: Tally, hasFailed: boolean, now: number): void {
  if (now - tally.since >= windowMs) Object.assign(tally, { since: now, calls: 0, failures: 0 });
  tally.isFailing = hasFailed;
  tally.calls++;
  if (hasFailed) tally.failures++;
}
