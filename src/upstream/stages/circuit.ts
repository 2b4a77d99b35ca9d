import { judgedCallers } from '../../bounds.ts';
import { UnsentError } from '../response/wire-response.ts';
import { CallerTallies, Tally, type Door, type Votes } from './caller-tallies.ts';
import { CircuitOpening, shutDoor } from './circuit-opening.ts';

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two callers with a sick account are not the upstream's failure, nor are a few who cause errors on purpose.
const leastCallers = 5;
const noDoors: readonly Door[] = [];

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
interface Circle {
  readonly tallies: CallerTallies;
  /** Null while the breaker is closed for this circle. */
  opening: CircuitOpening | null;
  /** When the breaker last opened or closed: calls that were under way then have been judged. */
  changedAt: number;
}

/** One call under way, and the doors that it has passed as a probe. */
export interface Visit {
  readonly identity: string;
  readonly started: number;
  readonly doors: readonly Door[];
}

/** The breaker of one endpoint, by the calls of each caller. */
export class Circuit {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #known = createCircle();
  readonly #strangers = createCircle();
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
    const circle = callers === 'known' ? this.#known : this.#strangers;
    const now = this.#now();
    if (circle.opening === null) setOpening(circle, new CircuitOpening(now, this.#openMs), now);
  }

  /** Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, unless the call is a probe. */
  enter(identity: string, isKnown: boolean, started: number): Visit {
    const doors = this.#doorsOf(identity, isKnown, started);
    for (const { nextAt } of doors) if (started < nextAt) throw circuitOpen(nextAt - started);
    for (const door of doors) door.nextAt = started + door.everyMs;
    // The caller of a probe is not forgotten while the probe is under way.
    if (doors.length > 0 && this.#tallyOf(identity, started) !== undefined) this.#keep(identity, isKnown, started);
    return { identity, started, doors };
  }

  /** Counts how a call went. */
  leave(visit: Visit, isKnown: boolean, outcome: Outcome, now: number): void {
    if (outcome === 'answered') this.#countAnswer(visit, isKnown, now);
    else if (outcome === 'failed') this.#countFailure(visit, isKnown, now);
    else reopenDoors(visit, now);
  }

  #doorsOf(identity: string, isKnown: boolean, now: number): readonly Door[] {
    const own = this.#circleOf(isKnown);
    const tally = this.#tallyOf(identity, now);
    const isJudged = tally?.isFailing ?? own.tallies.hasRoom(now);
    if (!isJudged) return noDoors;
    const doors: Door[] = [];
    if (!isKnown && this.#known.opening !== null) doors.push(this.#known.opening.forStrangers);
    if (own.opening !== null) doors.push(tally === undefined ? own.opening.forOthers : own.opening.forFailing);
    if (tally?.door != null) doors.push(tally.door);
    return doors;
  }

  #countAnswer({ identity }: Visit, isKnown: boolean, now: number): void {
    // A response to a stranger who stays one may be the edge's refusal of anybody.
    if (isKnown && this.#known.opening !== null) setOpening(this.#known, null, now);
    if (this.#strangers.opening !== null) setOpening(this.#strangers, null, now);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    if (tally.door !== null) Object.assign(tally, { door: null, changedAt: now, calls: 0, failures: 0 });
    this.#circleOf(isKnown).tallies.count(tally, false, now);
  }

  #countFailure(visit: Visit, isKnown: boolean, now: number): void {
    if (this.#isJudged(visit, isKnown, now)) return;
    const { identity, doors } = visit;
    const circle = this.#circleOf(isKnown);
    const tally = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    circle.tallies.count(tally, true, now);
    if (tally.door !== null) tally.door.nextAt = now + this.#openMs;
    if (doors.length === 0) this.#judge(circle, tally, now);
    else if (circle.opening?.isProbe(doors) === true) circle.opening.probeFailed(tally, now);
  }

  /** Whether the breaker has changed for the caller of a call since the call began. */
  #isJudged({ identity, started, doors }: Visit, isKnown: boolean, now: number): boolean {
    const circle = this.#circleOf(isKnown);
    const tally = this.#tallyOf(identity, now);
    if (tally?.door != null && !doors.includes(tally.door)) return true;
    return started < Math.max(circle.changedAt, tally?.changedAt ?? -Infinity);
  }

  /** Opens the breaker for all, or for the caller of a tally, where the failures are enough. */
  #judge(circle: Circle, tally: Tally, now: number): void {
    if (circle.opening === null && isFailing(circle.tallies.votes(now))) {
      setOpening(circle, new CircuitOpening(now, this.#openMs), now);
      this.#opened(circle === this.#known ? 'known' : 'strangers');
      return;
    }
    if (tally.calls < leastCalls || tally.failures / tally.calls < failureRate) return;
    tally.door = shutDoor(now, this.#openMs);
    tally.changedAt = now;
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    return this.#known.tallies.of(identity, now) ?? this.#strangers.tallies.of(identity, now);
  }

  #circleOf(isKnown: boolean): Circle {
    return isKnown ? this.#known : this.#strangers;
  }

  /** The tally of a caller in the circle that the caller is in by now; undefined where there is no room for one. */
  #keep(identity: string, isKnown: boolean, now: number): Tally | undefined {
    const tally = this.#tallyOf(identity, now) ?? new Tally(identity, now);
    this.#circleOf(!isKnown).tallies.delete(tally);
    return this.#circleOf(isKnown).tallies.keep(tally, now) ? tally : undefined;
  }
}

function createCircle(): Circle {
  return { tallies: new CallerTallies(windowMs, judgedCallers), opening: null, changedAt: -Infinity };
}

/** A probe without an outcome gives its turn to the next call. */
function reopenDoors({ started, doors }: Visit, now: number): void {
  for (const door of doors) if (door.nextAt === started + door.everyMs) door.nextAt = now;
}

/** Opens or closes the breaker for a circle; failures up to now have been judged. */
function setOpening(circle: Circle, opening: CircuitOpening | null, now: number): void {
  circle.opening = opening;
  circle.changedAt = now;
  circle.tallies.forgetFailures();
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
