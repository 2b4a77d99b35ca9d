function hash(seed: string, salt: number): number {
  let state = 2166136261 ^ salt;
  for (let at = 0; at < seed.length; at += 1) state = Math.imul(state ^ seed.charCodeAt(at), 16777619);
  state = Math.imul(state ^ (state >>> 16), 2246822507);
  state = Math.imul(state ^ (state >>> 13), 3266489909);
  return (state ^ (state >>> 16)) >>> 0;
}

/** A seeded stream of values: equal seeds give equal values in each process, on each machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: string) {
    this.#a = hash(seed, 1);
    this.#b = hash(seed, 2);
    this.#c = hash(seed, 3);
    // The three words come from one seed; a few rounds part them.
    for (let round = 0; round < 4; round += 1) this.#next();
  }

  // sfc32: only 32-bit integer arithmetic, so no engine's floating point can change the data.
  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count += 1;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** An integer from `low` to `high`, both included; the span must stay below 2^53. */
  int(low: number, high: number): number {
    const span = high - low + 1;
    const wide = span > 4294967296 ? (this.#next() & 0x1fffff) * 4294967296 + this.#next() : this.#next();
    return low + (wide % span);
  }

  /** True with about the given share, 0 to 1. */
  chance(share: number): boolean {
    return this.int(0, 9999) < share * 10000;
  }

  /** One item of a list that is not empty. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('Random.pick needs a list with items.');
    return item;
  }

  /** Some of the items in their order, at least one. */
  some<T>(items: readonly T[]): T[] {
    const taken = items.filter(() => this.chance(0.5));
    return taken.length > 0 ? taken : [this.pick(items)];
  }

  /** The value, or null with about the given share. */
  orNull<T>(share: number, value: T): T | null {
    return this.chance(share) ? null : value;
  }

  /** Lower-case hexadecimal text of the given length. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.#next().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }

  /** Decimal digits of the given length; the first is not 0. */
  digits(length: number): string {
    let text = String(this.int(1, 9));
    while (text.length < length) text += String(this.int(0, 9));
    return text;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const hex = this.hex(31);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
  }
}
