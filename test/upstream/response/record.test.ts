import { afterAll, describe } from 'vitest';
import { expect, startGateway, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import {
  fieldPathOf,
  isPairs,
  placesIn,
  rawNumber,
  withValue,
  type JsonRecord,
  type Path,
} from '../../support/records.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { at, nouns, startsWith } from './nouns.ts';

// Every place of a full record of every noun, and in each of them every kind of value that the contract does not allow there;
// test/nightly/huge-value.test.ts has the huge ones.

const mutations: readonly unknown[] = [undefined, null, {}, [], 'canary-text', 12_345_678, true, rawNumber('1e999')];

let started: Gateway | undefined;
/** One gateway for all records: nothing is kept. */
async function gatewayBefore({ baseUrl }: ScriptedUpstream): Promise<Gateway> {
  started ??= await startGateway(baseUrl, { EXPOSE_SECRETS: 'true', UPSTREAM_BREAKER_OPEN_MS: '1' });
  return started;
}
afterAll(() => started?.close());

describe.for(nouns)('a value that $field cannot show', ({ record, isList, document, rowPath, replyOf }) => {
  test('is none in a valid record: every field comes through', async ({ upstream }) => {
    const gateway = await gatewayBefore(upstream);
    upstream.script(() => replyOf([record]));
    const data = await gateway.data(document);
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
          if (row === record) expect([told, at(data, path)]).toEqual([[], whole]);
          else checkRow(place, mutations[isList ? index - 1 : batch], at(data, path), whole, told);
        }
      }
    },
  );
});

/** What a row may have lost, given the value that was put in its place and the paths of its errors. */
function checkRow(place: Path, value: unknown, shown: unknown, whole: unknown, told: readonly Path[]): void {
  const field = fieldPathOf(place);
  const isItem = typeof place.at(-1) === 'number';
  // The line of a summary is told by its type, a pair without one of its members is none, and without an item a list is another one.
  const blamed = place.at(-1) === 'type' || (isItem && value === undefined) ? fieldPathOf(place.slice(0, -1)) : field;
  for (const path of told) expect([path, startsWith(path, blamed)]).toEqual([path, true]);
  // What is required in a charges summary takes the nearest object with it that may be null.
  const isRequired = at(whole, ['summary', 'lines']) !== undefined && field.at(-1) !== 'otc';
  const lost = isRequired && at(shown, blamed) == null ? field.slice(0, nullable(field)) : blamed;
  expect(without(shown, lost)).toEqual(without(whole, lost));

  const left = at(shown, lost);
  // A null that nobody sent is told of, and nothing else is.
  if (left === null && (value != null || lost.length < field.length)) expect(told).not.toEqual([]);
  if (left !== null) expect(told).toEqual([]);
  if (left === null || value === undefined || typeof value === 'object' || lost.length < field.length) return;
  // An identifier may be an integer, and a header text as well as a pair.
  const isIdentifier = typeof value === 'number' && /(?:^|_)id$/.test(String(place.at(-1)));
  const isHeader = isItem && isPairs(String(place.at(-2)));
  expect(left).toEqual(isHeader ? { name: value, value: null } : isIdentifier ? String(value) : value);
}

/** Depth of the nearest object of a charges summary that may be null: a line, an adjustment, or the whole. */
function nullable(field: Path): number {
  return field[0] === 'summary' && field.length > 2 ? 3 : 0;
}

function without(row: unknown, path: Path): unknown {
  return path.length === 0 || row === null ? null : withValue(row as JsonRecord, path, undefined);
}
