import fc from 'fast-check';
import { headerText } from './text.ts';

/** Who asks: nobody, somebody with a key that the API does not know, or somebody with one that it knows. */
export type Standing = 'no key' | 'made-up key' | 'good key';

/** What a stranger shows. */
export interface Credential {
  readonly standing: Standing;
  /** What the Authorization header says; null for none. */
  readonly authorization: string | null;
}

/** The key that the API knows; it reads what is its own, and does its worst with it. */
export const strangersKey = 'stranger-with-an-account-of-its-own';

/** How a key begins that was made up: what of it is found in an answer was told. */
export const madeUpKey = 'made-up-by-a-stranger';

const schemes = ['Bearer ', 'bearer  ', 'Basic ', '', 'Bearer'];
const longestKey = 6_000;

/** No key, a good one, one of many that are made up, and what is none at all. */
export const credential: fc.Arbitrary<Credential> = fc.oneof(
  { arbitrary: fc.constant<Credential>({ standing: 'no key', authorization: null }), weight: 4 },
  { arbitrary: fc.constant<Credential>({ standing: 'good key', authorization: `Bearer ${strangersKey}` }), weight: 3 },
  { arbitrary: fc.nat({ max: 9_999 }).map((number) => madeUp(`Bearer ${madeUpKey}-${number}`)), weight: 2 },
  {
    arbitrary: fc.tuple(fc.constantFrom(...schemes), headerText(longestKey)).map((parts) => madeUp(parts.join(''))),
    weight: 2,
  },
);

function madeUp(authorization: string): Credential {
  return { standing: 'made-up key', authorization };
}
