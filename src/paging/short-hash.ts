const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const triples = 18;

/**
 * 36 bits of a hash of a text, as six characters of base64url: evenly spread, quick, the same in every process, and no secret. A
 * caller who makes two texts of one hash only confuses rows of the caller's own lists.
 */
export function shortHash(text: string): string {
  let left = 0x243f_6a88 ^ text.length;
  let right = 0x85a3_08d3;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    left = Math.imul(rotated(left ^ unit, 13), 0xcc9e_2d51);
    right = Math.imul(rotated(right ^ unit, 17), 0x1b87_3593) + left;
  }
  left = mixed(left ^ right);
  right = mixed(right + left);
  return threeOf(left >>> (32 - triples)) + threeOf(right >>> (32 - triples));
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** Each bit of a value has a part in each bit of the result (the last step of MurmurHash3). */
function mixed(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return second ^ (second >>> 16);
}

function threeOf(bits: number): string {
  return alphabet.charAt(bits >>> 12) + alphabet.charAt((bits >>> 6) & 63) + alphabet.charAt(bits & 63);
}
