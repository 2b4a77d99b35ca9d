import { buildSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorsPerResponse } from '../../../src/bounds.ts';
import { readConfig } from '../../../src/config.ts';
import { DocumentReader, labelLength } from '../../../src/limits/document-reader.ts';

const schema = buildSchema(`
  directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  type Query { query: Query  list: [Query] }
  type Subscription { s: Query  t: Query }
`);
const reader = new DocumentReader(schema, readConfig({ LIMIT_ROOT_FIELDS: '1000' }));
const messagesOf = (text: string): readonly string[] => reader.errorsOf(parse(text)).map(({ message }) => message);

test('a label of @defer has a bounded length', () => {
  const documentOf = (label: string): string => `{ ... @defer(if: true, label: "${label}") { __typename } }`;
  expect(messagesOf(documentOf('x'.repeat(labelLength)))).toEqual([]);
  expect(messagesOf(documentOf('x'.repeat(labelLength + 1)))).toEqual([
    `The label of @defer may have ${labelLength} characters.`,
  ]);
});

describe('a subscription selects one field, without a condition', () => {
  const condition = (name: string): string => `A subscription selects its field without "@${name}".`;

  test.for<readonly [text: string, message: string | null]>([
    ['subscription { s { __typename } }', null],
    ['subscription { ...F } fragment F on Subscription { ... { s { __typename } } }', null],
    ['query ($y: Boolean!) { query @skip(if: $y) { __typename } list @include(if: $y) { __typename } }', null],
    ['subscription { ...F @skip(if: false) } fragment F on Subscription { s { __typename } }', condition('skip')],
    [
      'subscription { ...F } fragment F on Subscription { ... { s @include(if: true) { __typename } } }',
      condition('include'),
    ],
    [
      'subscription { s { __typename } t { __typename } }',
      'Anonymous Subscription must select only one top level field.',
    ],
  ])('%s', ([text, message]) => {
    expect(messagesOf(text)).toEqual(message === null ? [] : [message]);
  });
});

test('an operation of a type that the schema does not have is refused where it stands', () => {
  const errors = reader.errorsOf(parse('query A { __typename }\nmutation B { __typename }'));
  expect(errors).toMatchObject([{ message: 'This gateway has no mutations.', locations: [{ line: 2, column: 1 }] }]);
});

test('fragments that cannot be measured are refused before anything else, with a code', () => {
  const text =
    '{ query ...F ...G x } fragment F on Query { ...H } fragment H on Query { query { ...F } } fragment I on X { y }';
  const expected = [
    'Unknown fragment "G".',
    'Cannot spread fragment "F" within itself via "H".',
    'Fragment "I" is never used.',
  ];
  expect(messagesOf(text).toSorted()).toEqual(expected.toSorted());
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  expect(reader.errorsOf(parse(text))).toMatchObject(expected.map(() => ({ extensions })));
});

test('errors are as many as a response reports at most, the last of which says so', () => {
  const unknown = (count: number): string =>
    `{ ${Array.from({ length: count }, (_, index) => `x${index}`).join(' ')} }`;
  expect(messagesOf(unknown(errorsPerResponse - 1))).not.toContainEqual(expect.stringContaining('Too many'));
  const messages = messagesOf(unknown(errorsPerResponse + 20));
  expect(messages).toHaveLength(errorsPerResponse);
  expect(messages.at(-1)).toMatch(/^Too many validation errors/);
});
