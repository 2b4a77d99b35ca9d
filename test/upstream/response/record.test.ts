import { afterAll, describe } from 'vitest';
import { expect, startGateway, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { at, nouns, startsWith } from './nouns.ts';
import { fieldPathOf, placesIn, withValue, type Path, isPairs } from '../../support/records.ts';

// Every place of a full record of every noun, and in each of them every kind of value that the contract does not allow there;
// test/nightly/huge-value.test.ts has the huge ones.

const number = 12_345_678;
const mutations: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  'canary-text',
  number,
  true,
  records.rawNumber('1e999'),
];

let started: Gateway | undefined;
/** One gateway for all records: nothing is kept. */
async function gatewayBefore({ baseUrl }: ScriptedUpstream): Promise<Gateway> {
  started ??= await startGateway(baseUrl, { EXPOSE_SECRETS: 'true', UPSTREAM_BREAKER_OPEN_MS: '1' });
  return started;
}
afterAll(() => started?.close());

describe.for(nouns)('a value that $field cannot show', ({ field, record, isList, document, rowPath, replyOf }) => {
  test('is none in a valid record: every field comes through', async ({ upstream }) => {
    const gateway = await gatewayBefore(upstream);
    upstream.script(() => replyOf([record]));
    const { data, errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    for (const place of placesIn(record)) {
      const shown = at(at(data, rowPath(0)), fieldPathOf(place));
      const sent = at(record, place);
      if (typeof sent === 'object') expect(shown).toBeTypeOf('object');
      else expect(shown).toBe(sent);
    }
  });

  test.for(placesIn(record).map((place) => ({ place, name: place.join('.') })))(
    'costs no more than itself: $name',
    async ({ place }, { upstream }) => {
      const gateway = await gatewayBefore(upstream);
      // A list shows all mutations at once, between two good rows; a report one after another.
      const mutants = mutations.map((value) => withValue(record, place, value));
      const batches = isList ? [[record, ...mutants, record]] : mutants.map((mutant) => [mutant]);
      upstream.script(() => replyOf([record]));
      const whole = at((await gateway.query(document)).data, rowPath(0));
      for (const [batch, rows] of batches.entries()) {
        upstream.script(() => replyOf(rows));
        const { data, errors } = await gateway.query(document);
        for (const { message, extensions } of errors) {
          expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
          expect(message).not.toMatch(/canary|12345678|999|Infinity/);
        }
        for (const [index, row] of rows.entries()) {
          const path = rowPath(index);
          const told = errors
            .filter((error) => startsWith(error.path, path))
            .map((error): Path => error.path.slice(path.length));
          const value = row === record ? 'untouched' : mutations[isList ? index - 1 : batch];
          checkRow(place, value, at(data, path), whole, row === record ? null : told, field === 'chargesSummary');
          if (row === record) expect(told).toEqual([]);
        }
      }
    },
  );
});

/** What a row may have lost, given the value that was put in its place and the paths of its errors (null: untouched). */
function checkRow(
  place: Path,
  value: unknown,
  shown: unknown,
  whole: unknown,
  told: readonly Path[] | null,
  isRequired: boolean,
): void {
  if (told === null) return expect(shown).toEqual(whole);
  const field = fieldPathOf(place);
  const isMember = typeof place.at(-1) === 'number' && typeof place.at(-2) === 'number';
  // The line of a summary is told by its type, and a pair without one of its members is none.
  const blamed = place.at(-1) === 'type' || (isMember && value === undefined) ? field.slice(0, -1) : field;
  for (const path of told) expect([path, startsWith(path, blamed)]).toEqual([path, true]);

  const lost = firstDifference(shown, whole);
  if (lost === null) return expect(told).toEqual([]);
  expect([lost, startsWith(field, lost) || startsWith(lost, field)]).toEqual([lost, true]);
  const isNull = at(shown, lost) === null;
  // A null that nobody sent is told of; a required field's null too, and it goes no further than it must.
  if (isNull && (value != null || lost.length < field.length)) expect(told).not.toEqual([]);
  if (isNull) expect(lost.length).toBeGreaterThanOrEqual(isRequired ? nullableParentOf(field) : blamed.length);
  if (!isNull && lost.length === field.length && !isObject(value) && value !== undefined) {
    // An identifier may be an integer.
    const text = typeof value === 'number' && /(?:^|_)id$/.test(String(place.at(-1))) ? String(value) : value;
    expect(at(shown, lost)).toEqual(isHeader(place) ? { name: value, value: null } : text);
  }
  return undefined;
}

/** Whether a place is that of a header as a whole, which may be text as well as a pair. */
function isHeader(place: Path): boolean {
  return typeof place.at(-1) === 'number' && isPairs(String(place.at(-2)));
}

/** Depth of the nearest field of a charges summary that may be null: a line, an adjustment, a one-time charge, or the whole. */
function nullableParentOf(field: Path): number {
  if (field.at(-1) === 'otc') return field.length;
  return field[0] === 'summary' && field.length > 2 ? 3 : 0;
}

/** The innermost path below which all differences of two answers lie; null where there are none. */
function firstDifference(left: unknown, right: unknown, path: Path = []): Path | null {
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    const differences = [...names].flatMap((name) => {
      const key = Array.isArray(right) ? Number(name) : name;
      return [firstDifference(left[name], right[name], [...path, key]) ?? []].filter((found) => found.length > 0);
    });
    if (differences.length === 0) return null;
    return differences.length === 1 ? (differences[0] ?? null) : path;
  }
  return Object.is(left, right) ? null : path;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
