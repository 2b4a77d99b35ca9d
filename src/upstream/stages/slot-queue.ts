import { strangersPart } from '../../bounds.ts';
import { CallerCounts, type CallerCount } from './caller-counts.ts';
import { strangersShare, type KnownCallers } from './known-callers.ts';

/** One call that waits for a slot. Both functions take it out of the queue. */
export interface SlotWaiter {
  /** Gives it a slot. */
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** The waiting calls of one caller. */
interface Line {
  readonly waiters: SlotWaiter[];
  /** How many they are, among the counts of all. */
  readonly count: CallerCount;
}

/** The calls that wait for a slot: a line for each caller, and the callers in the order of their turns. */
export class SlotQueue {
  /** A caller without a waiting call has no line. */
  readonly #lines = new Map<string, Line>();
  readonly #counts: CallerCounts;
  readonly #size: number;
  readonly #known: KnownCallers;
  readonly #refusal: () => Error;

  /** `refusal` makes the error for a call that has to make room for another. */
  constructor(size: number, known: KnownCallers, refusal: () => Error) {
    this.#size = size;
    this.#known = known;
    this.#refusal = refusal;
    this.#counts = new CallerCounts(known);
  }

  get length(): number {
    return this.#counts.total;
  }

  get hasOnlyStrangers(): boolean {
    return this.#counts.total === this.#counts.strangersTotal;
  }

  /** The callers that have waiting calls; the caller whose last turn is the longest ago comes first. */
  get callers(): readonly string[] {
    return [...this.#lines.keys()];
  }

  add(identity: string, waiter: SlotWaiter): void {
    const line = this.#lines.get(identity);
    const count = this.#counts.add(identity);
    if (line === undefined) this.#lines.set(identity, { waiters: [waiter], count });
    else line.waiters.push(waiter);
  }

  remove(identity: string, waiter: SlotWaiter): void {
    const line = this.#lines.get(identity);
    const index = line?.waiters.indexOf(waiter) ?? -1;
    if (line === undefined || index < 0) return;
    line.waiters.splice(index, 1);
    if (line.waiters.length === 0) this.#lines.delete(identity);
    this.#counts.subtract(line.count);
  }

  /** Puts a caller behind all others. */
  moveToEnd(identity: string): void {
    const line = this.#lines.get(identity);
    if (line === undefined) return;
    this.#lines.delete(identity);
    this.#lines.set(identity, line);
  }

  /** Admits the call of a caller that has waited longest. */
  admitFirst(identity: string): void {
    this.#lines.get(identity)?.waiters[0]?.admit();
  }

  /** Makes room for one more call of a caller, by refusing another's if need be; false where there is none. */
  makeRoom(identity: string): boolean {
    const isStranger = !this.#known.has(identity);
    const { total, strangersTotal } = this.#counts;
    if (isStranger && strangersTotal >= strangersShare(this.#size)) return this.#refuseLongest(identity, true);
    if (total < this.#size) return true;
    // A queue for less than four has no quarter: there, a stranger makes room for a known caller.
    if (!isStranger && strangersTotal * strangersPart > this.#size) return this.#refuseLongest(null, true);
    return this.#refuseLongest(identity, false);
  }

  /**
   * Refuses the last call of the longest line, if that line is longer than the caller's own would be. Null stands for a caller
   * who is preferred to all in those lines.
   */
  #refuseLongest(identity: string | null, isAmongStrangers: boolean): boolean {
    const lines = [...this.#lines].filter(([other]) => !isAmongStrangers || !this.#known.has(other));
    const longest = lines.map(([, { waiters }]) => waiters).reduce((a, b) => (b.length > a.length ? b : a), []);
    const own = identity === null ? 0 : this.#counts.of(identity) + 1;
    if (longest.length <= own) return false;
    longest.at(-1)?.refuse(this.#refusal());
    return true;
  }
}
