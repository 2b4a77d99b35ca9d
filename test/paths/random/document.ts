import {
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  GraphQLNonNull,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from '../../../src/sandbox/random.ts';
import * as records from '../../support/records.ts';
import { selectionOf as selectionOfRecord } from '../../support/records.ts';

/** Cursors and identifiers of earlier responses, to be sent back. */
export interface Harvest {
  readonly cursors: string[];
  readonly nodeIds: string[];
  readonly ids: string[];
}

/** A request as a client might write it. What is refused as a whole takes one path: its tests are in `test/http` and `test/limits`. */
export interface RandomRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Fragment {
  readonly name: string;
  readonly on: string;
  readonly text: string;
}

interface Draft {
  readonly random: Random;
  readonly schema: GraphQLSchema;
  readonly harvest: Harvest;
  readonly variables: Record<string, unknown>;
  readonly declarations: string[];
  /** Variables that decide about selections. */
  readonly switches: string[];
  readonly fragments: Fragment[];

  /** Fields that may still be written. */
  room: number;
  names: number;
}

const deepest = 7;
const words = (text: string): readonly string[] => text.split('|');
const introspection = [
  '__schema { queryType { name } types { name kind } }',
  '__type(name: "IpConnection") { name fields { name args { name type { name ofType { name } } } } }',
  '__type(name: "Nobody") { name }',
];
const texts = [...words('|Head office|\u0000|\uD800|é🤖|%5B|"}|constructor|__proto__|-1|null'), 'x'.repeat(5_000)];
const dates = words('2026-10-01|2026-10-01|2026-10-01|2026-11-01|2026-10-15|2026-02-30|9999-12-31|today|');
const moments = words(
  '2026-10-01T00:00:00Z|2026-10-01 08:30:00.123456+02|2026-10-03T00:00:00Z|2026-13-01T00:00:00Z|now|',
);
const integers = [0, 1, 1, 2, 3, 3, 5, 20, 100, 500, 501, -1, 2_147_483_647];

/** Writes a random document over a schema, valid but for a few: equal random streams and harvests give equal documents. */
export function randomRequest(schema: GraphQLSchema, random: Random, harvest: Harvest): RandomRequest {
  const draft: Draft = {
    random,
    schema,
    harvest,
    variables: {},
    declarations: [],
    switches: [],
    fragments: [],

    room: random.int(3, 60),
    names: 0,
  };
  const selection = selectionOf(draft, schema.getQueryType() as GraphQLObjectType, 0);
  const head =
    draft.declarations.length > 0 ? `query Q(${draft.declarations.join(', ')}) ` : random.pick(['', 'query Q ']);
  const query = [`${head}${selection}`, ...draft.fragments.map((fragment) => fragment.text)].join('\n');
  return { query, variables: draft.variables };
}

function selectionOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random } = draft;
  const count = depth === 0 ? random.int(1, 3) : random.int(1, 5);
  const items = Array.from({ length: count }, () => itemOf(draft, type, depth)).filter((item) => item !== '');
  if (random.chance(0.15)) items.push('__typename');
  // A selection that is written twice has one result.
  if (random.chance(0.1)) items.push(...items);
  return `{ ${items.length > 0 ? items.join(' ') : '__typename'} }`;
}

function itemOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random } = draft;
  if (depth === 0 && random.chance(0.06)) return random.pick(introspection);
  if (isUnionType(type) || random.chance(isInterfaceType(type) ? 0.5 : 0.12)) return fragmentOf(draft, type, depth);
  return fieldOf(draft, random.pick(Object.values(type.getFields())), depth);
}

function fragmentOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random, schema, fragments } = draft;
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const possible = [...new Set([type, ...members, ...members.flatMap((member) => member.getInterfaces())])];
  const target = depth > deepest ? type : random.pick(possible);
  if (depth > deepest + 2) return '__typename';
  const known = fragments.filter(({ on }) => on === target.name);
  if (known.length > 0 && random.chance(0.3)) return `...${random.pick(known).name}${directiveOf(draft)}`;
  const selection = selectionOf(draft, target, depth + 1);
  if (random.chance(0.6)) return `... on ${target.name}${directiveOf(draft)} ${selection}`;
  const name = `F${fragments.length}`;
  fragments.push({ name, on: target.name, text: `fragment ${name} on ${target.name} ${selection}` });
  return `...${name}${directiveOf(draft)}`;
}

