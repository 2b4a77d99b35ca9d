import { Uncovered } from '../plan/selection.ts';

const word = 0xffff_ffff_ffff_ffffn;

/** What tells a name from others: its first and its last eight bytes, and what is made of them and its length. */
export interface NameKey {
  readonly head: bigint;
  readonly tail: bigint;
  /** All of it in 64 bits, from which its bucket is made. */
  readonly folded: Halves;
}

// The names are those of the schema: a document has no others.
const known = new Map<string, NameKey>();

/** A name of Latin-1 as the transcoder compares it. */
export function keyOf(name: string): NameKey {
  const key = known.get(name) ?? createKey(name);
  known.set(name, key);
  return key;
}

function createKey(name: string): NameKey {
  const bytes = Buffer.from(name.padEnd(8, '\0'), 'latin1');
  const { length } = name;
  const head = bytes.readBigUInt64LE(0);
  const tail = length > 8 ? bytes.readBigUInt64LE(length - 8) : 0n;
  const folded = head ^ (((tail << 23n) | (tail >> 41n)) & word) ^ BigInt(length);
  return { head, tail, folded: halvesOf(folded) };
}

/** A factor by which no two names fall into one bucket; a bucket holds the index of its entry and one, 0 for none. */
export function perfectHash(keys: readonly (NameKey & { readonly index: number })[]) {
  let factor = 0x9e37_79b9_7f4a_7c15n;
  for (let bits = 4 + Math.ceil(Math.log2(keys.length + 1)); bits <= 16; bits++) {
    for (let attempt = 0; attempt < 8; attempt++) {
      const halves = halvesOf(factor);
      const buckets = new Uint8Array(2 ** bits);
      const isPerfect = keys.every(({ folded, index }) => {
        const bucket = highHalfOf(folded, halves) >>> (32 - bits);
        const isFree = buckets[bucket] === 0;
        buckets[bucket] = index + 1;
        return isFree;
      });
      if (isPerfect) return { factor, bits, buckets };
      factor = ((factor * 0x2545_f491_4f6c_dd1dn) & word) | 1n;
    }
  }
  // Two names that cannot be told apart.
  throw new Uncovered();
}

// A new document has thousands of them multiplied, which takes BigInt twenty times as long.
type Halves = readonly [high: number, low: number];

function halvesOf(value: bigint): Halves {
  return [Number(value >> 32n), Number(value & 0xffff_ffffn)];
}

/** The high half of what a product has in its lowest 64 bits. */
function highHalfOf([high, low]: Halves, [otherHigh, otherLow]: Halves): number {
  const [a, b, c, d] = [low >>> 16, low & 0xffff, otherLow >>> 16, otherLow & 0xffff];
  const middle = a * d + Math.floor((b * d) / 0x1_0000);
  const other = b * c + (middle % 0x1_0000);
  const carried = a * c + Math.floor(middle / 0x1_0000) + Math.floor(other / 0x1_0000);
  return (carried + Math.imul(high, otherLow) + Math.imul(low, otherHigh)) >>> 0;
}
