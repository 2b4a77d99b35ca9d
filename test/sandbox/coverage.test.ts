import {
  getNamedType,
  isLeafType,
  isObjectType,
  isUnionType,
  parse,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

let sandbox: Awaited<ReturnType<typeof startFixedSandbox>>;
let gateway: Gateway;
const schema = createSchema(readTypeDefs());

beforeAll(async () => {
  sandbox = await startFixedSandbox();
  gateway = await startGateway(sandbox.baseUrl, { EXPOSE_SECRETS: 'true' });
});

afterAll(async () => {
  await gateway.close();
  await sandbox.close();
});

// A relation leads to another object, whose fields have a case of their own.
const relations = new Set([
  'IpConnection.webhookDeliveries',
  'WebhookDelivery.ipConnection',
  'ChargesSummary.previous',
  'ChargesMonth.summary',
]);

function ownFields(type: GraphQLObjectType): readonly GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter(({ name }) => !relations.has(`${type.name}.${name}`));
}

/** Everything that can be selected below a type. */
function selectionOf(type: GraphQLOutputType, schemaOf: GraphQLSchema): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (isUnionType(named)) {
    // Aliased by type: the same name may be non-null in one member and null in another.
    const members = named.getTypes().map((member) => `... on ${member.name} ${selectionOf(member, schemaOf)}`);
    return `{ __typename ${members.join(' ')} }`;
  }
  if (!isObjectType(named)) throw new Error(`${named.name} is of a kind this test does not know.`);
  return `{ ${ownFields(named)
    .map((field) => `${field.name} ${selectionOf(field.type, schemaOf)}`)
    .join(' ')} }`;
}

/** The paths, without list positions, at which a result has something other than null. */
function pathsOf(value: unknown, path: string, found: Set<string>): Set<string> {
  if (value === null || value === undefined) return found;
  if (Array.isArray(value)) {
    for (const item of value) pathsOf(item, path, found);
    return found;
  }
  found.add(path);
  if (typeof value !== 'object') return found;
  for (const [name, member] of Object.entries(value)) pathsOf(member, `${path}.${name}`, found);
  return found;
}

/** The paths of every leaf that can be selected below a type. */
function leavesOf(type: GraphQLOutputType, path: string): readonly string[] {
  const named = getNamedType(type);
  if (isLeafType(named)) return [path];
  if (isUnionType(named)) return named.getTypes().flatMap((member) => leavesOf(member, path));
  if (!isObjectType(named)) return [];
  return ownFields(named).flatMap((field) => leavesOf(field.type, `${path}.${field.name}`));
}

// One-time charges belong to new numbers, so the sandbox, as the real API, sends none for existing ones.
const neverSent = new Set([
  'chargesSummary.summary.lines.existingThisMonth.otc',
  // Nothing is left out where all services are asked for.
  ...['alias', 'name', 'amounts', 'total'].map((name) => `chargesHistoryByService.others.${name}`),
]);

const fields: readonly [name: string, args: string, key?: string][] = [
  ['chargesSummary', '(startDate: "2026-10-01", endDate: "2026-11-01")'],
  ['chargesHistoryByService', '(startDate: "2026-08-15", endDate: "2026-11-01")'],
  ['chargesBreakdown', '(startDate: "2026-10-01", endDate: "2026-11-01")'],
  ['chargesBreakdownCsv', '(startDate: "2026-10-01", endDate: "2026-11-01")'],
  ['ipConnections', '(first: 250, offset: 100)'],
  ['missions', '(first: 200)'],
  // By default the errors of attempts are codes alone.
  ['webhookDeliveries', '(first: 250)', 'published-shapes-key'],
];

test.for(fields)('every field of %s comes through from the sandbox, without an error', async ([name, args, key]) => {
  const field = schema.getQueryType()?.getFields()[name];
  if (field === undefined) throw new Error(`There is no field ${name}.`);
  const document = `{ ${name}${args} ${selectionOf(field.type, schema)} }`;
  expect(() => parse(document)).not.toThrow();
  const { data, errors } = await gateway.query(document, key === undefined ? {} : { key });
  expect(errors).toEqual([]);
  const found = pathsOf(data[name], name, new Set());
  expect(leavesOf(field.type, name).filter((path) => !found.has(path) && !neverSent.has(path))).toEqual([]);
});
