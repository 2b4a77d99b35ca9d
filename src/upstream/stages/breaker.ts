import { judgedCallers } from '../../bounds.ts';
import { GatewayError } from '../../errors.ts';
import type { UpstreamMetrics } from '../../telemetry/metrics.ts';
import { TransientMap } from '../../transient-collections.ts';
import { UnreadError, UnsentError } from '../response/wire-response.ts';
import { everybodyKnown, type KnownCallers } from './known-callers.ts';
import type { Stage } from './stages.ts';

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
  options: BreakerOptions,
  metrics?: Pick<UpstreamMetrics, 'watchBreakers' | 'countBreakerRefusal'>,
): Stage {
  const { known = everybodyKnown, openMs, now = () => performance.now() } = options;
  const circuits = new Map<string, Circuit>();
  metrics?.watchBreakers(() => [...circuits].map(([operation, { openings }]) => ({ operation, ...openings })));

  function enter(circuit: Circuit, name: string, identity: string): CountedCall {
    try {
      return circuit.enter(identity, known.has(identity), now());
    } catch (error) {
      metrics?.countBreakerRefusal(name);
      throw error;
    }
  }

  function create(name: string): Circuit {
    const circuit = new Circuit(openMs);
    circuits.set(name, circuit);
    return circuit;
  }

  return (next) => async (request) => {
    const { identity } = request.caller;
    const { name } = request.call.endpoint;
    const circuit = circuits.get(name) ?? create(name);
    const call = enter(circuit, name, identity);
    // A call that was aborted, or not sent at all, says nothing of the upstream.
    let outcome: Outcome = 'unknown';
    try {
      const response = await next(request);
      outcome = outcomeOf(response.status);
      return response;
    } catch (error) {
      if (!request.signal.aborted && isUpstreamFailure(error)) outcome = 'failed';
      throw error;
    } finally {
      circuit.leave(call, known.has(identity), outcome, now());
    }
  };
}

function outcomeOf(status: number): Outcome {
  // The edge refuses an unknown key and a used-up rate limit, whatever state the endpoint behind it is in.
  if (status === 401 || status === 429) return 'unknown';
  return status >= 500 ? 'failed' : 'answered';
}

function isUpstreamFailure(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof UnsentError || error instanceof UnreadError) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;
// Where the breaker is open for all, so many calls may probe in the time in which a failing caller may once.
const probesOfAll = 5;

/** How a call went: `unknown` where that says nothing of the upstream. */
type Outcome = 'answered' | 'failed' | 'unknown';

/** Callers who are counted together. */
class CallerGroup {
  readonly tallies = new CallerTallies(windowMs, judgedCallers);
  /** Null while the breaker is closed for this group. */
  probe: Probe | null = null;
  /** Of unknown callers, while the breaker is open for known callers: unknown callers may be so many that they take all other probes. */
  probeOfUnknown: Probe | null = null;
  /** When the breaker last opened or closed: calls that were under way then no longer count. */
  changedAt = -Infinity;

  open(now: number, everyMs: number): void {
    this.probe = probeEvery(now, everyMs);
    this.probeOfUnknown = probeEvery(now, everyMs);
    this.#begin(now);
  }

  close(now: number): void {
    if (this.probe === null) return;
    this.probe = this.probeOfUnknown = null;
    this.#begin(now);
  }

  #begin(now: number): void {
    this.changedAt = now;
    this.tallies.forgetFailures();
  }
}

/** One call under way, and the probes as which it was let through. */
interface CountedCall {
  readonly identity: string;
  readonly started: number;
  readonly probes: readonly Probe[];
}

/** The breaker of one endpoint, by the calls of each caller. */
class Circuit {
  readonly #openMs: number;
  readonly #known = new CallerGroup();
  readonly #unknown = new CallerGroup();

  constructor(openMs: number) {
    this.#openMs = openMs;
  }

