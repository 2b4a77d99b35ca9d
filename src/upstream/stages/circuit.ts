import { judgedCallers } from '../../bounds.ts';
import { CallerTallies, emptyTally, type Door, type Tally, type Votes } from './caller-tallies.ts';
import { UnsentError } from '../response/wire-response.ts';

const windowMs = 10_000;
const leastCalls = 20;
const failureRate = 0.5;
// One or two with a sick account are not the upstream's failure, nor are some few who cause errors on purpose.
const leastCallers = 5;
// Where it is open for all, those who have not called lately may see so many times as often as those whose call failed.
const looks = 5;

export interface CircuitOptions {
  /** How long it refuses before it lets one call through to see, in milliseconds. */
  readonly openMs: number;
  readonly now?: () => number;
}

/** How a call went: what says nothing of the upstream is unknown. */
export type Outcome = 'answered' | 'failed' | 'unknown';

/** Callers who are judged together. */
interface Circle {
  readonly tallies: CallerTallies;
  /** Where all of them are refused but those whose last call was answered. */
  opening: Opening | null;
  /** When it was last opened or closed: what was under way then has been judged. */
  changedAt: number;
}

interface Opening {
  readonly forFailing: Door;
  /** For those who have not called lately: nobody else's failures keep them out for long. */
  readonly forOthers: Door;
  /** Of the known callers': strangers have one of their own, at which those may queue up whom the API does not take. */
  readonly forStrangers: Door;
  /** The caller whose call has seen and failed: with it alone, that may be its own fault, and the door is its own. */
  failedFor: { readonly identity: string; readonly tally: Tally; readonly door: Door } | null;
}

/** One call on its way, and the doors that it has passed, to see. */
interface Visit {
  readonly identity: string;
  readonly started: number;
  readonly doors: readonly Door[];
}

function createCircle(): Circle {
  return { tallies: new CallerTallies(windowMs, judgedCallers), opening: null, changedAt: -Infinity };
}

/** The breaker of one operation, by the calls of each caller. */
export class Circuit {
  readonly #openMs: number;
  readonly #now: () => number;
  readonly #known = createCircle();
  readonly #strangers = createCircle();

  constructor({ openMs, now = () => performance.now() }: CircuitOptions) {
    this.#openMs = openMs;
    this.#now = now;
  }

