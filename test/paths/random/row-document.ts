import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from '../../../src/sandbox/random.ts';
import * as records from '../../support/records.ts';
import { selectionOf } from '../../support/selection.ts';

// What bytes do not tell. One of these in a selection leaves nothing to compare, so most documents have none.
const notInBytes = new Set(
  `ChargesBreakdown.totals ChargesBreakdownResult.cost ChargesSummary.previous ChargesSummary.changes
  ComparativeLine.amount`.split(/\s+/),
);
// Each takes a search.
const relations = new Set(['IpConnection.webhookDeliveries', 'WebhookDelivery.ipConnection']);
const lists = ['ipConnections', 'missions', 'webhookDeliveries'];
const dates = '(startDate: "2026-10-01", endDate: "2026-10-31")';
const filters: Readonly<Record<string, string>> = {
  ipConnections: 'filter: { connectionName: { contains: "a" } }',
  webhookDeliveries: 'filter: { status: { eq: "delivered" } }',
  results: 'filter: { tn: { contains: "1" } }, orderBy: { field: COST, direction: DESC }',
};
/** All that a record has, in its own order: whatever is done to a body, it is seen. */
const wholeSelections: Readonly<Record<string, string>> = {
  ipConnections: selectionOf(records.ipConnectionRecord()),
  missions: selectionOf(records.missionRecord()),
  webhookDeliveries: selectionOf(records.webhookDeliveryRecord()).replace('{', '{ durationMs attemptCount '),
  chargesSummary: selectionOf(records.chargesSummaryRecord()),
};

interface Draft {
  readonly schema: GraphQLSchema;
  readonly random: Random;
  /** Cursors of earlier responses, to be sent back. */
  readonly cursors: readonly string[];
  aliases: number;
}

/** Writes a document over rows and summaries, nearly all of which the API's bytes can answer. It is valid. */
export function randomRowDocument(schema: GraphQLSchema, random: Random, cursors: readonly string[]): string {
  const draft: Draft = { schema, random, cursors, aliases: 0 };
  const fields = Array.from({ length: random.pick([1, 1, 1, 1, 2, 3]) }, () => rootField(draft));
  return `{ ${fields.map((field, index) => (index === 0 ? field : `f${index}: ${field}`)).join(' ')} }`;
}

function rootField(draft: Draft): string {
  const { schema, random } = draft;
  const name = random.pick([...lists, ...lists, ...lists, 'chargesSummary', 'chargesBreakdown']);
  const field = schema.getQueryType()?.getFields()[name] as GraphQLField<unknown, unknown>;
  const type = getNamedType(field.type);
  const whole = random.chance(0.3) ? wholeSelections[name] : undefined;
  if (!lists.includes(name)) return `${name}${dates} ${whole ?? objectSelection(draft, type)}`;
  return `${name}${pageArguments(draft, name)} ${connection(draft, type, whole)}`;
}

/** Which page, as arguments; none now and then. */
function pageArguments({ random, cursors }: Draft, name: string, hasOffset = true): string {
  const args = [`first: ${random.pick([0, 1, 2, 3, 4, 7, 8, 30, 500])}`];
  if (hasOffset && random.chance(0.15)) args.push(`offset: ${random.int(0, 9)}`);
  else if (random.chance(0.2)) args.push(`after: "${random.pick(['x', ...cursors, ...cursors])}"`);
  if (name in filters && random.chance(0.1)) args.push(filters[name] ?? '');
  return random.chance(0.1) ? '' : `(${args.join(', ')})`;
}

function connection(draft: Draft, type: GraphQLNamedType, whole?: string): string {
  const { random } = draft;
  const nodes = (type as GraphQLObjectType).getFields()['nodes']?.type;
  const row = whole ?? objectSelection(draft, getNamedType(nodes) as GraphQLNamedType);
  const rows = [
    `nodes ${row}`,
    `nodes ${row}`,
    `edges { cursor node ${row} }`,
    `edges { a: cursor __typename node ${row} cursor t: __typename b: cursor }`,
    'edges { cursor c: cursor }',
    `edges { n: node ${row} }`,
  ];
  const info = random.some(['startCursor', 'endCursor', 'hasNextPage', 'hasPreviousPage', '__typename']).join(' ');
  const beside = ['totalCount', 'offset', '__typename', `pageInfo { ${info} }`].filter(() => random.chance(0.4));
  if (random.chance(0.9)) beside.push(random.pick(rows));
  if (random.chance(0.1)) beside.push('e: edges { cursor __typename }');
  return `{ ${beside.length === 0 ? 'totalCount' : shuffled(beside, random).join(' ')} }`;
}

function objectSelection(draft: Draft, type: GraphQLNamedType): string {
  const { schema, random } = draft;
  if (isAbstractType(type)) {
    const members = schema.getPossibleTypes(type);
    return `{ ${members.map((member) => `... on ${member.name} ${objectSelection(draft, member)}`).join(' ')} }`;
  }
  if (!isObjectType(type)) return '';
  const share = random.pick([0.2, 0.5, 0.9]);
  const isChosen = (name: string): boolean => {
    const coordinate = `${type.name}.${name}`;
    if (notInBytes.has(coordinate)) return random.chance(share * 0.003);
    return random.chance(relations.has(coordinate) ? share * 0.1 : share);
  };
  const fields = Object.values(type.getFields()).filter(({ name }) => isChosen(name));
  const written = fields.map((field) => fieldOf(draft, field));
  if (written.length === 0 || random.chance(0.1)) written.push('__typename');
  return `{ ${shuffled(written, random).join(' ')} }`;
}

function fieldOf(draft: Draft, { name, type, args }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  const alias = draft.random.chance(0.1) ? `other${draft.aliases++}: ` : '';
  if (isLeafType(named)) return alias + name;
  const isConnection = args.some((argument) => argument.name === 'first');
  const selection = isConnection ? connection(draft, named) : objectSelection(draft, named);
  const hasOffset = args.some((argument) => argument.name === 'offset');
  return `${alias}${name}${isConnection ? pageArguments(draft, name, hasOffset) : ''} ${selection}`;
}

/** The texts in their own order, or in any. */
function shuffled(texts: readonly string[], random: Random): readonly string[] {
  if (random.chance(0.4)) return texts;
  const left = [...texts];
  return texts.map(() => left.splice(random.int(0, left.length - 1), 1)[0] ?? '');
}