  /** Whether it is open for all known callers, and for all unknown callers; callers whose last call was answered are never refused. */
  get openings(): { readonly isOpenForKnown: boolean; readonly isOpenForUnknown: boolean } {
    const isOpenForKnown = this.#known.probe !== null;
    return { isOpenForKnown, isOpenForUnknown: isOpenForKnown || this.#unknown.probe !== null };
  }

  /** Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, unless the call is a probe. */
  enter(identity: string, isKnown: boolean, started: number): CountedCall {
    const group = this.#groupOf(isKnown);
    const tally = this.#tallyOf(identity, started);
    // Of a caller without a tally nothing is known, be it that there is no room for one.
    const isRefusable = tally?.isFailing ?? true;
    if (!isRefusable) return { identity, started, probes: [] };
    const ofAll = [group.probe, isKnown ? null : this.#known.probeOfUnknown];
    const probes = [...ofAll, tally?.probe ?? null].filter((probe) => probe !== null);
    // A caller whose last call failed leaves the probes of all to others for a while.
    const ownWait = group.probe === null || tally === undefined ? -Infinity : tally.lastAt + this.#openMs;
    const nextAt = Math.max(ownWait, ...probes.map((probe) => probe.nextAt));
    if (started < nextAt) throw circuitOpen(nextAt - started);
    for (const probe of probes) probe.nextAt = started + probe.everyMs;
    // The caller of a probe is not forgotten while the probe is under way.
    if (probes.length > 0 && tally !== undefined) this.#keep(identity, isKnown, started);
    return { identity, started, probes };
  }

  /** Counts how a call went. */
  leave(call: CountedCall, isKnown: boolean, outcome: Outcome, now: number): void {
    if (outcome === 'answered') this.#countAnswer(call, isKnown, now);
    else if (outcome === 'failed') this.#countFailure(call, isKnown, now);
    // A probe without an outcome gives its turn to the next call.
    else for (const probe of call.probes) if (probe.nextAt === call.started + probe.everyMs) probe.nextAt = now;
  }

  #countAnswer({ identity }: CountedCall, isKnown: boolean, now: number): void {
    // A response to an unknown caller who stays one may be the edge's refusal of anybody.
    if (isKnown) this.#known.close(now);
    this.#unknown.close(now);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    if (tally.probe !== null) Object.assign(tally, { probe: null, changedAt: now, calls: 0, failures: 0 });
    this.#groupOf(isKnown).tallies.count(tally, false, now);
  }

  #countFailure(call: CountedCall, isKnown: boolean, now: number): void {
    const group = this.#groupOf(isKnown);
    const before = this.#tallyOf(call.identity, now);
    const isStraggler = before?.probe != null && !call.probes.includes(before.probe);
    if (isStraggler || call.started < Math.max(group.changedAt, before?.changedAt ?? -Infinity)) return;
    const tally = this.#keep(call.identity, isKnown, now);
    if (tally === undefined) return;
    group.tallies.count(tally, true, now);
    if (call.probes.length === 0) this.#openFor(group, tally, now);
  }

  /** Opens the breaker for all, or for the caller of a tally, where the failures are enough. */
  #openFor(group: CallerGroup, tally: Tally, now: number): void {
    if (group.probe === null && isFailing(group.tallies.votes(now))) {
      group.open(now, this.#openMs / probesOfAll);
    } else if (tally.calls >= leastCalls && tally.failures / tally.calls >= failureRate) {
      tally.probe = probeEvery(now, this.#openMs);
      tally.changedAt = now;
    }
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    return this.#known.tallies.of(identity, now) ?? this.#unknown.tallies.of(identity, now);
  }

  #groupOf(isKnown: boolean): CallerGroup {
    return isKnown ? this.#known : this.#unknown;
  }

  /** The tally of a caller in the group that the caller is in by now; undefined where there is no room for one. */
  #keep(identity: string, isKnown: boolean, now: number): Tally | undefined {
    const tally = this.#tallyOf(identity, now) ?? new Tally(identity, now);
    this.#groupOf(!isKnown).tallies.delete(tally);
    return this.#groupOf(isKnown).tallies.keep(tally, now) ? tally : undefined;
  }
}

