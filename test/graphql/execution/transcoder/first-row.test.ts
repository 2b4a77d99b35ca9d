import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstRowBytes } from '../../../../src/bounds.ts';
import { firstRowOf } from '../../../../src/graphql/execution/transcoder/first-row.ts';
import { ReceivedBody } from '../../../../src/upstream/response/received-body.ts';

const row = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

/** A body in chunks of so many bytes. */
function received(text: string, size = text.length + 1): ReceivedBody {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return new ReceivedBody(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
  );
}

test('finds the first row, whatever it and the rows behind it hold', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), space, fc.integer({ min: 1, max: 50 }), (rows, gap, size) => {
      const [first = '{}', ...others] = rows.map((each) => JSON.stringify(each));
      const text = `${gap}{${gap}"data"${gap}:${gap}[${gap}${[first, ...others].join(`${gap},${gap}`)}]${gap},"meta":{}}`;
      expect(firstRowOf(received(text, size))).toEqual(JSON.parse(first));
    }),
  );
});

test.for([
  ['no list', '{"data":{}}'],
  ['no row', '{"data":[]}'],
  ['a row that is no object', '{"data":[[{}]]}'],
  ['another member first', '{"meta":{},"data":[{}]}'],
  ['a row without an end', '{"data":[{"a":"\\"'],
  ['a row that is no JSON', '{"data":[{"a":01}]}'],
  ['a row beyond the bound', `{"data":[{"a":"${'x'.repeat(firstRowBytes)}"}]}`],
  ['nothing', ''],
])('finds none in a body with %s', ([, text = '']) => {
  expect(firstRowOf(received(text))).toBeUndefined();
});
