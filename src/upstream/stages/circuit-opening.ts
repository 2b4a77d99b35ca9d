import type { Door, Tally } from './caller-tallies.ts';

// Where the breaker is open for all, callers who have not called lately may probe this many times as often as failing ones.
const probesOfOthers = 5;

/** The time in which a breaker is open for all callers of a circle but those whose last call was answered. */
export class CircuitOpening {
  /** For callers whose last call failed. */
  readonly forFailing: Door;
  /** For callers who have not called lately: the failures of others do not keep them out for long. */
  readonly forOthers: Door;
  /** For strangers, while this is the opening of the known callers: strangers may be so many that they fill any other door. */
  readonly forStrangers: Door;
  readonly #openMs: number;
  /** The caller whose probe failed last. It alone may be to blame for that, so the door is its own. */
  #failedFor: { readonly tally: Tally; readonly door: Door } | null = null;

  constructor(now: number, openMs: number) {
    this.#openMs = openMs;
    this.forFailing = shutDoor(now, openMs);
    this.forOthers = shutDoor(now, openMs / probesOfOthers);
    this.forStrangers = shutDoor(now, openMs / probesOfOthers);
  }

  /** Whether a call with these doors was a probe of this opening. */
  isProbe(doors: readonly Door[]): boolean {
    return doors.includes(this.forFailing) || doors.includes(this.forOthers);
  }

  /** A probe has failed. After that of one caller, another caller probes at once; after those of two, all wait. */
  probeFailed(tally: Tally, now: number): void {
    const failed = this.#failedFor;
    const isOfTwo = failed !== null && failed.tally.identity !== tally.identity;
    // Nobody keeps the breaker open for others by bad requests.
    for (const door of [this.forFailing, this.forOthers]) door.nextAt = isOfTwo ? now + door.everyMs : now;
    if (!isOfTwo) {
      const door = shutDoor(now, this.#openMs);
      tally.door ??= door;
      this.#failedFor = { tally, door };
      return;
    }
    if (failed.tally.door === failed.door) failed.tally.door = null;
    this.#failedFor = null;
  }
}

/** A door that lets the next probe through after `everyMs` milliseconds. */
export function shutDoor(now: number, everyMs: number): Door {
  return { nextAt: now + everyMs, everyMs };
}
