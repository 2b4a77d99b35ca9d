import { numberOf, recordIn, type JsonObject } from '../../json.ts';
import { int32Of, type Leaf } from './leaf.ts';

const digits = /^\d{1,20}$/;

/** The code of an attempt's error: an integer, or the same as text. */
export const errorCodeLeaf: Leaf = {
  expected: 'an integer of at most 32 bits, or its digits,',
  read: codeOf,
  code: '(v | 0) === v',
};

/** An attempt's error as its code: an integer, as the contract has it, or an object with a code, as the API publishes it. */
export const attemptErrorLeaf: Leaf = {
  expected: 'an integer of at most 32 bits, or an object with such a code,',
  read: (value) => int32Of(value) ?? codeOf(recordIn(value)?.['code']),
  // The type is tested first: an object as an operand would be converted to text.
  code: 'typeof v === "number" && (v | 0) === v',
  takes: 'integer',
};

/** An attempt's error as an object, of an integer with the code alone; undefined for anything else. */
export function attemptErrorIn(value: unknown): JsonObject | undefined {
  return numberOf(value) === undefined ? recordIn(value) : { code: value };
}

function codeOf(value: unknown): number | undefined {
  return int32Of(typeof value === 'string' && digits.test(value) ? Number(value) : value);
}
