import { TransientMap } from '../../transient-map.ts';
import type { KnownCallers } from './known-callers.ts';

/** A count for each caller, with their sum and the part of it that belongs to strangers. */
export class CallerCounts {
  readonly #counts = new TransientMap<string, number>();
  readonly #known: KnownCallers;
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
    return this.#counts.get(identity) ?? 0;
  }

  add(identity: string, change: 1 | -1): void {
    const count = this.of(identity) + change;
    if (count === 0) this.#counts.delete(identity);
    else this.#counts.set(identity, count);
    this.#total += change;
    if (!this.#known.has(identity)) this.#strangersTotal += change;
  }

  /** A caller has become known or a stranger; null where anybody may have. */
  #reclassify(identity: string | null): void {
    if (identity !== null) {
      const count = this.of(identity);
      this.#strangersTotal += this.#known.has(identity) ? -count : count;
      return;
    }
    this.#strangersTotal = 0;
    for (const [caller, count] of this.#counts) if (!this.#known.has(caller)) this.#strangersTotal += count;
  }
}
