import { expect, test } from 'vitest';
import type { Violation } from '../../../src/errors.ts';
import { CountedViolations } from '../../../src/http/response/error-response.ts';

const violationAt = (holder: object, key: string): Violation => ({
  coordinate: `Query.${key}`,
  kind: 'wrong_type',
  place: { holder, key },
});

test('a value counts once in a response, however many errors it causes, and again in the next response', () => {
  const [record, other] = [{}, {}];
  const withoutPlace: Violation = { coordinate: 'Query.a', kind: 'contradiction' };
  const violations = [
    violationAt(record, 'a'),
    violationAt(record, 'a'),
    violationAt(record, 'b'),
    violationAt(other, 'a'),
    withoutPlace,
    withoutPlace,
  ];
  const isNewOf = (values: CountedViolations): boolean[] => violations.map((violation) => values.isNew(violation));
  const first = new CountedViolations();
  expect(isNewOf(first)).toEqual([true, false, true, true, true, false]);
  expect(isNewOf(first)).not.toContain(true);
  expect(isNewOf(new CountedViolations())).toEqual([true, false, true, true, true, false]);
});
