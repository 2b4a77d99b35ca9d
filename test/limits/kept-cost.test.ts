import { Kind, parse, type DocumentNode } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createCostEstimate, type Cost } from '../../src/limits/cost.ts';

const ofGateway = createSchema(readTypeDefs());
const createEstimate = () => createCostEstimate(ofGateway, { scanPages: 60, lookUp: 'list' });

type Variables = Readonly<Record<string, unknown>>;

function costOf(
  estimate: ReturnType<typeof createEstimate>,
  document: DocumentNode,
  variables: Variables,
): Cost | null {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation comes first.');
  return estimate(document, operation, variables);
}

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';

test.for<readonly [document: string, one: Variables, other: Variables]>([
  ['query ($n: Int) { missions(first: $n) { nodes { id } } }', { n: 1 }, { n: 100 }],
  ['query ($n: Int) { ...A } fragment A on Query { missions(first: $n) { nodes { id } } }', { n: 1 }, { n: 100 }],
  [
    `query ($f: ChargesBreakdownResultFilter) { chargesBreakdown(${period}) { results(filter: $f) { nodes { services { cost } } } } }`,
    { f: { tn: { contains: '' } } },
    { f: { tn: { contains: '312' } } },
  ],
  ['query ($i: [ID!]!) { nodes(nodeIds: $i) { nodeId } }', { i: ['a'] }, { i: ['a', 'b', 'c'] }],
  [`query ($y: Boolean!) { chargesSummary(${period}) @skip(if: $y) { currency } }`, { y: true }, { y: false }],
  [
    `query ($y: Boolean!) { chargesSummary(${period}) { total @include(if: $y) { other } } }`,
    { y: true },
    { y: false },
  ],
  ['query ($y: Boolean!) { ... @include(if: $y) { missions { totalCount } } }', { y: true }, { y: false }],
])('the cost of %.60s follows its variables from request to request', ([text, one, other]) => {
  const document = parse(text);
  const kept = createEstimate();
  const fresh = (variables: Variables) => costOf(createEstimate(), document, variables);
  for (const variables of [one, other, one]) expect(costOf(kept, document, variables)).toEqual(fresh(variables));
  expect(fresh(one)).not.toEqual(fresh(other));
});
