import fc from 'fast-check';
import {
  DirectiveLocation,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import { literalOf } from '../fuzz/argument.ts';
import { writeOperation, type Applied, type Given, type Operation, type Selected } from './operation-text.ts';
import { hostileText } from './text.ts';
import { valueFor, type Handouts, type ValueMaterial } from './value.ts';

const deepest = 3;
// Of much within much there is soon too much to be read.
const times = [...Array<number>(30).fill(1), 2, 3, 10, 49];
const wildTimes = [...Array<number>(8).fill(1), 2, 10, 51, 101, 330, 700];

interface Material extends ValueMaterial {
  readonly schema: GraphQLSchema;
}

/**
 * Operations over a schema: every field, argument and directive of it. Some are wild, with anything anywhere, and refused for
 * it; most are valid, so that their odd parts are executed.
 */
export function hostileOperation(schema: GraphQLSchema, handouts: Handouts): fc.Arbitrary<Operation> {
  const query = schema.getQueryType();
  const roots = [query, query, query, schema.getSubscriptionType()].filter((type) => type != null);
  return fc.tuple(fc.constantFrom(...roots), fc.constantFrom(false, false, true)).chain(([root, isWild]) => {
    const material: Material = { schema, handouts, isWild };
    const isQuery = root === query;
    return fc
      .record({
        selection: fc.array(fieldOf(root, 0, material), { minLength: 1, maxLength: 3 }),
        directives: directives(isQuery ? DirectiveLocation.QUERY : DirectiveLocation.SUBSCRIPTION, material),
        name: fc.option(fc.constantFrom('Q', 'constructor', '__proto__', 'a'.repeat(5_000)), { nil: '', freq: 8 }),
      })
      .map((draft) => writeOperation(isQuery ? 'query' : 'subscription', draft));
  });
}

function fieldOf(type: GraphQLCompositeType, depth: number, material: Material): fc.Arbitrary<Selected> {
  const { schema, isWild } = material;
  const common = (head: fc.Arbitrary<string>, location: DirectiveLocation) => ({
    head,
    directives: directives(location, material),
    times: fc.constantFrom(...(isWild ? wildTimes : times)),
  });
  const fields = isAbstractType(type) || isObjectType(type) ? fieldsOf(schema, type) : [];
  const known = fc.constantFrom(...fields).chain((field) =>
    fc.record({
      ...common(fc.constant(field.name), DirectiveLocation.FIELD),
      args: argumentsOf(field.args, material),
      selection: selectionOf(field, depth, material),
    }),
  );
  const unknown = fc.record({
    ...common(hostileText(300), DirectiveLocation.FIELD),
    args: fc.constant([]),
    selection: fc.constant([]),
  });
  const targets = [type, ...(isAbstractType(type) ? schema.getPossibleTypes(type) : [])];
  const fragment = fc.constantFrom(...targets).chain((target) =>
    fc.record({
      ...common(fc.constant(`... on ${target.name}`), DirectiveLocation.INLINE_FRAGMENT),
      args: fc.constant([]),
      selection: depth >= deepest ? fc.constant([leafOf('__typename')]) : someFieldsOf(target, depth, material),
    }),
  );
  return fc.oneof(
    { arbitrary: known, weight: 16 },
    { arbitrary: fragment, weight: 3 },
    { arbitrary: unknown, weight: Number(isWild) },
  );
}

function someFieldsOf(type: GraphQLCompositeType, depth: number, material: Material): fc.Arbitrary<Selected[]> {
  return fc.array(fieldOf(type, depth + 1, material), { minLength: 1, maxLength: 3 });
}

function fieldsOf(schema: GraphQLSchema, type: GraphQLCompositeType): readonly GraphQLField<unknown, unknown>[] {
  const own = 'getFields' in type ? Object.values(type.getFields()) : [];
  // Introspection is selected like any field, at every place.
  return [...own, { name: '__typename', args: [], type: schema.getType('String') } as never];
}

function selectionOf(field: GraphQLField<unknown, unknown>, depth: number, material: Material) {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return fc.constant([]);
  return depth >= deepest ? fc.constant([leafOf('__typename')]) : someFieldsOf(type, depth, material);
}

function leafOf(head: string): Selected {
  return { head, args: [], directives: [], selection: [], times: 1 };
}

function argumentsOf(args: readonly GraphQLArgument[], material: Material): fc.Arbitrary<readonly Given[]> {
  const each = args.map((argument) => {
    const isRequired = getNullableType(argument.type) !== argument.type && argument.defaultValue === undefined;
    if (isRequired && !material.isWild) return given(argument, material);
    return fc.option(given(argument, material), { nil: null, freq: isRequired ? 20 : 2 });
  });
  return fc.tuple(...each).map((all) => all.filter((argument) => argument !== null));
}

const ways: readonly Given['by'][] = ['literal', 'variable'];
const wildWays: readonly Given['by'][] = ['missing variable', 'unknown variable', 'variable of another type'];

function given({ name, type }: GraphQLArgument, material: Material): fc.Arbitrary<Given> {
  const by = fc.constantFrom(...ways, ...ways, ...(material.isWild ? wildWays : []));
  return fc.tuple(valueFor(name, type, material), by).map(([value, way]) => ({
    name,
    type: String(type),
    value,
    literal: way === 'literal' ? literalOf(value, type) : '',
    by: way,
  }));
}

const strange = ['nothing', 'deprecated', 'specifiedBy', 'Skip', '__proto__'];

function directives(location: DirectiveLocation, material: Material): fc.Arbitrary<readonly Applied[]> {
  const { schema, isWild } = material;
  const executable = schema
    .getDirectives()
    .filter((directive) => directive.locations.some((at) => /^[A-Z]+$/.test(at)));
  const fitting = executable.filter((directive) => directive.locations.includes(location));
  const one = (directive: GraphQLDirective): fc.Arbitrary<Applied> =>
    fc.record({
      name: fc.constant(directive.name),
      args: argumentsOf(directive.args, material),
      times: isWild ? fc.constantFrom(1, 1, 1, 1, 1, 2, 500) : fc.constant(1),
    });
  const odd = fc.constantFrom(...strange).map((name): Applied => ({ name, args: [], times: 1 }));
  const known = [...fitting, ...fitting, ...(isWild ? executable : [])];
  if (known.length === 0) return fc.constant([]);
  const any = fc.oneof(
    { arbitrary: fc.constantFrom(...known).chain(one), weight: 8 },
    { arbitrary: odd, weight: Number(isWild) },
  );
  return fc.oneof(
    { arbitrary: fc.constant([]), weight: 5 },
    { arbitrary: fc.array(any, { minLength: 1, maxLength: isWild ? 2 : 1 }), weight: 2 },
  );
}
