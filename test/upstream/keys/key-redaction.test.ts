import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutKey } from '../../../src/upstream/credential.ts';
import { runs } from '../../support/runs.ts';

const keyCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/';
const randomKey = fc.string({ unit: fc.constantFrom(...Array.from(keyCharacters)), minLength: 8, maxLength: 40 });
/** Keys that repeat themselves, or look like percent-encoding without its signs. */
const oddKey = fc
  .tuple(
    fc.constantFrom('a', 'ab', '25', '2', '41', '252541', '5', 'aab'),
    fc.integer({ min: 4, max: 12 }),
    fc.constantFrom('', 'b', '+', '41'),
  )
  .map(([unit, times, end]) => unit.repeat(times) + end)
  .filter((key) => key.length >= 8);
const anyKey = fc.oneof(randomKey, oddKey);

/** The ways in which a key is promised to be hidden, written down a second time. */
function spellingsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  const base64 = (['base64', 'base64url'] as const).flatMap((alphabet) =>
    [0, 1, 2].map((lead) => {
      const whole = Buffer.concat([Buffer.alloc(lead), bytes]).toString(alphabet);
      return whole.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
    }),
  );
  return [key, hex, hex.toUpperCase(), ...base64];
}

/** Percent-encodes each character as often as the next number of the list says. */
function encoded(text: string, often: readonly number[]): string {
  return Array.from(text, (character, index) => {
    const times = often[index % Math.max(1, often.length)] ?? 0;
    const digits = character.charCodeAt(0).toString(16).padStart(2, '0');
    return times === 0 ? character : `%${'25'.repeat(times - 1)}${times % 2 === 0 ? digits.toUpperCase() : digits}`;
  }).join('');
}

/** Decoded however often it was encoded. */
function decoded(text: string): string {
  return text.replaceAll(/%(?:25)*(?!25)([\da-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Whether a text shows so many characters of a key in a row, in any spelling. */
function shows(text: string, key: string, length: number): boolean {
  const shown = [text, decoded(text)];
  return spellingsOf(key).some((spelling) => {
    for (let from = 0; from + length <= spelling.length; from++)
      if (shown.some((each) => each.includes(spelling.slice(from, from + length)))) return true;
    return false;
  });
}

/** Text of any kind, and such that looks like percent-encoding or like a part of the key. */
const around = (key: string) =>
  fc
    .array(
      fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.string({ unit: fc.constantFrom('%', '2', '5', '4', '1', 'a', 'A'), maxLength: 12 }),
        fc.nat(key.length).map((length) => key.slice(0, length)),
        fc.nat(key.length).map((length) => key.slice(length)),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(''));

/** A key with one of its spellings, how often each character of that is encoded, and texts to stand around it. */
const cases = (keys: fc.Arbitrary<string>) =>
  keys
    .chain((key) => {
      const spelling = fc.constantFrom(...spellingsOf(key));
      const often = fc.array(fc.nat(3), { maxLength: 6 });
      return fc.record({ key: fc.constant(key), spelling, before: around(key), after: around(key), often });
    })
    .filter(({ spelling }) => spelling.length >= 8);

test('every spelling of a key is hidden, and nothing else', () => {
  fc.assert(
    fc.property(cases(randomKey), ({ key, spelling, often }) => {
      expect(withoutKey(`### ${encoded(spelling, often)} ###`, key)).toBe('### [redacted] ###');
    }),
    { numRuns: runs(100) },
  );
  // The alphabets of base64 differ in the signs of this key.
  for (const alphabet of ['base64', 'base64url'] as const)
    expect(withoutKey(Buffer.from('ab~ab~ab~').toString(alphabet), 'ab~ab~ab~')).toBe('[redacted]');
});

test('eight characters of a key in a row are hidden in any text that shows its beginning, and no text without them changes', () => {
  fc.assert(
    fc.property(cases(anyKey), ({ key, spelling, before, after, often }) => {
      const text = before + encoded(spelling, often) + after;
      expect(shows(withoutKey(text, key).replaceAll('[redacted]', '\0'), key, 8)).toBe(false);
      for (const other of [before, after]) if (!shows(other, key, 8)) expect(withoutKey(other, key)).toBe(other);
    }),
    { numRuns: runs(100) },
  );
});

test('a text that is cut holds no ten characters of a key in a row, wherever the cut falls', () => {
  const cuts = fc.record({
    limit: fc.integer({ min: 1, max: 200 }),
    upstreamCut: fc.integer({ min: 1, max: 300 }),
    length: fc.nat(120),
    mark: fc.constantFrom('', '…', '...', '"'),
  });
  fc.assert(
    fc.property(cases(randomKey), cuts, ({ key, spelling, often }, { limit, upstreamCut, length, mark }) => {
      const whole = '#'.repeat(length) + encoded(spelling, often) + '#'.repeat(length);
      const told = withoutKey(whole.slice(0, upstreamCut) + mark, key, limit);
      expect(told.length).toBeLessThanOrEqual(limit);
      expect(shows(told, key, 10)).toBe(false);
    }),
    { numRuns: runs(200) },
  );
  expect(withoutKey('the end abcdefg', 'abcdefg', 100)).toBe('the end [redacted]');
  expect(withoutKey('the end abcdef', 'abcdefg', 100)).toBe('the end abcdef');
});
