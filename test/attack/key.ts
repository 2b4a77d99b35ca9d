import fc from 'fast-check';
import { headerText } from './text.ts';

/** The caller: without a key, with a key that the API does not know, or with one that it knows. */
export type Standing = 'no key' | 'made-up key' | 'good key';

/** The credential of a stranger. */
export interface Credential {
  readonly standing: Standing;
  /** The Authorization header; null for none. */
  readonly authorization: string | null;
}

/** The stranger's key that the API knows: it reads its own data, and attacks with it. */
export const strangersKey = 'stranger-with-an-account-of-its-own';

/** The beginning of every made-up key: a response that contains it has revealed the key. */
export const madeUpKey = 'made-up-by-a-stranger';

const schemes = ['Bearer ', 'bearer  ', 'Basic ', '', 'Bearer'];
const longestKey = 6_000;

/** The credential with which a stranger reads its own data. */
export const goodCredential: Credential = { standing: 'good key', authorization: `Bearer ${strangersKey}` };

/** No key, a good one, one of many made-up keys, or a header that has no key. */
export const credential: fc.Arbitrary<Credential> = fc.oneof(
  { arbitrary: fc.constant<Credential>({ standing: 'no key', authorization: null }), weight: 4 },
  { arbitrary: fc.constant(goodCredential), weight: 3 },
  { arbitrary: fc.nat({ max: 9_999 }).map((number) => madeUp(`Bearer ${madeUpKey}-${number}`)), weight: 2 },
  {
    arbitrary: fc.tuple(fc.constantFrom(...schemes), headerText(longestKey)).map((parts) => madeUp(parts.join(''))),
    weight: 2,
  },
);

function madeUp(authorization: string): Credential {
  return { standing: 'made-up key', authorization };
}
