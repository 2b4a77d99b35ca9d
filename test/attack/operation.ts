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
import { valueFor, type Handouts } from './value.ts';

const deepest = 3;
const times = [1, 1, 1, 1, 1, 1, 1, 2, 10, 49, 51, 101, 330, 700];

/** Operations over a schema: every field, argument and directive of it, each as it should be, and as it should not. */
export function hostileOperation(schema: GraphQLSchema, handouts: Handouts): fc.Arbitrary<Operation> {
  const roots = [schema.getQueryType(), schema.getQueryType(), schema.getQueryType(), schema.getSubscriptionType()];
  const root = fc.constantFrom(...roots.filter((type) => type != null));
  return root.chain((type) =>
    fc
      .record({
        selection: fc.array(fieldOf(schema, type, 0, handouts), { minLength: 1, maxLength: 3 }),
        directives: directives(
          schema,
          type === schema.getQueryType() ? DirectiveLocation.QUERY : DirectiveLocation.SUBSCRIPTION,
          handouts,
        ),
        name: fc.option(fc.constantFrom('Q', 'constructor', '__proto__', 'a'.repeat(5_000)), { nil: '', freq: 8 }),
      })
      .map((draft) => writeOperation(type === schema.getQueryType() ? 'query' : 'subscription', draft)),
  );
}

function fieldOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  depth: number,
  handouts: Handouts,
): fc.Arbitrary<Selected> {
  const common = (head: fc.Arbitrary<string>, location: DirectiveLocation) => ({
    head,
    directives: directives(schema, location, handouts),
    times: fc.constantFrom(...times),
  });
  const fields = isAbstractType(type) || isObjectType(type) ? fieldsOf(schema, type) : [];
  const known = fc.constantFrom(...fields).chain((field) =>
    fc.record({
      ...common(fc.constant(field.name), DirectiveLocation.FIELD),
      args: argumentsOf(field.args, handouts),
      selection: selectionOf(schema, field, depth, handouts),
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
      selection:
        depth >= deepest
          ? fc.constant([leafOf('__typename')])
          : fc.array(fieldOf(schema, target, depth + 1, handouts), { minLength: 1, maxLength: 2 }),
    }),
  );
  return fc.oneof(
    { arbitrary: known, weight: 16 },
    { arbitrary: fragment, weight: 3 },
    { arbitrary: unknown, weight: 1 },
  );
}

function fieldsOf(schema: GraphQLSchema, type: GraphQLCompositeType): readonly GraphQLField<unknown, unknown>[] {
  const own = 'getFields' in type ? Object.values(type.getFields()) : [];
  // Introspection is asked for like any field, and at each place.
  return [...own, { name: '__typename', args: [], type: schema.getType('String') } as never];
}

function selectionOf(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>, depth: number, handouts: Handouts) {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return fc.constant([]);
  if (depth >= deepest) return fc.constant([leafOf('__typename')]);
  return fc.array(fieldOf(schema, type, depth + 1, handouts), { minLength: 1, maxLength: 3 });
}

function leafOf(head: string): Selected {
  return { head, args: [], directives: [], selection: [], times: 1 };
}

function argumentsOf(args: readonly GraphQLArgument[], handouts: Handouts): fc.Arbitrary<readonly Given[]> {
  const each = args.map((argument) => {
    const isRequired = getNullableType(argument.type) !== argument.type && argument.defaultValue === undefined;
    return fc.option(given(argument, handouts), { nil: null, freq: isRequired ? 20 : 1 });
  });
  return fc.tuple(...each).map((all) => all.filter((argument) => argument !== null));
}

function given({ name, type }: GraphQLArgument, handouts: Handouts): fc.Arbitrary<Given> {
  const by = fc.constantFrom<Given['by']>(
    ...(['literal', 'literal', 'literal', 'variable', 'variable', 'variable'] as const),
    ...(['missing variable', 'unknown variable', 'variable of another type'] as const),
  );
  return fc.tuple(valueFor(name, type, handouts), by).map(([value, way]) => ({
    name,
    type: String(type),
    value,
    literal: way === 'literal' ? literalOf(value, type) : '',
    by: way,
  }));
}

function directives(
  schema: GraphQLSchema,
  location: DirectiveLocation,
  handouts: Handouts,
): fc.Arbitrary<readonly Applied[]> {
  const executable = schema
    .getDirectives()
    .filter((directive) => directive.locations.some((at) => /^[A-Z]+$/.test(at)));
  const fitting = executable.filter((directive) => directive.locations.includes(location));
  const one = (directive: GraphQLDirective): fc.Arbitrary<Applied> =>
    fc.record({
      name: fc.constant(directive.name),
      args: argumentsOf(directive.args, handouts),
      times: fc.constantFrom(1, 1, 1, 1, 1, 2, 500),
    });
  const odd = fc
    .constantFrom('nothing', 'deprecated', 'specifiedBy', 'Skip', '__proto__')
    .map((name): Applied => ({ name, args: [], times: 1 }));
  const any = fc.oneof(
    { arbitrary: fc.constantFrom(...fitting, ...fitting, ...executable).chain(one), weight: 8 },
    { arbitrary: odd, weight: 1 },
  );
  return fc.oneof(
    { arbitrary: fc.constant([]), weight: 5 },
    { arbitrary: fc.array(any, { minLength: 1, maxLength: 2 }), weight: 2 },
  );
}