function fieldOf(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { random } = draft;
  const type = getNamedType(field.type);
  if (isCompositeType(type) && (depth >= deepest || draft.room <= 0)) return '__typename';
  draft.room--;
  const args = field.args
    .filter(({ type: argumentType, defaultValue }) => {
      const isRequired = isNonNullType(argumentType) && defaultValue === undefined;
      return isRequired || random.chance(0.3);
    })
    .map(({ name, type: argumentType }) => `${name}: ${argumentOf(draft, name, argumentType)}`);
  // The same field with other arguments needs a name of its own.
  const alias = field.args.length > 0 || random.chance(0.3) ? `a${draft.names++}: ` : '';
  const given = args.length > 0 ? `(${args.join(', ')})` : '';
  const selection = isCompositeType(type) ? ` ${selectionOf(draft, type, depth + 1)}` : '';
  return `${alias}${field.name}${given}${directiveOf(draft)}${selection}`;
}

function argumentOf(draft: Draft, name: string, type: GraphQLInputType): string {
  const value = valueFor(name, type, draft);
  if (draft.random.chance(0.6) && isWritable(value)) return literalOf(value, type);
  return variableOf(draft, type, value);
}

/** No literal can hold half a character. */
function isWritable(value: unknown): boolean {
  return !JSON.stringify(value).includes('\\ud');
}

function variableOf(draft: Draft, type: GraphQLInputType, value: unknown): string {
  const { random, variables, declarations } = draft;
  const name = `v${declarations.length}`;
  // With a default a variable may be null where its argument must not, which shows when the argument is read.
  const hasDefault = value !== null && isWritable(value) && random.chance(0.2);
  const given = hasDefault ? getNullableType(type) : type;
  declarations.push(`$${name}: ${String(given)}${hasDefault ? ` = ${literalOf(value, type)}` : ''}`);
  const isLeftOut = !isNonNullType(given) && random.chance(0.3);
  if (!isLeftOut) variables[name] = !isNonNullType(given) && random.chance(0.1) ? null : value;
  return `$${name}`;
}

function directiveOf(draft: Draft): string {
  const { random } = draft;
  if (!random.chance(0.08)) return '';
  const condition = random.chance(0.5) ? String(random.chance(0.5)) : switchOf(draft);
  return ` ${random.pick(['@skip', '@include'])}(if: ${condition})`;
}

function switchOf(draft: Draft): string {
  const { random, switches } = draft;
  if (switches.length > 0 && random.chance(0.5)) return random.pick(switches);
  const name = variableOf(draft, new GraphQLNonNull(GraphQLBoolean), random.chance(0.5));
  switches.push(name);
  return name;
}

/** A value for an argument, mostly of its type; handouts of earlier responses go where they fit, and where they do not. */
function valueFor(name: string, type: GraphQLInputType, draft: Draft): unknown {
  const { random } = draft;
  if (!isNonNullType(type) && random.chance(0.03)) return null;
  const given = getNullableType(type);
  if (isListType(given)) return Array.from({ length: random.int(0, 4) }, () => valueFor(name, given.ofType, draft));
  if (isEnumType(given)) return random.pick(given.getValues().map((value) => value.name));
  if (!isInputObjectType(given)) return leafFor(name, getNamedType(given).name, draft);
  const fields = Object.values(given.getFields()).filter((field) => isNonNullType(field.type) || random.chance(0.5));
  return Object.fromEntries(fields.map((field) => [field.name, valueFor(field.name, field.type, draft)]));
}

function leafFor(name: string, typeName: string, { random, harvest: { cursors, nodeIds, ids } }: Draft): unknown {
  if (name === 'after' || name === 'before') return random.pick([...cursors, random.pick(texts)]);
  if (name === 'nodeId' || name === 'nodeIds') return random.pick([...nodeIds, random.pick(texts)]);
  if (name === 'id') return random.pick([...ids, random.pick(texts)]);
  if (typeName === 'Int') return random.pick(integers);
  if (typeName === 'Boolean') return random.chance(0.5);
  if (typeName === 'Date') return name === 'endDate' ? random.pick(dates.slice(2)) : random.pick(dates);
  if (typeName === 'DateTime') return random.pick(moments);
  if (typeName !== '_Any') return random.pick(texts);
  const type = random.pick(['Mission', 'IpConnection', 'WebhookDelivery', 'Mission', 'Query', 'constructor', 7]);
  return { __typename: type, id: random.pick([...ids, random.pick(texts)]) };
}

