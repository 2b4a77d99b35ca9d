import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { Operation } from './operation-text.ts';
import { valueFor, type Handouts, type ValueMaterial } from './value.ts';

type Field = GraphQLField<unknown, unknown>;

/** A field with arguments, and the text around it that leads to it. */
interface Target {
  readonly field: Field;
  readonly write: (call: string) => string;
}

// Of all arguments at once, one would nearly always be refused before the others are looked at.
const mostOptional = 3;
const longestText = 300;

/**
 * Operations of one field, with a few of its arguments, each of its own type. Nothing else of them is odd, so that the arguments
 * meet each other and are what decides: the ends of a range, a size and a cursor, a filter and an order.
 */
export function plainOperation(schema: GraphQLSchema, handouts: Handouts): fc.Arbitrary<Operation> {
  const material: ValueMaterial = { handouts, isWild: false, longestText };
  return fc.constantFrom(...targetsIn(schema, handouts)).chain((target) => {
    const { field } = target;
    const isRequired = ({ type }: GraphQLArgument): boolean => isNonNullType(type);
    const required = field.args.filter(isRequired);
    const optional = field.args.filter((argument) => !isRequired(argument));
    const chosen = fc.subarray(optional, { maxLength: Math.min(mostOptional, optional.length) });
    return chosen.chain((few) => {
      const given = [...required, ...few];
      const values = Object.fromEntries(given.map(({ name, type }) => [name, argumentValue(name, type, material)]));
      return fc.record(values).map((variables) => writeOperation(target, given, variables));
    });
  });
}

function writeOperation(
  { field, write }: Target,
  given: readonly GraphQLArgument[],
  variables: Operation['variables'],
): Operation {
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const call = `${field.name}${passed === '' ? '' : `(${passed})`}${selectionOf(getNamedType(field.type))}`;
  return { query: `query ${declared === '' ? '' : `(${declared})`} { ${write(call)} }`, variables };
}

/** The fields of the root, and those of a connection, that have arguments. */
function targetsIn(schema: GraphQLSchema, { ids }: Handouts): readonly Target[] {
  const ofRoot = withArguments(schema.getQueryType());
  const ofConnection = withArguments(schema.getType('IpConnection'));
  return [
    ...ofRoot.map((field): Target => ({ field, write: (call) => call })),
    ...ofConnection.map((field): Target => ({
      field,
      write: (call) => `ipConnection(id: ${JSON.stringify(ids[0])}) { ${call} }`,
    })),
  ];
}

function withArguments(type: GraphQLNamedType | null | undefined): readonly Field[] {
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).filter(({ args }) => args.length > 0);
}

/** A value of a type. An input object has one or two of its members, whose own members nearly all are there. */
function argumentValue(name: string, type: GraphQLInputType, material: ValueMaterial): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type);
  if (isListType(nullable) || !isInputObjectType(nullable)) return valueFor(name, type, material);
  const members = Object.values(nullable.getFields());
  return fc
    .subarray(members, { minLength: 1, maxLength: 2 })
    .chain((few) => fc.record(Object.fromEntries(few.map((member) => [member.name, valueOf(member, material)]))));
}

function valueOf({ name, type }: GraphQLInputField, material: ValueMaterial): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type);
  if (!isInputObjectType(nullable)) return valueFor(name, type, material);
  const members = Object.values(nullable.getFields()).map((member) =>
    fc.option(
      valueFor(member.name, member.type, material).map((value) => [member.name, value] as const),
      { nil: null, freq: 5 },
    ),
  );
  return fc.tuple(...members).map((list) => Object.fromEntries(list.filter((member) => member !== null)));
}

/** The least selection for which the API has to be asked. */
function selectionOf(type: GraphQLNamedType): string {
  if (!isObjectType(type)) return isLeafType(type) ? '' : ' { __typename }';
  const fields = Object.values(type.getFields());
  const rows = fields.find(({ name }) => name === 'nodes');
  if (rows !== undefined) return ` { nodes${selectionOf(getNamedType(rows.type))} }`;
  const leaf = fields.find((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0);
  return ` { ${leaf?.name ?? '__typename'} }`;
}
