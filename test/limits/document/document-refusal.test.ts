import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { refusalOf, type DocumentLimits, workPerToken } from '../../../src/limits/document-limits.ts';

const schema = buildSchema('type Query { a: Query b(x: Int): Int }');
const roomy: DocumentLimits = { limitTokens: 1_000, limitDepth: 1_000, limitAliases: 1_000, limitRootFields: 1_000 };

const judge = (text: string, limits: Partial<DocumentLimits>) =>
  refusalOf(parse(text), schema, { ...roomy, ...limits });

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
  [size, '{ b } fragment F on Query { b b b }', 3],
  [size, 'query A { b } query B { b b }', 2],
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

test.for<readonly [text: string, work: number]>([
  ['query A { ...F } query B { ...F } query C { ...F } query D { ...F } fragment F on Query { b b }', 12],
  ['query A { b } query B { b } fragment F on Query { b b } fragment G on Query { b b }', 6],
])('the work of validation of %s is %i', ([text, work]) => {
  const tokens = work / workPerToken;
  expect(judge(text, { limitTokens: tokens })).toBeNull();
  const counted = 'fields of all operations, with all fragments written out';
  const limit = (tokens - 1) * workPerToken;
  expect(judge(text, { limitTokens: tokens - 1 })).toEqual(refusal('size', work, counted, limit));
});

test('names of fragments are few: one for 15 tokens, and a hundred in any case', () => {
  const names = Array.from({ length: 400 }, (_, index) => `...F${index}`);
  const spread = (count: number): string => `{ ${names.slice(0, count).join(' ')} }`;
  for (const [tokens, most] of [
    [400, 100],
    [3_000, 200],
  ] as const) {
    expect(judge(spread(most), { limitTokens: tokens })).toBeNull();
    expect(judge(spread(most + 1), { limitTokens: tokens })).toEqual(refusal('fragments', most + 1, 'of them', most));
  }
});

test('fragments that form a cycle are refused as such, whatever the limits are', () => {
  const cycle = '{ b ...F } fragment F on Query { ...G } fragment G on Query { a { ...F } }';
  expect(judge(cycle, { limitTokens: 0 })?.message).toBe('Cannot spread fragment "F" within itself via "G".');
});
