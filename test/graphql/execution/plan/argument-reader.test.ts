import fc from 'fast-check';
import { buildSchema, getArgumentValues, Kind, parse, type FieldNode, type GraphQLField } from 'graphql';
import { expect, test } from 'vitest';
import { argumentReader } from '../../../../src/graphql/execution/plan/argument-reader.ts';

const schema = buildSchema(
  'type Query { f(must: Int!, may: Int, list: [Int], preset: Int = 7): Int g(must: Int!, may: Int, list: [Int]): Int }',
);
const fields = schema.getQueryType()?.getFields() ?? {};
const argument = fc.constantFrom('', 'must: $a', 'must: $b', 'must: 1');
const others = fc.constantFrom('', 'may: $b', 'may: null', 'may: $c, list: [$a]', 'list: $c', 'list: [1, 2]');
const preset = fc.constantFrom('', 'preset: $b', 'preset: 3');
const value = fc.constantFrom<unknown>(undefined, null, 0, 5, [1, null]);
const variables = fc.record({ a: value, b: value, c: value, toString: value }, { requiredKeys: [] });

function outcomeOf(read: () => unknown): unknown {
  try {
    return { read: read() };
  } catch (error) {
    return { thrown: String(error) };
  }
}

test('arguments are read as graphql-js reads them, whatever is given', () => {
  fc.assert(
    fc.property(fc.constantFrom('f', 'g'), argument, others, preset, variables, (name, first, second, third, given) => {
      const texts = [first, second, name === 'f' ? third : ''].filter((text) => text !== '');
      const document = parse(`{ ${name}${texts.length === 0 ? '' : `(${texts.join(', ')})`} }`);
      const [operation] = document.definitions;
      const [node] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
      const definition = fields[name] as GraphQLField<unknown, unknown>;
      const expected = outcomeOf(() => getArgumentValues(definition, node as FieldNode, given));
      expect(outcomeOf(() => argumentReader(definition, node as FieldNode)(given))).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});
