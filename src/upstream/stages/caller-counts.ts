import { idleCallers } from '../../bounds.ts';
import type { KnownCallers } from './known-callers.ts';

/** The calls of one caller. */
export interface CallerCount {
  readonly identity: string;
  value: number;
  isStranger: boolean;
}

/** A count for each caller, with their sum and the part of it that belongs to strangers. */
export class CallerCounts {
  /** With those whose count is zero, until new callers come. */
  readonly #counts = new Map<string, CallerCount>();
  readonly #known: KnownCallers;
  #newBeforeSweep = idleCallers;
  #total = 0;
  #strangersTotal = 0;

  constructor(known: KnownCallers) {
    this.#known = known;
    known.watch((identity) => this.#reclassify(identity));
  }

  get total(): number {
    return this.#total;
  }

  get strangersTotal(): number {
    return this.#strangersTotal;
  }

  of(identity: string): number {
    return this.#counts.get(identity)?.value ?? 0;
  }

  /** Counts one more of a caller; `subtract` takes it back. */
  add(identity: string): CallerCount {
    const count = this.#counts.get(identity) ?? this.#create(identity);
    this.#change(count, 1);
    return count;
  }

  /** Takes back one that `add` has counted. */
  subtract(count: CallerCount): void {
    this.#change(count, -1);
  }

  #change(count: CallerCount, change: 1 | -1): void {
    count.value += change;
    this.#total += change;
    if (count.isStranger) this.#strangersTotal += change;
  }

  #create(identity: string): CallerCount {
    if (this.#newBeforeSweep-- === 0) this.#sweep();
    const count = { identity, value: 0, isStranger: !this.#known.has(identity) };
    this.#counts.set(identity, count);
    return count;
  }

  /** Forgets the callers whose count is zero. */
  #sweep(): void {
    for (const { identity, value } of this.#counts.values()) if (value === 0) this.#counts.delete(identity);
    this.#newBeforeSweep = Math.max(idleCallers, this.#counts.size);
  }

  /** A caller has become known or a stranger; null where anybody may have. */
  #reclassify(changed: string | null): void {
    const counts = changed === null ? this.#counts.values() : [this.#counts.get(changed)];
    for (const count of counts) if (count !== undefined) this.#classify(count);
  }

  #classify(count: CallerCount): void {
    const isStranger = !this.#known.has(count.identity);
    if (isStranger === count.isStranger) return;
    count.isStranger = isStranger;
    this.#strangersTotal += isStranger ? count.value : -count.value;
  }
}
