import { judgedCallers } from '../../bounds.ts';
import { TransientMap } from '../../transient-map.ts';
import { UnsentError } from '../response/wire-response.ts';

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;
// Where the breaker is open for all, callers who have not called lately may probe this many times as often as failing ones.
const probesOfOthers = 5;
const noProbes: readonly Probes[] = [];

export interface CircuitOptions {
  /** How long the breaker refuses before it lets one call through as a probe, in milliseconds. */
  readonly openMs: number;
  readonly now?: () => number;
  /** Runs when the breaker opens for all callers of a kind by their own failures. */
  readonly opened?: (callers: Callers) => void;
}

/** Callers who are judged together: those whose key the API is known to take, and all others. */
export type Callers = 'known' | 'strangers';

/** How a call went: `unknown` where that says nothing of the upstream. */
export type Outcome = 'answered' | 'failed' | 'unknown';

/** Callers who are judged together. */
interface CallerGroup {
  readonly tallies: CallerTallies;
  /** Null while the breaker is closed for this group. */
  opening: CircuitOpening | null;
  /** When the breaker last opened or closed: calls that were under way then have been judged. */
  changedAt: number;
}

/** One call under way, and the probes that it has passed as a probe. */
export interface JudgedCall {
  readonly identity: string;
  readonly started: number;
  readonly probes: readonly Probes[];
}

/** The breaker of one endpoint, by the calls of each caller. */
export class Circuit {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #known = createGroup();
  readonly #strangers = createGroup();
  readonly #opened: (callers: Callers) => void;

  constructor({ openMs, now = () => performance.now(), opened = () => {} }: CircuitOptions) {
    this.#opened = opened;
    this.#openMs = openMs;
    this.#now = now;
  }

