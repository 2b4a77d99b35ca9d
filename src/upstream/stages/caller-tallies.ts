/** Lets one call through now and then, to see how things are; all times are in milliseconds. */
export interface Door {
  /** When the next one may pass. */
  nextAt: number;
  /** How long it is shut after each that passes, or fails. */
  readonly everyMs: number;
}

/** What is known of the calls of one caller. */
export interface Tally {
  /** Whether the last call failed. */
  isFailing: boolean;
  /** When it ended; of a caller who fails, when the last one began that was to see. */
  lastAt: number;
  /** What was counted since, within one window. */
  since: number;
  calls: number;
  failures: number;
  /** Where this caller alone is refused. */
  door: Door | null;
  /** When calls were last begun to be counted anew: what was under way then has been judged. */
  changedAt: number;
}

/** Callers by how their last call ended: each counts once, however many calls it makes. */
export interface Votes {
  readonly callers: number;
  readonly failing: number;
  /** All calls of them. */
  readonly calls: number;
}

/** A tally for each of a bounded number of callers; who has not called within the window is forgotten. */
export class CallerTallies {
  /** In the order of `lastAt`. */
  readonly #tallies = new Map<string, Tally>();
  readonly #windowMs: number;
  readonly #most: number;

  constructor(windowMs: number, most: number) {
    this.#windowMs = windowMs;
    this.#most = most;
  }

  /** Undefined where nothing is known, or no longer. */
  of(identity: string, now: number): Tally | undefined {
    const tally = this.#tallies.get(identity);
    return tally === undefined || this.#isOver(tally, now) ? undefined : tally;
  }

  /** Whether there is room for one more. */
  hasRoom(now: number): boolean {
    for (const [identity, tally] of this.#tallies) {
      if (!this.#isOver(tally, now)) break;
      this.#tallies.delete(identity);
    }
    return this.#tallies.size < this.#most;
  }

  /** Keeps a tally from now on for as long as the window; false where there is no room for it. */
  keep(identity: string, tally: Tally, now: number): boolean {
    this.#tallies.delete(identity);
    if (!this.hasRoom(now)) return false;
    tally.lastAt = now;
    this.#tallies.set(identity, tally);
    return true;
  }

  delete(identity: string): void {
    this.#tallies.delete(identity);
  }

  /** Counts the calls of those anew whose last one failed. */
  forgetFailures(): void {
    for (const tally of this.#tallies.values()) if (tally.isFailing) tally.calls = tally.failures = 0;
  }

  votes(now: number): Votes {
    let [callers, failing, calls] = [0, 0, 0];
    for (const tally of this.#tallies.values()) {
      if (tally.calls === 0 || this.#isOver(tally, now)) continue;
      callers++;
      calls += tally.calls;
      if (tally.isFailing) failing++;
    }
    return { callers, failing, calls };
  }

  /** Counts one call more of a caller. */
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

/** The tally of a caller who has not called yet. */
export function emptyTally(now: number): Tally {
  return { isFailing: false, lastAt: now, since: now, calls: 0, failures: 0, door: null, changedAt: -Infinity };
}
