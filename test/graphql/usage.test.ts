import { buildSchema, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createUsageReader, type Usage } from '../../src/graphql/usage.ts';

const schema = buildSchema(`
  type Query { old: Int @deprecated(reason: "Use row.")  row(by: Filter, size: Size, was: Int @deprecated): Row  rows(all: [Filter!]): [Row] }
  interface Named { name: String }
  type Row implements Named { name: String  size(in: Size): Int  next: Row }
  input Filter { name: String  title: String @deprecated(reason: "Use name.")  inner: Filter  sizes: [Size!] }
  enum Size { SMALL LARGE HUGE @deprecated(reason: "Use LARGE.") }
`);
const readUsage = createUsageReader(schema);

function usageOf(text: string, variables: Readonly<Record<string, unknown>> = {}, name?: string) {
  const document = parse(text);
  const operation = getOperationAST(document, name);
  if (operation == null) throw new Error('There is no such operation.');
  const usage = readUsage(document, operation, variables);
  return { coordinates: [...usage.keys()].sort(), deprecated: deprecatedIn(usage) };
}

const deprecatedIn = (usage: Usage) => Object.fromEntries([...usage].filter(([, reason]) => reason !== null));

test('a field counts once, by the type on which it is selected, in fragments and under other names', () => {
  const { coordinates } = usageOf(`
    { a: row { ...F name } b: row { next { name ... on Named { name } } } __typename __schema { types { name } } }
    fragment F on Row { name __typename }
    fragment Unused on Row { size }
  `);
  expect(coordinates).toEqual(['Named.name', 'Query.row', 'Row.name', 'Row.next']);
});

test.for([
  ['a field', '{ old }', { 'Query.old': 'Use row.' }],
  ['an argument', '{ row(was: 1) { name } }', { 'Query.row(was:)': 'No longer supported' }],
  ['an input field', '{ row(by: { inner: { title: "a" } }) { name } }', { 'Filter.title': 'Use name.' }],
  ['an enum value', '{ row { size(in: HUGE) } }', { 'Size.HUGE': 'Use LARGE.' }],
  ['nothing', '{ row(by: { name: "a" }, size: LARGE) { name } }', {}],
] as const)('%s that is deprecated is found in a document', ([, text, deprecated]) => {
  const usage = usageOf(text);
  expect(usage.deprecated).toEqual(deprecated);
  expect(usage.coordinates).toEqual(expect.arrayContaining(Object.keys(deprecated)));
});

test.for([
  ['an object within', { by: { inner: { inner: { title: null } } } }, { 'Filter.title': 'Use name.' }],
  [
    'a list',
    { all: [{ name: 'a' }, { title: 'b', sizes: ['HUGE'] }] },
    { 'Filter.title': 'Use name.', 'Size.HUGE': 'Use LARGE.' },
  ],
  ['an enum value', { size: 'HUGE' }, { 'Size.HUGE': 'Use LARGE.' }],
  ['nothing deprecated', { by: { name: 'a', inner: null }, all: [], size: 'SMALL' }, {}],
] as const)('of variables, %s is looked through in each request', ([, variables, deprecated]) => {
  const text =
    'query ($by: Filter, $all: [Filter!], $size: Size) { row(by: $by, size: $size) { name } rows(all: $all) { name } }';
  const document = parse(text);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('There is no operation.');
  const before = readUsage(document, operation, {});
  expect(deprecatedIn(readUsage(document, operation, variables))).toEqual(deprecated);
  expect(readUsage(document, operation, {})).toEqual(before);
});
