import { readdirSync, readFileSync } from 'node:fs';
import { mergePayload, parseExactly } from '../../explorer/answer.ts';
import { describe, expect, testOfSandbox } from '../support/gateway.ts';

const folder = new URL('../../explorer/examples/', import.meta.url);
const examples = readdirSync(folder)
  .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split(/\n\n(?=#)/))
  .map((text) => [/^(?:query|subscription) (\w+)/m.exec(text)?.[1] ?? '', text] as const)
  .filter(([name]) => !['LiveDeliveries', 'Pieces'].includes(name));

const test = testOfSandbox();

test.for(examples)('the example %s of GraphiQL has the answer that it should', async ([name, text], { gateway }) => {
  const { data, errors } = await gateway.query(text, { key: 'sandbox-key' });
  const refused = name === 'Error' ? [[['chargesSummary'], 'BAD_USER_INPUT']] : [];
  expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(refused);
  expect(Object.values(data).filter((value) => value === null)).toHaveLength(refused.length);
});

describe('GraphiQL shows an answer', () => {
  test('with numbers as they were sent', () => {
    const text = '{"a":9007199254740993,"b":[1.10,1e400,-0],"c":1.5,"d":"9007199254740993"}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  test('with the pieces of @defer in their places, also where they overlap', () => {
    const first = mergePayload(null, { data: { a: { b: 1, list: [{ c: 1 }] } }, hasNext: true });
    const merged = mergePayload(first, {
      incremental: [
        { path: [], data: { a: { d: 2 } } },
        { path: ['a', 'list', 0], data: { e: null }, errors: [{ message: 'no e' }] },
      ],
      extensions: { cost: 1 },
      hasNext: false,
    });
    expect(merged).toEqual({
      data: { a: { b: 1, d: 2, list: [{ c: 1, e: null }] } },
      errors: [{ message: 'no e' }],
      extensions: { cost: 1 },
    });
  });
});
