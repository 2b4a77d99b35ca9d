/** What a linked set may hold; each is in one set at most. */
export class Linked {
  // Declared alone, and set below: in a class with many subclasses V8 defines a field several times slower than it sets one.
  declare previous: Linked | null;
  declare next: Linked | null;
  declare owner: object | null;

  constructor() {
    this.previous = null;
    this.next = null;
    this.owner = null;
  }
}

/**
 * A set in the order in which its members came, for what each request adds and takes out again. A `Set` is a table that V8 replaces
 * every few requests, and an old table keeps the new one and all that it held: each request would live until the next collection of
 * all memory, which costs more than all else about the set.
 */
export class LinkedSet<Member extends Linked> {
  #first: Linked | null = null;
  #last: Linked | null = null;

  /** Null where there is none. */
  get first(): Member | null {
    return this.#first as Member | null;
  }

  add(member: Member): void {
    member.owner = this;
    member.previous = this.#last;
    if (this.#last === null) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
  }

  /** False where it was not in the set. */
  delete(member: Member): boolean {
    if (member.owner !== this) return false;
    const { previous, next } = member;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    member.owner = null;
    member.previous = null;
    member.next = null;
    return true;
  }

  /** The members from the first to the last. None is taken out meanwhile. */
  *[Symbol.iterator](): Generator<Member, void> {
    for (let member = this.#first; member !== null; member = member.next) yield member as Member;
  }
}

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
