import { getNamedType, isObjectType, isUnionType, type GraphQLOutputType } from 'graphql';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, testOfSandbox } from '../support/gateway.ts';
import type { Json } from '../support/records.ts';

const test = testOfSandbox({ EXPOSE_SECRETS: 'true' });
const schema = createSchema();

// A relation leads to another object, whose fields have a case of their own.
const relations = new Set(['webhookDeliveries', 'ipConnection', 'previous']);

/**
 * Everything that can be selected below a type, its members by name, since a field may be null in one of a union only; notes the fields, as
 * `Type.field`.
 */
function selectionOf(type: GraphQLOutputType, noted: Set<string>): string {
  const named = getNamedType(type);
  const members = isUnionType(named) ? named.getTypes() : [named].filter(isObjectType);
  const selections = members.map((member) => {
    const fields = Object.values(member.getFields()).filter(({ name }) => !relations.has(name));
    for (const { name } of fields) noted.add(`${member.name}.${name}`);
    return `... on ${member.name} { ${fields.map((field) => `${field.name} ${selectionOf(field.type, noted)}`).join(' ')} }`;
  });
  return selections.length === 0 ? '' : `{ __typename ${selections.join(' ')} }`;
}

/** The fields that somewhere in a result are something other than null. */
function namesIn(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const told = Object.entries(value).filter(([, member]) => member !== null);
  return told.flatMap(([name, member]) => [`${value.__typename}.${name}`, ...namesIn(member)]);
}

const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';

test.for([
  ['chargesSummary', period],
  ['chargesHistoryByService', '(startDate: "2026-08-15", endDate: "2026-11-01")'],
  ['chargesBreakdown', period],
  ['chargesBreakdownCsv', period],
  ['ipConnections', '(first: 250, offset: 100)'],
  ['missions', '(first: 200)'],
  // By default the errors of attempts are codes alone.
  ['webhookDeliveries', '(first: 250)', 'published-shapes-key'],
] as const)('every field of %s comes through from the sandbox, without an error', async (each, { gateway }) => {
  const [name, args, key = 'key'] = each;
  const type = schema.getQueryType()?.getFields()[name]?.type;
  if (type === undefined) throw new Error(`There is no field ${name}.`);
  const wanted = new Set<string>();
  const data = await gateway.data(`{ ${name}${args} ${selectionOf(type, wanted)} }`, { key });
  expect([...wanted.difference(new Set(namesIn(data[name])))]).toEqual([]);
});
