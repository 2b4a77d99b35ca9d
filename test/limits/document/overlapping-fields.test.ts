import {
  buildSchema,
  NoFragmentCyclesRule,
  OverlappingFieldsCanBeMergedRule as referenceRule,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { OverlappingFieldsCanBeMergedRule, comparedFields } from '../../../src/limits/overlapping-fields.ts';
import { Random } from '../../../src/sandbox/random.ts';
import { runs, seed } from '../../support/runs.ts';

const schema = buildSchema(`
  interface I { i(x: Int): I  s(x: Int): String  n: Int!  list: [J]  u: U }
  interface J { i(x: Int): J  s: String }
  type A implements I & J { i(x: Int): A  s(x: Int): String  n: Int!  list: [A]  u: U  own: String  b: B  texts: [String]  m: A! }
  type B implements I { i(x: Int): B  s(x: Int): String  n: Int!  list: [A]  u: U  own: Int  b: A  texts: [String!]  m: B }
  type C implements J { i(x: Int): C  s: String  n: Int  own: String  b: C  texts: String  m: [C] }
  union U = A | B | C
  type Query { a: A  b: B  c: C  i: I  j: J  u: U  q: Query }
`);

type TypeName = 'I' | 'J' | 'A' | 'B' | 'C' | 'U' | 'Query';
/** Fields with the types of what they select from; null for leaves. */
const fields: Readonly<Record<TypeName, Readonly<Record<string, TypeName | null>>>> = {
  I: { i: 'I', s: null, n: null, list: 'J', u: 'U' },
  J: { i: 'J', s: null },
  A: { i: 'A', s: null, n: null, list: 'A', u: 'U', own: null, b: 'B', texts: null, m: 'A' },
  B: { i: 'B', s: null, n: null, list: 'A', u: 'U', own: null, b: 'A', texts: null, m: 'B' },
  C: { i: 'C', s: null, n: null, own: null, b: 'C', texts: null, m: 'C' },
  U: {},
  Query: { a: 'A', b: 'B', c: 'C', i: 'I', j: 'J', u: 'U', q: 'Query' },
};
const conditions: Readonly<Record<TypeName, readonly TypeName[]>> = {
  I: ['A', 'B', 'I', 'U'],
  J: ['A', 'C', 'J'],
  A: ['A', 'I', 'J', 'U'],
  B: ['B', 'I', 'U'],
  C: ['C', 'J', 'U'],
  U: ['A', 'B', 'C', 'I', 'J'],
  Query: ['Query'],
};

/** A document of few names, so that fields meet; null where its fragments go in a circle. */
function documentOf(random: Random) {
  const fragments = new Map<string, TypeName>();

  function selectionOf(type: TypeName, depth: number): string {
    return Array.from({ length: random.int(1, 4) }, () => partOf(type, depth)).join(' ');
  }

  function partOf(type: TypeName, depth: number): string {
    const kind = random.int(0, 9);
    if (kind < 5 || depth <= 0) return fieldOf(type, depth);
    if (kind === 9 && random.int(0, 1) === 0) return `... { ${selectionOf(type, depth - 1)} }`;
    const condition = random.pick(conditions[type]);
    if (kind < 8) return `... on ${condition} { ${selectionOf(condition, depth - 1)} }`;
    const name = `F${condition}${random.int(0, 1)}`;
    fragments.set(name, condition);
    return `...${name}`;
  }

  function fieldOf(type: TypeName, depth: number): string {
    const alias = random.pick(['', '', 'x: ', 's: ', 'i: ']);
    const names = Object.keys(fields[type]);
    if (names.length === 0 || random.int(0, 9) === 0) return `${alias}__typename`;
    const name = random.pick(names);
    const takesArgument = name === 'i' ? type !== 'Query' : name === 's' && /[IAB]/.test(type);
    const args = takesArgument ? random.pick(['', '', '(x: 1)', '(x: 2)']) : '';
    const inner = fields[type][name];
    if (inner == null) return `${alias}${name}${args}`;
    return `${alias}${name}${args} { ${depth > 0 ? selectionOf(inner, depth - 1) : '__typename'} }`;
  }

  let text = `{ ${selectionOf('Query', random.int(1, 4))} }`;
  for (const [name, type] of fragments) text += ` fragment ${name} on ${type} { ${selectionOf(type, 1)} }`;
  const document = parse(text);
  return validate(schema, document, [NoFragmentCyclesRule]).length === 0 ? { text, document } : null;
}

test(`the rule for overlapping fields refuses the documents that the rule of graphql-js refuses, and no others (SEED=${seed})`, () => {
  const random = new Random(seed);
  const counts = { merged: 0, refused: 0 };
  for (let round = 0; round < runs(800); round++) {
    const made = documentOf(random);
    if (made === null) continue;
    const theirs = validate(schema, made.document, [referenceRule]);
    const ours = validate(schema, made.document, [OverlappingFieldsCanBeMergedRule]);
    expect([made.text, ours.length > 0]).toEqual([made.text, theirs.length > 0]);
    counts[ours.length > 0 ? 'refused' : 'merged']++;
  }
  expect(counts.merged).toBeGreaterThan(60);
  expect(counts.refused).toBeGreaterThan(100);
});

describe('the rule for overlapping fields has the message of graphql-js for', () => {
  test.for<readonly [what: string, text: string]>([
    ['different fields', '{ a { x: own x: n } }'],
    ['different arguments', '{ a { s(x: 1) s(x: 2) } }'],
    ['different types', '{ u { ... on A { x: own } ... on B { x: own } } }'],
    ['different lists', '{ u { ... on A { x: texts } ... on C { x: texts } } }'],
    ['objects of which one may be null', '{ u { ... on A { m { s } } ... on B { m { s } } } }'],
    ['a text and an object', '{ u { ... on A { x: s } ... on B { x: i { s } } } }'],
    ['an object and a list of objects', '{ u { ... on B { m { s } } ... on C { m { s } } } }'],
    ['fields within fields', '{ a { i { s(x: 1) } } a { i { s(x: 2) } } }'],
    ['fields of fragments', '{ a { ...F ...G } } fragment F on A { x: own } fragment G on A { x: n }'],
    ['fields within lists', '{ u { ... on A { x: list { y: s } } ... on B { x: list { y: n } } } }'],
  ])('%s', ([, text]) => {
    const document = parse(text);
    const messages = validate(schema, document, [OverlappingFieldsCanBeMergedRule]).map((error) => error.message);
    const theirs = validate(schema, document, [referenceRule]).map((error) => error.message);
    expect(messages).toEqual(theirs);
    expect(messages).toHaveLength(1);
  });
});

test('the rule for overlapping fields compares fields of different objects by their shape, and values by their meaning', () => {
  for (const text of [
    '{ a { s(x: { p: 1, q: [{ c: 1, d: 2 }] }) s(x: { q: [{ d: 2, c: 1 }], p: 1 }) } }',
    '{ u { ... on A { list { s } } ... on B { list { s(x: 1) } } } }',
    '{ u { ... on A { x: s } ... on B { x: s } ... on C { x: own } } }',
  ])
    expect(validate(schema, parse(text), [referenceRule, OverlappingFieldsCanBeMergedRule])).toEqual([]);
});

test('the rule for overlapping fields compares as many fields as it may, and a fragment once at each place', () => {
  const isRefused = (text: string): boolean =>
    validate(schema, parse(text), [OverlappingFieldsCanBeMergedRule]).length > 0;
  const eachTime = 1_000;
  const aliases = Array.from({ length: comparedFields / eachTime }, (_, index) => `x${index}: a { ...F }`).join(' ');
  const fragment = `fragment F on A { ${'s '.repeat(eachTime - 1)} }`;
  expect(isRefused(`{ ${aliases} } ${fragment}`)).toBe(false);
  expect(isRefused(`{ ${aliases} __typename } ${fragment}`)).toBe(true);
  const chain = Array.from(
    { length: 40 },
    (_, index) => `fragment F${index} on A { ...F${index + 1} ...F${index + 1} }`,
  );
  expect(isRefused(`{ a { ...F0 } } ${chain.join(' ')} fragment F40 on A { s }`)).toBe(false);
});

test('the rule for overlapping fields leaves what has an unknown type to other rules', () => {
  const document = parse('{ a { ... on Unknown { x: s } ...Missing ...F x: n } } fragment F on Unknown { x: own }');
  expect(validate(schema, document, [OverlappingFieldsCanBeMergedRule])).toEqual([]);
  const withoutType = parse('{ a a { s } missing { x: s x: own } u { ... on A { x: s } ... on B { x: missing } } }');
  expect(validate(schema, withoutType, [OverlappingFieldsCanBeMergedRule])).toEqual([]);
  expect(validate(schema, parse('mutation { x: a x: b }'), [OverlappingFieldsCanBeMergedRule])).toEqual([]);
});

test('the rule for overlapping fields reports that it gives up where a document would take it too long', () => {
  const level = (depth: number): string =>
    depth === 0 ? 's' : ['A', 'B', 'I'].map((type) => `... on ${type} { x: i { ${level(depth - 1)} } }`).join(' ');
  const levels = 30;
  const chain = Array.from({ length: levels }, (_, index) => {
    const inner = index === levels - 1 ? 's' : `...F${index + 1}`;
    return `fragment F${index} on I { ... on A { x: i { ${inner} } } ... on B { x: i { ${inner} } } x: i { ${inner} } }`;
  });
  expect(validate(schema, parse(`{ i { ${level(3)} } }`), [OverlappingFieldsCanBeMergedRule])).toEqual([]);
  const errors = validate(schema, parse(`{ i { ...F0 } } ${chain.join(' ')}`), [OverlappingFieldsCanBeMergedRule]);
  expect(errors.map(({ message }) => message)).toEqual(['Too many fields overlap to be compared.']);
});