/** A value as it is written in a document. */
function literalOf(value: unknown, type: GraphQLInputType | undefined): string {
  const nullable = type && getNullableType(type);
  if (Array.isArray(value)) {
    const inner = isListType(nullable) ? nullable.ofType : undefined;
    return `[${value.map((item) => literalOf(item, inner)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(nullable) ? nullable.getFields() : {};
    const members = Object.entries(value).map(([name, item]) => `${name}: ${literalOf(item, fields[name]?.type)}`);
    return `{ ${members.join(', ')} }`;
  }
  return isEnumType(nullable) && typeof value === 'string' && /^\w+$/.test(value) ? value : JSON.stringify(value);
}

const lists = ['ipConnections', 'missions', 'webhookDeliveries'];
// What bytes do not tell, and what takes a search: in a document of rows, little would be left to compare.
const notOfRows = /^(?:totals|cost|previous|changes|amount|webhookDeliveries|ipConnection)$/;
/** All that a record has, in its own order: whatever is done to a body, it is seen. */
const wholeSelections: Readonly<Record<string, string>> = {
  ipConnections: selectionOfRecord(records.ipConnectionRecord()),
  missions: selectionOfRecord(records.missionRecord()),
  webhookDeliveries: selectionOfRecord(records.webhookDeliveryRecord()).replace('{', '{ durationMs attemptCount '),
  chargesSummary: selectionOfRecord(records.chargesSummaryRecord()),
};

/** Writes a valid document over rows and summaries, nearly all of which the API's bytes can answer. */
export function randomRowDocument(schema: GraphQLSchema, random: Random, cursors: readonly string[]): string {
  const fields = Array.from({ length: random.pick([1, 1, 1, 1, 2, 3]) }, (_, at) => {
    const name = random.pick([...lists, ...lists, ...lists, 'chargesSummary', 'chargesBreakdown']);
    const type = getNamedType(schema.getQueryType()?.getFields()[name]?.type) as GraphQLObjectType;
    const whole = random.chance(0.3) ? wholeSelections[name] : undefined;
    const place = random.chance(0.3)
      ? `, after: "${random.pick(['x', ...cursors])}"`
      : random.pick(['', ', offset: 3']);
    const args = lists.includes(name)
      ? `first: ${random.pick([0, 1, 2, 3, 4, 7, 8, 30, 500])}${place}`
      : 'startDate: "2026-10-01", endDate: "2026-10-31"';
    const selection = lists.includes(name)
      ? connection(schema, random, type, whole)
      : (whole ?? objectSelection(schema, random, type));
    return `f${at}: ${name}(${args}) ${selection}`;
  });
  return `{ ${fields.join(' ')} }`;
}

function connection(schema: GraphQLSchema, random: Random, type: GraphQLObjectType, whole?: string): string {
  const node = getNamedType(type.getFields()['nodes']?.type) as GraphQLObjectType;
  const row = whole ?? objectSelection(schema, random, node);
  const rows = [`nodes ${row}`, `edges { cursor node ${row} }`, `edges { a: cursor __typename node ${row} cursor }`];
  const info = random.some(['startCursor', 'endCursor', 'hasNextPage', 'hasPreviousPage', '__typename']).join(' ');
  const beside = ['totalCount', 'offset', '__typename', `pageInfo { ${info} }`].filter(() => random.chance(0.4));
  if (random.chance(0.1)) beside.push('e: edges { cursor __typename }');
  return `{ ${shuffled([...beside, random.pick(rows)], random).join(' ')} }`;
}

function objectSelection(schema: GraphQLSchema, random: Random, type: GraphQLCompositeType): string {
  if (isAbstractType(type)) {
    const members = schema.getPossibleTypes(type);
    return `{ ${members.map((member) => `... on ${member.name} ${objectSelection(schema, random, member)}`).join(' ')} }`;
  }
  const share = random.pick([0.2, 0.5, 0.9]);
  const written = Object.values(type.getFields())
    .filter(({ name }) => random.chance(notOfRows.test(name) ? 0.003 : share))
    .map(({ name, type: inner, args }, at) => {
      const named = getNamedType(inner);
      const field = random.chance(0.1) ? `other${at}: ${name}` : name;
      if (isLeafType(named)) return field;
      const isConnection = args.some((argument) => argument.name === 'first');
      const selection = isConnection
        ? connection(schema, random, named as GraphQLObjectType)
        : objectSelection(schema, random, named as GraphQLCompositeType);
      return `${field} ${selection}`;
    });
  if (written.length === 0 || random.chance(0.1)) written.push('__typename');
  return `{ ${shuffled(written, random).join(' ')} }`;
}

/** The texts in their own order, or in any. */
function shuffled(all: readonly string[], random: Random): readonly string[] {
  if (random.chance(0.4)) return all;
  const left = [...all];
  return all.map(() => left.splice(random.int(0, left.length - 1), 1)[0] ?? '');
}
