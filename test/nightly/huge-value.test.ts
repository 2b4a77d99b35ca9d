import { expect, test } from '../support/gateway.ts';
import { fieldPathOf, placesIn, withValue, type Path } from '../support/records.ts';
import { at, nouns, startsWith } from '../upstream/response/nouns.ts';

// A mark stands for a value that is too large for JSON.stringify, until it is sent.
const large = 100_000;
const huge: Readonly<Record<string, string>> = {
  'a text of a hundred thousand characters': JSON.stringify('canary'.padEnd(large, 'x')),
  'a number of a hundred thousand digits': '7'.repeat(large),
  'a fraction of a hundred thousand digits': `7.${'7'.repeat(large)}`,
  'lists five thousand deep': '['.repeat(5_000) + ']'.repeat(5_000),
  'objects five thousand deep': '{"canary":'.repeat(5_000) + '7' + '}'.repeat(5_000),
  'a value of tomorrow': '"canary-of-tomorrow"',
};
const marks = Object.keys(huge);

function written(body: unknown): string {
  return JSON.stringify(body).replace(/"mark (\d)"/g, (_match, index) => huge[marks[Number(index)] ?? ''] ?? '');
}

test.for(nouns)(
  'a huge value costs no more than its own field: $field',
  async ({ record, isList, document, rowPath, replyOf }, { startWith, upstream }) => {
    const gateway = await startWith({ EXPOSE_SECRETS: 'true', LOG_LEVEL: 'error' });
    upstream.script(() => replyOf([record]));
    const whole = at((await gateway.query(document)).data, rowPath(0));
    for (const place of placesIn(record)) {
      const mutants = marks.map((_name, index) => withValue(record, place, `mark ${index}`));
      // A list shows all of them at once, between two good rows; a report one after another.
      for (const rows of isList ? [[record, ...mutants, record]] : mutants.map((mutant) => [mutant])) {
        const { json } = replyOf(rows);
        upstream.script(() => ({ text: written(json), headers: { 'content-type': 'application/json' } }));
        const { status, data, errors } = await gateway.query(document);
        expect([place, status]).toEqual([place, 200]);
        for (const { message, path, extensions } of errors) {
          expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
          expect([place, message]).toEqual([place, expect.not.stringMatching(/canary|777|xxx/)]);
          expect([place, path, nameOf(place, path, isList ? 3 : 1)]).toEqual([place, path, true]);
        }
        for (const [index, row] of rows.entries()) {
          const shown = at(data, rowPath(index));
          if (row === record) expect(shown).toEqual(whole);
          // A row that a required field nulls has an error itself.
          if (shown === null) expect(errors.some(({ path }) => startsWith(path, rowPath(index)))).toBe(true);
        }
      }
    }
    expect(gateway.log).toEqual([]);
  },
);

/** Whether an error's path leads to the mutated place, or to where a value of the wrong kind cannot be entered. */
function nameOf(place: Path, path: Path, rowLength: number): boolean {
  const told = path.slice(rowLength);
  const field = fieldPathOf(place);
  return startsWith(field, told) || startsWith(told, field);
}