  /** Throws UPSTREAM_UNAVAILABLE while the breaker is open for this caller, but for a call that is to see. */
  enter(identity: string, isKnown: boolean): Visit {
    const started = this.#now();
    const doors = this.#doorsOf(identity, isKnown, started);
    for (const { nextAt } of doors) if (started < nextAt) throw circuitOpen(nextAt - started);
    for (const door of doors) door.nextAt = started + door.everyMs;
    // While it is under way, its caller is not forgotten.
    if (doors.length > 0 && this.#tallyOf(identity, started) !== undefined) this.#keep(identity, isKnown, started);
    return { identity, started, doors };
  }

  #doorsOf(identity: string, isKnown: boolean, now: number): readonly Door[] {
    const own = isKnown ? this.#known : this.#strangers;
    const tally = this.#tallyOf(identity, now);
    const isJudged = tally?.isFailing ?? own.tallies.hasRoom(now);
    if (!isJudged) return [];
    const doors: Door[] = [];
    if (!isKnown && this.#known.opening !== null) doors.push(this.#known.opening.forStrangers);
    if (own.opening !== null) doors.push(tally === undefined ? own.opening.forOthers : own.opening.forFailing);
    if (tally?.door != null) doors.push(tally.door);
    return doors;
  }

  /** Takes note of how a call went. */
  leave(visit: Visit, isKnown: boolean, outcome: Outcome): void {
    const now = this.#now();
    if (outcome === 'answered') return this.#answered(visit, isKnown, now);
    if (outcome === 'failed') return this.#failed(visit, isKnown, now);
    // It has seen nothing, so the next one is to see.
    for (const door of visit.doors) if (door.nextAt === visit.started + door.everyMs) door.nextAt = now;
    return undefined;
  }

  #answered({ identity }: Visit, isKnown: boolean, now: number): void {
    // What answers a stranger, and leaves them one, may be the edge's refusal of anybody.
    const closing = isKnown ? [this.#known, this.#strangers] : [this.#strangers];
    for (const circle of closing) if (circle.opening !== null) turn(circle, null, now);
    const [circle, tally] = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    if (tally.door !== null) Object.assign(tally, { door: null, changedAt: now, calls: 0, failures: 0 });
    circle.tallies.count(tally, false, now);
  }

  #failed({ identity, started, doors }: Visit, isKnown: boolean, now: number): void {
    const before = this.#tallyOf(identity, now);
    const judgedAt = Math.max((isKnown ? this.#known : this.#strangers).changedAt, before?.changedAt ?? -Infinity);
    const isUnderWay = before?.door != null && !doors.includes(before.door);
    if (isUnderWay || started < judgedAt) return;
    const [circle, tally] = this.#keep(identity, isKnown, now);
    if (tally === undefined) return;
    circle.tallies.count(tally, true, now);
    if (tally.door !== null) tally.door.nextAt = now + this.#openMs;
    if (doors.length === 0) return this.#judge(circle, tally, now);
    const { opening } = circle;
    if (opening !== null && (doors.includes(opening.forFailing) || doors.includes(opening.forOthers)))
      this.#seenFailing(opening, identity, tally, now);
    return undefined;
  }

  #seenFailing(opening: Opening, identity: string, tally: Tally, now: number): void {
    const { forFailing, forOthers, failedFor } = opening;
    const isOthersToo = failedFor !== null && failedFor.identity !== identity;
    // Nobody keeps the breaker open for others by bad requests: the next to see is somebody else, at once.
    for (const door of [forFailing, forOthers]) door.nextAt = isOthersToo ? now + door.everyMs : now;
    if (!isOthersToo) {
      const door = shutDoor(now, this.#openMs);
      tally.door ??= door;
      opening.failedFor = { identity, tally, door };
      return;
    }
    if (failedFor.tally.door === failedFor.door) failedFor.tally.door = null;
    opening.failedFor = null;
  }

  #judge(circle: Circle, tally: Tally, now: number): void {
    const isOpen = circle.opening !== null;
    if (!isOpen && isFailing(circle.tallies.votes(now))) return turn(circle, openingAt(now, this.#openMs), now);
    if (tally.calls < leastCalls || tally.failures / tally.calls < failureRate) return undefined;
    tally.door = shutDoor(now, this.#openMs);
    tally.changedAt = now;
    return undefined;
  }

  #tallyOf(identity: string, now: number): Tally | undefined {
    return this.#known.tallies.of(identity, now) ?? this.#strangers.tallies.of(identity, now);
  }

  /** The circle that a caller is in by now, and its tally in there; undefined where there is no room for it. */
  #keep(identity: string, isKnown: boolean, now: number): readonly [Circle, Tally | undefined] {
    const [circle, other] = isKnown ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    const tally = this.#tallyOf(identity, now) ?? emptyTally(now);
    other.tallies.delete(identity);
    return [circle, circle.tallies.keep(identity, tally, now) ? tally : undefined];
  }
}

function shutDoor(now: number, everyMs: number): Door {
  return { nextAt: now + everyMs, everyMs };
}

function openingAt(now: number, openMs: number): Opening {
  return {
    forFailing: shutDoor(now, openMs),
    forOthers: shutDoor(now, openMs / looks),
    forStrangers: shutDoor(now, openMs / looks),
    failedFor: null,
  };
}

/** Opens or closes a breaker for a circle; what has failed by then has been judged. */
function turn(circle: Circle, opening: Opening | null, now: number): void {
  circle.opening = opening;
  circle.changedAt = now;
  circle.tallies.forgetFailures();
}

/** Whether it is not some callers that fail but the operation. */
function isFailing({ callers, failing, calls }: Votes): boolean {
  return failing >= leastCallers && calls >= leastCalls && failing / callers >= failureRate;
}

function circuitOpen(waitMs: number): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'The upstream keeps failing at this operation; it is left alone for a moment.',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
