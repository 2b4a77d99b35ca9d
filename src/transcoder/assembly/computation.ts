import { writeSum } from './decimal-sum';
import { out, OUTPUT_END, writeByte } from './memory';

// What is computed of the members of a record. src/graphql/execution/transcoder/tables.ts has the same numbers.
const NODE_ID: u32 = 0;

const ALPHABET = memory.data<u8>([
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53,
  0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c,
  0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x30, 0x31, 0x32, 0x33, 0x34,
  0x35, 0x36, 0x37, 0x38, 0x39, 0x2d, 0x5f,
]);

// ",", "]" and "null]" as they end a nodeId.
const COMMA = memory.data<u8>([0x2c]);
const END = memory.data<u8>([0x5d]);
const NULL_END = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c, 0x5d]);

/** Writes what is computed of two values; false where that is not for here. */
export function compute(computation: usize, slot: usize, other: usize): bool {
  return load<u32>(computation) == NODE_ID ? nodeId(computation, slot, other) : writeSum(slot, other);
}

/** Type, identifier and hint as JSON in base64url, as src/graphql/identity/node-id.ts has them. */
function nodeId(computation: usize, slot: usize, other: usize): bool {
  const id: usize = load<u32>(slot);
  const idLength = load<u32>(slot, 4);
  // Every row with a nodeId has an identifier.
  if (load<u8>(id) != 0x22) return false;
  const hint: usize = load<u32>(other);
  const hintLength = load<u32>(other, 4);
  const hasHint = load<i32>(computation, 4) >= 0 && load<u8>(hint) == 0x22;
  // A long hint may be too long, by its characters.
  if (hasHint && hintLength > load<u32>(computation, 8) + 2) return false;
  const prefixLength = load<u32>(computation, 16);
  const bytes: usize = prefixLength + idLength + hintLength + 8;
  if (out + (bytes << 1) > OUTPUT_END) return false;
  writeByte(0x22);
  carried = 0;
  encode(load<u32>(computation, 12), prefixLength);
  encode(id, idLength);
  encode(COMMA, 1);
  if (hasHint) {
    encode(hint, hintLength);
    encode(END, 1);
  } else encode(NULL_END, 5);
  encodeEnd();
  return writeByte(0x22);
}

// Bytes that wait for a third one, and how many.
let carry: u32 = 0;
let carried: u32 = 0;

function encode(from: usize, length: u32): void {
  for (let at = from; at < from + length; at++) {
    carry = (carry << 8) | load<u8>(at);
    if (++carried < 3) continue;
    carried = 0;
    writeSextet(carry >> 18);
    writeSextet(carry >> 12);
    writeSextet(carry >> 6);
    writeSextet(carry);
  }
}

function encodeEnd(): void {
  if (carried == 1) {
    writeSextet(carry >> 2);
    writeSextet(carry << 4);
  } else if (carried == 2) {
    writeSextet(carry >> 10);
    writeSextet(carry >> 4);
    writeSextet(carry << 2);
  }
}

function writeSextet(bits: u32): void {
  writeByte(load<u8>(ALPHABET + (bits & 63)));
}
