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
