import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCalendarDate } from '../../src/moment.ts';

const number = (most: number, digits: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(digits, '0'));
const nearDate = fc.tuple(number(9_999, 4), number(14, 2), number(33, 2)).map((parts) => parts.join('-'));
const spoiled = fc
  .tuple(nearDate, fc.nat(10), fc.constantFrom('/', ':', '0', '-', ' ', '٣', '\n', '\u0130', ''))
  .map(([date, at, text]) => date.slice(0, at) + text + date.slice(at + 1));

/** A date that a Date reads, and writes as it was. */
function isDateOfCalendar(text: string): boolean {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return moment !== null && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

test('a calendar date is one that the calendar of Date has', () => {
  fc.assert(
    fc.property(fc.oneof(nearDate, spoiled, fc.string()), (text) => {
      expect(isCalendarDate(text)).toBe(isDateOfCalendar(text));
    }),
    { numRuns: 5_000, examples: [['2000-02-29'], ['1900-02-29'], ['2024-02-29'], ['0000-02-29'], ['2026-10-01\n']] },
  );
});
