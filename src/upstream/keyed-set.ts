/** What a keyed set may hold; each is in one set at most. */
export abstract class Keyed {
  // Declared alone, and set below: see `Linked`.
  declare key: string;
  declare nextInSlot: Keyed | null;

  constructor() {
    this.key = '';
    this.nextInSlot = null;
  }
}

const slots = 256;

/** Some characters decide, which differ from caller to caller and from call to call. */
function slotOf(key: string): number {
  const { length } = key;
  const early = key.charCodeAt(0) * 7 + key.charCodeAt(1) * 31;
  const middle = key.charCodeAt(length >> 1) * 5 + key.charCodeAt(length - (length >> 2)) * 19;
  return (early + middle + key.charCodeAt(length - 2) * 11 + key.charCodeAt(length - 1) * 3 + length) & (slots - 1);
}

/**
 * A set whose members are found by texts that are new with each request. To look up a new text in a `Map`, V8 first makes it a unique
 * one: it hashes it, copies it to its old space and keeps it until all memory is collected. Here it is compared with the members of
 * its slot, few as long as few calls are under way.
 */
export class KeyedSet<Member extends Keyed> {
  readonly #slots: (Keyed | null)[] = Array.from({ length: slots }, () => null);

  /** The member of a key; null where there is none. */
  get(key: string): Member | null {
    let member = this.#slots[slotOf(key)] ?? null;
    while (member !== null && member.key !== key) member = member.nextInSlot;
    return member as Member | null;
  }

  /** Adds a member under a key that no other has. */
  add(key: string, member: Member): void {
    const slot = slotOf(key);
    member.key = key;
    member.nextInSlot = this.#slots[slot] ?? null;
    this.#slots[slot] = member;
  }

  /** Takes out a member, which is in the set. */
  delete(member: Member): void {
    const slot = slotOf(member.key);
    let before: Keyed | null = null;
    for (let other = this.#slots[slot] ?? null; other !== null && other !== member; other = other.nextInSlot)
      before = other;
    if (before === null) this.#slots[slot] = member.nextInSlot;
    else before.nextInSlot = member.nextInSlot;
    member.nextInSlot = null;
  }
}
