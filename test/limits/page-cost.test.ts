import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { largestPageSize } from '../../src/bounds.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { createSchema } from '../../src/resources/schema.ts';

const scanPages = 60;

const schema = createSchema(readTypeDefs());
const createEstimate = () => createCostEstimate(schema, { scanPages, lookUp: 'list' });

function costOf(text: string, variables: Readonly<Record<string, unknown>> = {}, estimate = createEstimate()) {
  const document = parse(text);
  const operation = getOperationAST(document);
  return operation && estimate(document, operation, variables);
}

test.for<readonly [text: string, pieces: number]>([
  ['{ __typename }', 0],
  ['{ ...F @defer } fragment F on Query { missions { totalCount } }', 1],
  ['{ missions(first: 7) { nodes { ... @defer { id } } } }', 7],
  ['{ nodes(nodeIds: ["a", "b"]) { ... @defer { nodeId } } }', 2],
  ['{ ipConnection(id: "a") { inbound { ... @defer { sipRegion } } } }', 1],
  ['{ webhookDeliveries(first: 2) { nodes { attempts { ... @defer { status } } } } }', Infinity],
  ['{ webhookDeliveries(first: 2) { nodes { attempts { status } } } }', 0],
  ['{ __schema { description } }', Infinity],
])('%s comes in %d pieces at most', ([text, pieces]) => {
  expect(costOf(text)?.pieces).toBe(pieces);
});

test.for<readonly [text: string, objects: number]>([
  ['query ($y: Boolean = true) { missions @skip(if: $y) { totalCount } }', 1],
  [`{ missions(first: ${largestPageSize + 1}) { nodes { id } } }`, 1 + largestPageSize],
  ['{ missions(first: "x") { nodes { id } } }', 0],
  ['{ missions(first: 3, last: 5) { nodes { id } } }', 6],
  ['{ unknown { id } ...Unknown }', 0],
  ['{ nodes(nodeIds: ["a"]) { ...F } } fragment F on IpConnection { inbound { sipRegion } }', 2],
])('a document counts what it may bring, also where it will fail: %s', ([text, objects]) => {
  expect(costOf(text)?.objects).toBe(objects);
});

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';

test.for<readonly [document: string, one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>]>(
  [
    ['query ($n: Int) { ...A } fragment A on Query { missions(first: $n) { nodes { id } } }', { n: 1 }, { n: 100 }],
    [
      `query ($f: ChargesBreakdownResultFilter) { chargesBreakdown(${period}) { results(filter: $f) { nodes { services { cost } } } } }`,
      { f: { tn: { contains: '' } } },
      { f: { tn: { contains: '312' } } },
    ],
    ['query ($i: [ID!]!) { nodes(nodeIds: $i) { nodeId } }', { i: ['a'] }, { i: ['a', 'b', 'c'] }],
    ['query ($y: Boolean!) { ... @include(if: $y) { missions { totalCount } } }', { y: true }, { y: false }],
    [`query ($y: Boolean!) { chargesSummary(${period}) { total @skip(if: $y) { other } } }`, { y: true }, { y: false }],
  ],
)('a cost that is kept follows the variables from request to request: %.60s', ([text, one, other]) => {
  const kept = createEstimate();
  for (const variables of [one, other, one]) expect(costOf(text, variables, kept)).toEqual(costOf(text, variables));
  expect(costOf(text, one)).not.toEqual(costOf(text, other));
});
