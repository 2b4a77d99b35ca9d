import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { excessIn, type DocumentLimits } from '../../../src/limits/document-limits.ts';

const roomy: DocumentLimits = { limitTokens: 1_000, limitDepth: 1_000, limitAliases: 1_000, limitRootFields: 1_000 };

const judge = (text: string, limits: Partial<DocumentLimits>) => excessIn(parse(text), { ...roomy, ...limits });

const refusal = (name: string, actual: number, counted: string, limit: number) =>
  expect.objectContaining({
    code: 'QUERY_TOO_COMPLEX',
    message: `The query is beyond the limit for ${name}: ${actual} ${counted}, where ${limit} are allowed. Ask for less at a time.`,
    details: expect.objectContaining({ excess: { limit, actual } }),
  });

type Kind = readonly [limit: keyof DocumentLimits, name: string, counted: string];
const size: Kind = ['limitTokens', 'size', 'fields with all fragments written out'];
const nesting: Kind = ['limitDepth', 'depth', 'levels of fragments'];
const depth: Kind = ['limitDepth', 'depth', 'levels'];
const rootFields: Kind = ['limitRootFields', 'root fields', 'of them'];
const aliases: Kind = ['limitAliases', 'aliases', 'aliases and repeated fields'];

test.for<readonly [kind: Kind, text: string, measure: number]>([
  [size, '{ a { b b } ...F } fragment F on Query { b }', 5],
  [size, '{ ...F ...F } fragment F on Query { b b }', 6],
  [size, 'query A { ...F } query B { b ...F } fragment F on Query { b b }', 7],
  [nesting, '{ ...F } fragment F on Query { ...G } fragment G on Query { b }', 2],
  [depth, '{ a { a { b } } b }', 3],
  [depth, '{ a { ...F } } fragment F on Query { a { b } }', 3],
  [depth, 'query A { a { b } } query B { b }', 2],
  [rootFields, '{ b b ... { b } a { b b b b } }', 4],
  [rootFields, 'query A { b } query B { b b }', 2],
  [aliases, '{ x: b a { y: b } b }', 2],
  [aliases, '{ a { b } a { b } a { b } }', 2],
  [aliases, '{ x: a { y: b } x: a { y: b } }', 5],
  [aliases, 'query A { x: b y: b } query B { x: b }', 2],
])('the limit %j counts %s as %i', ([[limit, name, counted], text, measure]) => {
  expect(judge(text, { [limit]: measure })).toBeNull();
  expect(judge(text, { [limit]: measure - 1 })).toEqual(refusal(name, measure, counted, measure - 1));
});

test('fragments are few: one for 15 tokens, and a hundred in any case', () => {
  const fragments = Array.from({ length: 400 }, (_, index) => `fragment F${index} on Query { b }`);
  const having = (count: number): string => `{ b } ${fragments.slice(0, count).join(' ')}`;
  for (const [tokens, most] of [
    [400, 100],
    [3_000, 200],
  ] as const) {
    expect(judge(having(most), { limitTokens: tokens })).toBeNull();
    expect(judge(having(most + 1), { limitTokens: tokens })).toEqual(refusal('fragments', most + 1, 'of them', most));
  }
});
