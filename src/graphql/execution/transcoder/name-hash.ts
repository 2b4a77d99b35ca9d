import { Uncovered } from '../plan/selection.ts';

const word = 0xffff_ffff_ffff_ffffn;

/** What tells a name from others: its first and its last eight bytes, and its length. */
export interface NameKey {
  readonly head: bigint;
  readonly tail: bigint;
  readonly length: number;
}

/** A name of Latin-1 as the transcoder compares it. */
export function keyOf(name: string): NameKey {
  const bytes = Buffer.from(name.padEnd(8, '\0'), 'latin1');
  const { length } = name;
  return { head: bytes.readBigUInt64LE(0), tail: length > 8 ? bytes.readBigUInt64LE(length - 8) : 0n, length };
}

/** A factor by which no two names fall into one bucket; a bucket holds the index of its entry and one, 0 for none. */
export function perfectHash(keys: readonly (NameKey & { readonly index: number })[]) {
  const folded = keys.map(({ head, tail, length }) => head ^ (((tail << 23n) | (tail >> 41n)) & word) ^ BigInt(length));
  let factor = 0x9e37_79b9_7f4a_7c15n;
  for (let bits = 4 + Math.ceil(Math.log2(keys.length + 1)); bits <= 16; bits++) {
    for (let attempt = 0; attempt < 8; attempt++) {
      const buckets = new Uint8Array(2 ** bits);
      const isPerfect = folded.every((value, at) => {
        const bucket = Number(((value * factor) & word) >> BigInt(64 - bits));
        const isFree = buckets[bucket] === 0;
        buckets[bucket] = (keys[at]?.index ?? 0) + 1;
        return isFree;
      });
      if (isPerfect) return { factor, bits, buckets };
      factor = ((factor * 0x2545_f491_4f6c_dd1dn) & word) | 1n;
    }
  }
  // Two names that cannot be told apart.
  throw new Uncovered();
}
