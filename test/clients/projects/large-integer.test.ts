import fc from 'fast-check';
import { pageOf } from '../../documents/page.ts';
import { expect, test } from './gateway.ts';
import { parseInAnyEngine } from './large-integer';

const blocks = pageOf('docs/client-guide.md').sections.flatMap((section) => section.blocks);
const reviver = blocks.find(({ language }) => language === 'js')?.text ?? '';
// oxlint-disable-next-line typescript/no-implied-eval
const parseBySource = new Function('text', `${reviver}\nreturn response;`) as (text: string) => unknown;

test('lossless-json reads a large integer of a mission digit for digit', async ({ url }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-key' },
    body: JSON.stringify({ query: '{ missions(first: 1) { nodes { metadata } } }' }),
  });
  const text = await response.text();
  expect(parseInAnyEngine(text)).toMatchObject({
    data: { missions: { nodes: [{ metadata: { batch_ref: 9007199254740993n } }] } },
  });
  expect(parseInAnyEngine(text)).toEqual(parseBySource(text));
});

test('lossless-json and the reviver read any number alike', () => {
  const number = fc.oneof(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.constantFrom(2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 0n).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.constantFrom('-0', '1e3', '1E400', '9007199254740993e0', '9007199254740993.0'),
  );
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      const text = `{"numbers":[${numbers.join(',')}]}`;
      expect(parseInAnyEngine(text)).toEqual(parseBySource(text));
    }),
  );
});

test('the reviver fails in an engine without source text, and does not round in silence', () => {
  const native = JSON.parse;
  const parse: typeof native = (text, revive) => native(text, revive && ((name, value) => revive(name, value)));
  // oxlint-disable-next-line typescript/no-implied-eval
  const parseThere = new Function('JSON', 'text', `${reviver}\nreturn response;`);
  expect(() => parseThere({ parse }, '[9007199254740993]')).toThrow(TypeError);
});
