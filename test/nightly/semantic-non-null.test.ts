import fc from 'fast-check';
import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  GraphQLDirective,
  GraphQLNonNull,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
  validate,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { expect, test } from 'vitest';
import { wireFieldOf } from '../../src/graphql/schema/wire-fields.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { runs, seed } from '../support/runs.ts';
import { dataOf, outcomeOf, post, startPaths, asEvent, waysOf, type Outcome } from '../paths/every-path.ts';
import { createWorld, scriptOf } from '../paths/random/world.ts';

const schema = createSchema();
const directive = schema.getDirective('semanticNonNull') as GraphQLDirective;

type Path = readonly (string | number)[];

/** The levels of a field's type at which null only comes with an error. */
function levelsOf({ astNode }: GraphQLField<unknown, unknown>): readonly number[] {
  if (astNode == null) return [];
  return (getDirectiveValues(directive, astNode)?.['levels'] ?? []) as readonly number[];
}

const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
/** All marked positions, a level of a field each: `Query.chargesHistory 1`. */
const marked = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) =>
    levelsOf(field).map((level) => `${type.name}.${field.name} ${level}`),
  ),
);

const days = '(startDate: "2026-08-01", endDate: "2026-08-20")';
const months = '(startDate: "2026-06-01", endDate: "2026-09-01")';
const moments = '(startedAt: { gte: "2026-10-01T00:00:00Z", lte: "2026-10-03T00:00:00Z" }, interval: DAY)';
/** The arguments of fields that need some, or that would list too much without them. */
const argumentsOf: Readonly<Record<string, string>> = {
  'Query.chargesSummary': days,
  'Query.chargesBreakdown': days,
  'Query.chargesBreakdownCsv': days,
  'Query.chargesHistory': months,
  'Query.chargesHistoryByService': months,
  'Query.chargesForecast': '(month: "2026-09-01", months: 2)',
  'Query.deliveryCounts': moments,
};

/**
 * Selects all that a type has, each type once on a way from the root. Where resolvers are named, it selects what they return, and else what
 * is read from a record: the bytes of the upstream tell no more.
 */
function selectionOf(
  type: GraphQLNamedOutputType,
  above: readonly string[],
  resolvers: readonly string[] | null,
): string {
  if (isLeafType(type)) return '';
  const inside = [...above, type.name];
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  const parts = members.map((member) => `... on ${member.name} ${selectionOf(member, inside, resolvers)}`);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const selected = fields.flatMap((field) => {
    const { name, type: fieldType } = field;
    const of = getNamedType(fieldType);
    const isLeftOut = resolvers !== null && !resolvers.includes(name) && wireFieldOf(field) === undefined;
    if (inside.includes(of.name) || isLeftOut) return [];
    return [`${name}${argumentsOf[`${type.name}.${name}`] ?? ''} ${selectionOf(of, inside, resolvers)}`];
  });
  return `{ __typename ${[...parts, ...selected].join(' ')} }`;
}

const query = schema.getQueryType() as GraphQLObjectType;
const roots = Object.values(query.getFields()).filter((field) => levelsOf(field).length > 0);
const reversed = '(startDate: "2026-09-01", endDate: "2026-06-01") { __typename }';
const queries = [
  `{ chargesHistory${reversed} chargesHistoryByService${reversed} }`,
  ...[null, ['nodes', 'results'], ['edges', 'node', 'results']].flatMap((resolvers) =>
    roots.map((field) => {
      const given = argumentsOf[`Query.${field.name}`] ?? '';
      return `{ ${field.name}${given} ${selectionOf(getNamedType(field.type), ['Query'], resolvers)} }`;
    }),
  ),
];
const documents = new Map(queries.map((text) => [text, parse(text)]));

/** A null at a marked position. */
interface Null {
  readonly position: string;
  readonly path: Path;
}

function* nullsIn(type: GraphQLObjectType, data: Readonly<Record<string, unknown>>, path: Path): Generator<Null> {
  for (const [name, value] of Object.entries(data)) {
    const field = type.getFields()[name];
    if (field === undefined) continue;
    const at = { name: `${type.name}.${name}`, levels: levelsOf(field) };
    yield* nullsAt(at, field.type, value, [...path, name], 0);
  }
}