  /** Whether it is open for all known callers, and for all strangers; callers whose last call was answered are never refused. */
  get openings(): { readonly isOpenForKnown: boolean; readonly isOpenForStrangers: boolean } {
    const isOpenForKnown = this.#known.opening !== null;
    return { isOpenForKnown, isOpenForStrangers: isOpenForKnown || this.#strangers.opening !== null };
  }

  /** Opens for all callers of a kind, unless it is open for them. */
  open(callers: Callers): void {
    const group = callers === 'known' ? this.#known : this.#strangers;
    const now = this.#now();
    if (group.opening === null) setOpening(group, new CircuitOpening(now, this.#openMs), now);
  }

  /** Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, unless the call is a probe. */
  enter(identity: string, isKnown: boolean, started: number): JudgedCall {
    const probes = this.#probesFor(identity, isKnown, started);
    for (const { nextAt } of probes) if (started < nextAt) throw circuitOpen(nextAt - started);
    for (const probe of probes) probe.nextAt = started + probe.everyMs;
    // The caller of a probe is not forgotten while the probe is under way.
    if (probes.length > 0 && this.#tallyOf(identity, started) !== undefined) this.#keep(identity, isKnown, started);
    return { identity, started, probes };
  }

  /** Counts how a call went. */
  leave(call: JudgedCall, isKnown: boolean, outcome: Outcome, now: number): void {
    if (outcome === 'answered') this.#countAnswer(call, isKnown, now);
    else if (outcome === 'failed') this.#countFailure(call, isKnown, now);
    else giveBackProbes(call, now);
  }

  #probesFor(identity: string, isKnown: boolean, now: number): readonly Probes[] {
    const own = this.#groupOf(isKnown);
    const tally = this.#tallyOf(identity, now);
    const isJudged = tally?.isFailing ?? own.tallies.hasRoom(now);
    if (!isJudged) return noProbes;
    const probes: Probes[] = [];
    if (!isKnown && this.#known.opening !== null) probes.push(this.#known.opening.forStrangers);
    if (own.opening !== null) probes.push(tally === undefined ? own.opening.forOthers : own.opening.forFailing);
    if (tally?.ownProbes != null) probes.push(tally.ownProbes);
    return probes;
  }

  #countAnswer({ identity }: JudgedCall, isKnown: boolean, now: number): void {
    // A response to a stranger who stays one may be the edge's refusal of anybody.
    if (isKnown && this.#known.opening !== null) setOpening(this.#known, null, now);
    if (this.#strangers.opening !== null) setOpening(this.#strangers, null, now);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    if (tally.ownProbes !== null) Object.assign(tally, { ownProbes: null, changedAt: now, calls: 0, failures: 0 });
    this.#groupOf(isKnown).tallies.count(tally, false, now);
  }

  #countFailure(call: JudgedCall, isKnown: boolean, now: number): void {
    if (this.#isJudged(call, isKnown, now)) return;
    const { identity, probes } = call;
    const group = this.#groupOf(isKnown);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    group.tallies.count(tally, true, now);
    if (tally.ownProbes !== null) tally.ownProbes.nextAt = now + this.#openMs;
    if (probes.length === 0) this.#judge(group, tally, now);
    else if (group.opening?.isProbe(probes) === true) group.opening.probeFailed(tally, now);
  }

  /** Whether the breaker has changed for the caller of a call since the call began. */
  #isJudged({ identity, started, probes }: JudgedCall, isKnown: boolean, now: number): boolean {
    const group = this.#groupOf(isKnown);
    const tally = this.#tallyOf(identity, now);
    if (tally?.ownProbes != null && !probes.includes(tally.ownProbes)) return true;
    return started < Math.max(group.changedAt, tally?.changedAt ?? -Infinity);
  }

  /** Opens the breaker for all, or for the caller of a tally, where the failures are enough. */
  #judge(group: CallerGroup, tally: Tally, now: number): void {
    if (group.opening === null && isFailing(group.tallies.votes(now))) {
      setOpening(group, new CircuitOpening(now, this.#openMs), now);
      this.#opened(group === this.#known ? 'known' : 'strangers');
      return;
    }
    if (tally.calls < leastCalls || tally.failures / tally.calls < failureRate) return;
    tally.ownProbes = probesEvery(now, this.#openMs);
    tally.changedAt = now;
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    return this.#known.tallies.of(identity, now) ?? this.#strangers.tallies.of(identity, now);
  }

  #groupOf(isKnown: boolean): CallerGroup {
    return isKnown ? this.#known : this.#strangers;
  }

  /** The tally of a caller in the group that the caller is in by now; undefined where there is no room for one. */
  #keep(identity: string, isKnown: boolean, now: number): Tally | undefined {
    const tally = this.#tallyOf(identity, now) ?? new Tally(identity, now);
    this.#groupOf(!isKnown).tallies.delete(tally);
    return this.#groupOf(isKnown).tallies.keep(tally, now) ? tally : undefined;
  }
}

function createGroup(): CallerGroup {
  return { tallies: new CallerTallies(windowMs, judgedCallers), opening: null, changedAt: -Infinity };
}

/** A probe without an outcome gives its turn to the next call. */
function giveBackProbes({ started, probes }: JudgedCall, now: number): void {
  for (const probe of probes) if (probe.nextAt === started + probe.everyMs) probe.nextAt = now;
}

/** Opens or closes the breaker for a group; failures up to now have been judged. */
function setOpening(group: CallerGroup, opening: CircuitOpening | null, now: number): void {
  group.opening = opening;
  group.changedAt = now;
  group.tallies.forgetFailures();
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

/** The time in which a breaker is open for all callers of a group but those whose last call was answered. */
class CircuitOpening {
  /** For callers whose last call failed. */
  readonly forFailing: Probes;
  /** For callers who have not called lately: the failures of others do not keep them out for long. */
  readonly forOthers: Probes;
  /** For strangers, while this is the opening of the known callers: strangers may be so many that they take all others. */
  readonly forStrangers: Probes;
  readonly #openMs: number;
  /** The caller whose probe failed last. It alone may be to blame for that, so it alone waits. */
  #failedFor: { readonly tally: Tally; readonly ownProbes: Probes } | null = null;

  constructor(now: number, openMs: number) {
    this.#openMs = openMs;
    this.forFailing = probesEvery(now, openMs);
    this.forOthers = probesEvery(now, openMs / probesOfOthers);
    this.forStrangers = probesEvery(now, openMs / probesOfOthers);
  }

  /** Whether a call with these probes was a probe of this opening. */
  isProbe(probes: readonly Probes[]): boolean {
    return probes.includes(this.forFailing) || probes.includes(this.forOthers);
  }

  /** A probe has failed. After that of one caller, another caller probes at once; after those of two, all wait. */
  probeFailed(tally: Tally, now: number): void {
    const failed = this.#failedFor;
    const isOfTwo = failed !== null && failed.tally.identity !== tally.identity;
    // Nobody keeps the breaker open for others by bad requests.
    for (const probes of [this.forFailing, this.forOthers]) probes.nextAt = isOfTwo ? now + probes.everyMs : now;
    if (!isOfTwo) {
      const ownProbes = probesEvery(now, this.#openMs);
      tally.ownProbes ??= ownProbes;
      this.#failedFor = { tally, ownProbes };
      return;
    }
    if (failed.tally.ownProbes === failed.ownProbes) failed.tally.ownProbes = null;
    this.#failedFor = null;
  }
}

/** Probes of which the first may pass after `everyMs` milliseconds. */
function probesEvery(now: number, everyMs: number): Probes {
  return { nextAt: now + everyMs, everyMs };
}

/** Lets one call through now and then, as a probe. All times are in milliseconds. */
export interface Probes {
  /** When the next probe may pass. */
  nextAt: number;
  /** How long none may pass after a probe that has passed, or failed. */
  readonly everyMs: number;
}

/** The calls of one caller. */
export class Tally {
  readonly identity: string;
  /** Whether the last call failed. */
  isFailing = false;
  /** When the last call ended; for a failing caller, when its last probe began if that was later. */
  lastAt: number;
  /** The beginning of the window in which calls and failures are counted. */
  since: number;
  calls = 0;
  failures = 0;
  /** Null unless this caller alone is refused. */
  ownProbes: Probes | null = null;
  /** When the counts last began anew: calls that were under way then have been judged. */
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
