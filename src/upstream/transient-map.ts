/** So few entries come between two tables that V8 still has the earlier one among its young objects. */
const leastRenewal = 128;

/**
 * A map in the order in which its entries came, for what each request adds and takes out again. V8 replaces the table of a `Map`
 * every few entries, and the table behind an old one is old from its beginning: all of them are kept until all memory is collected,
 * with what each held when it was replaced. Here a young map takes the place of the one before.
 */
export class TransientMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #beforeRenewal = leastRenewal;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#beforeRenewal-- === 0) {
      this.#entries = new Map(this.#entries);
      this.#beforeRenewal = Math.max(leastRenewal, this.#entries.size);
    }
    this.#entries.set(key, value);
  }

  /** False where there was none. */
  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** The entries from the first to the last. None comes meanwhile. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }
}