function* nullsAt(
  at: { readonly name: string; readonly levels: readonly number[] },
  type: GraphQLOutputType,
  value: unknown,
  path: Path,
  level: number,
): Generator<Null> {
  if (value === null && at.levels.includes(level)) yield { position: `${at.name} ${level}`, path };
  if (value === null) return;
  const nullable = getNullableType(type);
  if (isListType(nullable))
    for (const [index, item] of (value as readonly unknown[]).entries())
      yield* nullsAt(at, nullable.ofType, item, [...path, index], level + 1);
  else if (!isLeafType(nullable)) {
    const object = value as Readonly<Record<string, unknown>>;
    yield* nullsIn(schema.getType(String(object['__typename'])) as GraphQLObjectType, object, path);
  }
}

interface ToldError {
  readonly path: Path;
  readonly message: string;
}

/** Whether an error is at a path or below it, from where it took the value with it. */
const isWithin = (path: Path, { path: told }: ToldError): boolean => path.every((key, at) => told[at] === key);

/** The place of a path in the document: errors are counted by it where they are too many to be told. */
const placeOf = (path: Path): string => path.filter((key) => typeof key === 'string').join('.');

/** The marked positions that are null without an error there or below, and without an error there that speaks of more. */
function faultsOf(outcome: Outcome, seen: Set<string>): readonly Null[] {
  const data = dataOf(outcome) as Readonly<Record<string, unknown>> | null | undefined;
  if (data == null) return [];
  const told = outcome.errors.map((error) => JSON.parse(error) as ToldError);
  const counting = told.filter(({ message }) => / more errors? of /.test(message)).map(({ path }) => placeOf(path));
  return [...nullsIn(query, data, [])].filter(({ position, path }) => {
    seen.add(position);
    const isCounted = counting.some((place) => `${place}.`.startsWith(`${placeOf(path)}.`));
    return !isCounted && !told.some((error) => isWithin(path, error));
  });
}

test('the documents here are valid, and select every position that is marked', () => {
  expect([...documents.values()].flatMap((document) => validate(schema, document))).toEqual([]);
  expect(marked.length).toBeGreaterThan(30);
});

test('a mark stands at a level that the type has, and that could be null', () => {
  const depthsOf = (type: GraphQLOutputType): readonly boolean[] => {
    const nullable = getNullableType(type);
    const below = isListType(nullable) ? depthsOf(nullable.ofType) : [];
    return [!(type instanceof GraphQLNonNull), ...below];
  };
  for (const type of objects)
    for (const field of Object.values(type.getFields()))
      for (const level of levelsOf(field)) expect([type.name, field.name, depthsOf(field.type)[level]]).toContain(true);
});

test(
  `what is marked is null only with an error there or below, on every path and for any body (SEED=${seed})`,
  { timeout: 120_000 + runs(1_000) * 2_000 },
  async () => {
    const paths = await startPaths({ LIMIT_COST: '100000000', LOG_LEVEL: 'error' });
    const { gateway, judge, upstream } = paths;
    const seen = new Set<string>();
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.constantFrom(...queries), async (number, text) => {
          upstream.script(scriptOf(createWorld(`nulls ${number}`, { oddRecords: 0.5 })));
          for (const [asked, request] of [
            [judge, post({ query: text })],
            [gateway, post({ query: text })],
            [gateway, asEvent({ query: text })],
          ] as const)
            expect(faultsOf(await outcomeOf(paths, asked, request, 'the-id'), seen)).toEqual([]);
        }),
        { seed: Number(seed), numRuns: runs(1_000) },
      );
      // A run without nearly all of these would prove little; the cursor of a feed is not among them.
      expect(marked.filter((position) => !seen.has(position)).length).toBeLessThan(4);
      const { bytes, compiled, general } = await waysOf(gateway);
      expect(Math.min(bytes, compiled, general)).toBeGreaterThan(0);
    } finally {
      await paths.close();
    }
  },
);
