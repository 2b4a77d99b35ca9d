import { Linked, LinkedSet } from '../../linked-set.ts';
import { TransientMap } from '../../transient-map.ts';

/** Lets one call through now and then, as a probe. All times are in milliseconds. */
export interface Door {
  /** When the next probe may pass. */
  nextAt: number;
  /** How long the door is shut after each probe that passes it, or fails. */
  readonly everyMs: number;
}

/** The calls of one caller. */
export class Tally extends Linked {
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
  door: Door | null = null;
  /** When the counts last began anew: calls that were under way then have been judged. */
  changedAt = -Infinity;

  /** The tally of a caller who has not called yet. */
  constructor(identity: string, now: number) {
    super();
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
  readonly #byCaller = new TransientMap<string, Tally>();
  /** In the order of `lastAt`. */
  readonly #inOrder = new LinkedSet<Tally>();
  readonly #windowMs: number;
  readonly #most: number;

  constructor(windowMs: number, most: number) {
    this.#windowMs = windowMs;
    this.#most = most;
  }

  /** The tally of a caller; undefined where there is none, or none any more. */
  of(identity: string, now: number): Tally | undefined {
    const tally = this.#byCaller.get(identity);
    return tally === undefined || this.#isOver(tally, now) ? undefined : tally;
  }

  /** Whether there is room for one more caller. */
  hasRoom(now: number): boolean {
    let oldest = this.#inOrder.first;
    for (; oldest !== null && this.#isOver(oldest, now); oldest = this.#inOrder.first) this.delete(oldest);
    return this.#byCaller.size < this.#most;
  }

  /** Keeps a tally from now on for as long as the window; false where there is no room for it. */
  keep(tally: Tally, now: number): boolean {
    const isKept = this.#inOrder.delete(tally);
    if (!this.hasRoom(now) && !isKept) return false;
    if (!isKept) this.#byCaller.set(tally.identity, tally);
    tally.lastAt = now;
    this.#inOrder.add(tally);
    return true;
  }

  /** Forgets a tally, where it is kept here. */
  delete(tally: Tally): void {
    if (this.#inOrder.delete(tally)) this.#byCaller.delete(tally.identity);
  }

  /** Begins new counts for the callers whose last call failed. */
  forgetFailures(): void {
    for (const tally of this.#inOrder) if (tally.isFailing) tally.calls = tally.failures = 0;
  }

  votes(now: number): Votes {
    let [callers, failing, calls] = [0, 0, 0];
    for (const tally of this.#inOrder) {
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