/** Whether the endpoint fails, and not only the calls of a few callers. */
function isFailing({ callers, failing, calls }: Votes): boolean {
  return failing >= leastCallers && calls >= leastCalls && failing / callers >= failureRate;
}

function circuitOpen(waitMs: number): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'The upstream keeps failing at this operation; it is left alone for a moment.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** Lets one call through now and then, to find out how the upstream is. All times are in milliseconds. */
interface Probe {
  /** When the next call may pass. */
  nextAt: number;
  /** How long none may pass behind one that has passed. */
  readonly everyMs: number;
}

function probeEvery(now: number, everyMs: number): Probe {
  return { nextAt: now + everyMs, everyMs };
}

/** The calls of one caller. */
export class Tally {
  readonly identity: string;
  /** Whether the last call failed. */
  isFailing = false;
  /** When the last call ended, or the last probe began if that was later. */
  lastAt: number;
  /** The beginning of the window in which calls and failures are counted. */
  since: number;
  calls = 0;
  failures = 0;
  /** Null unless this caller alone is refused. */
  probe: Probe | null = null;
  /** When the counts last began anew: calls that were under way then no longer count. */
  changedAt = -Infinity;

  /** The tally of a caller who has not called yet. */
  constructor(identity: string, now: number) {
    this.identity = identity;
    this.lastAt = now;
    this.since = now;
  }
}

/** Callers by how their last call ended: each counts once, however many calls it makes. */
export interface Votes {
  readonly callers: number;
  readonly failing: number;
  /** The calls of all these callers. */
  readonly calls: number;
}

/** A tally for each of a bounded number of callers. A caller who has not called within the window is forgotten. */
export class CallerTallies {
  /** In the order of `lastAt`. */
  readonly #byCaller = new TransientMap<string, Tally>();
  readonly #windowMs: number;
  readonly #most: number;

  constructor(keptMs: number, most: number) {
    this.#windowMs = keptMs;
    this.#most = most;
  }

  /** The tally of a caller; undefined where there is none, or none any more. */
  of(identity: string, now: number): Tally | undefined {
    const tally = this.#byCaller.get(identity);
    return tally === undefined || this.#isOver(tally, now) ? undefined : tally;
  }

  /** Whether there is room for one more caller. */
  hasRoom(now: number): boolean {
    for (const oldest of this.#byCaller.values()) {
      if (!this.#isOver(oldest, now)) break;
      this.delete(oldest);
    }
    return this.#byCaller.size < this.#most;
  }

  /** Keeps a tally from now on for as long as the window; false where there is no room for it. */
  keep(tally: Tally, now: number): boolean {
    const isKept = this.delete(tally);
    if (!this.hasRoom(now) && !isKept) return false;
    tally.lastAt = now;
    this.#byCaller.set(tally.identity, tally);
    return true;
  }

  /** Forgets a tally; false where it is not kept here. */
  delete(tally: Tally): boolean {
    return this.#byCaller.get(tally.identity) === tally && this.#byCaller.delete(tally.identity);
  }

  /** Begins new counts for the callers whose last call failed. */
  forgetFailures(): void {
    for (const tally of this.#byCaller.values()) if (tally.isFailing) tally.calls = tally.failures = 0;
  }

  votes(now: number): Votes {
    let [callers, failing, calls] = [0, 0, 0];
    for (const tally of this.#byCaller.values()) {
      if (tally.calls === 0 || this.#isOver(tally, now)) continue;
      callers++;
      calls += tally.calls;
      if (tally.isFailing) failing++;
    }
    return { callers, failing, calls };
  }

  /** Counts one more call of a caller. */
  count(tally: Tally, hasFailed: boolean, now: number): void {
    if (now - tally.since >= this.#windowMs) Object.assign(tally, { since: now, calls: 0, failures: 0 });
    tally.isFailing = hasFailed;
    tally.calls++;
    if (hasFailed) tally.failures++;
  }

  #isOver({ lastAt }: Tally, now: number): boolean {
    return now - lastAt >= this.#windowMs;
  }
}
