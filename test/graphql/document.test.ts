import fc from 'fast-check';
import { buildSchema, getArgumentValues, parse, type FieldNode, type OperationDefinitionNode } from 'graphql';
import { expect, test } from 'vitest';
import { argumentsOf } from '../../src/graphql/document.ts';

const schema = buildSchema(`
  input Filter { size: Int sizes: [Int!] named: String = "all" }
  type Query {
    list(first: Int, last: Int!, offset: Int = 3, most: Int! = 4, filter: Filter, ids: [ID!]): Int
  }
`);
const field = schema.getQueryType()?.getFields()['list'];

const number = fc.constantFrom('1', 'null', '$a', '$b', '$c', '$toString', '"text"');
const filter = fc.oneof(
  fc.constantFrom('null', '$filter', '{}'),
  fc.tuple(number, number).map(([size, item]) => `{ size: ${size}, sizes: [2, ${item}] }`),
);
const values = {
  first: number,
  last: number,
  offset: number,
  most: number,
  filter,
  ids: fc.constantFrom('["x"]', '[$id]', '$ids'),
};
const variables = fc.record(
  {
    a: fc.constantFrom(7, null, undefined),
    b: fc.integer(),
    c: fc.constant(null),
    id: fc.string(),
    ids: fc.array(fc.string()),
    filter: fc.record({ size: fc.nat(), named: fc.string() }),
  },
  { requiredKeys: [] },
);

test('arguments of a field are read as graphql-js reads them, with variables, nulls and missing values', () => {
  fc.assert(
    fc.property(fc.record(values, { requiredKeys: [] }), variables, (given, coerced) => {
      const args = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
      const [operation] = parse(`{ list${args.length === 0 ? '' : `(${args.join(', ')})`} }`).definitions;
      const node = (operation as OperationDefinitionNode).selectionSet.selections[0] as FieldNode;
      if (field === undefined) throw new Error('There is such a field.');
      let known: ReturnType<typeof argumentsOf> | undefined;
      const read = (by: Readonly<Record<string, unknown>>) =>
        outcomeOf(() => (known ??= argumentsOf(field, node)).read(by));
      const expected = outcomeOf(() => getArgumentValues(field, node, coerced));
      expect(read(coerced)).toEqual(expected);
      // The second reading finds nothing that the first has left.
      expect(read({})).toEqual(outcomeOf(() => getArgumentValues(field, node, {})));
      expect(read(coerced)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

function outcomeOf(read: () => unknown): unknown {
  try {
    return { read: read() };
  } catch (error) {
    return { thrown: String(error) };
  }
}
