import { getOperationAST, getVariableValues, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { largestPageSize, nodesPerField } from '../../src/bounds.ts';
import { boundOf, withoutConditions } from '../../src/check-operations.ts';
import { nodeIdOf } from '../../src/graphql/nodes.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { ipConnection } from '../../src/resources/ip-connection.ts';
import { mission } from '../../src/resources/mission.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { webhookDelivery } from '../../src/resources/webhook-delivery.ts';
import { Random } from '../../src/sandbox/random.ts';
import { randomRequest } from '../paths/random/document.ts';
import { runs, seed } from '../support/runs.ts';

const schema = createSchema();
const createEstimate = () => createCostEstimate(schema, { scanPages: 60, lookUp: 'list', reportWeight: 2048 });
const estimateCost = createEstimate();
const nodeIds = [
  nodeIdOf(ipConnection, { id: 'a' }),
  nodeIdOf(mission, { mission_id: 'a' }),
  nodeIdOf(webhookDelivery, { id: 'a' }),
];

function costOf(text: string, variables: Readonly<Record<string, unknown>> = {}, estimate = createEstimate()) {
  const document = parse(text);
  const operation = getOperationAST(document);
  return operation && estimate(document, operation, variables);
}

function boundIn(text: string): number | null {
  const document = withoutConditions(parse(text));
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('There is no operation.');
  return boundOf(document, operation, { schema, estimateCost, nodeIds });
}

test.for<readonly [text: string, pieces: number]>([
  ['{ ...F } fragment F on Query { missions { totalCount } }', 0],
  ['{ ...F @defer } fragment F on Query { missions { totalCount } }', 1],
  ['{ missions(first: 7) { nodes { ... @defer { id } } } }', 7],
  ['{ nodes(nodeIds: ["a", "b"]) { ... @defer { nodeId } } }', 2],
  ['{ ipConnection(id: "a") { inbound { ... @defer { sipRegion } } } }', 1],
  ['{ webhookDeliveries(first: 2) { nodes { attempts { ... @defer { status } } } } }', Infinity],
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

test('nodes that are retrieved cost a call each, as many as one field takes', () => {
  const estimate = createCostEstimate(schema, { scanPages: 60, lookUp: 'retrieve' });
  const ids = Array.from({ length: nodesPerField + 1 }, (_, at) => nodeIdOf(mission, { mission_id: `m${at}` }));
  const document = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
  const calls = [ids.slice(2), ids.slice(1), ids].map((some) => costOf(document, { ids: some }, estimate)?.calls);
  expect(calls).toEqual([nodesPerField - 1, nodesPerField, nodesPerField]);
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
)('a cost that is kept follows the variables from request to request: $0', ([text, one, other]) => {
  const kept = createEstimate();
  for (const variables of [one, other, one]) expect(costOf(text, variables, kept)).toEqual(costOf(text, variables));
  expect(costOf(text, one)).not.toEqual(costOf(text, other));
});

const day = '{ gte: "2026-10-01T00:00:00Z", lte: "2026-10-02T00:00:00Z" }';

test.for([
  ['{ missions(first: 3) { totalCount } }', 2],
  ['query ($first: Int) { missions(first: $first) { nodes { id } } }', 502],
  ['query ($at: String) { missions(first: 3, after: $at) { nodes { id } } }', 84],
  ['query ($y: Boolean!) { missions(first: 3) { nodes @include(if: $y) { id } edges @skip(if: $y) { cursor } } }', 8],
  ['query ($y: Boolean!) { missions(first: 3) { totalCount edges @skip(if: $y) { cursor } } }', 5],
  [`query ($by: Interval!) { deliveryCounts(startedAt: ${day}, interval: $by) { buckets { total } } }`, 146],
  ['query ($at: DateTimeRangeFilter!) { deliveryCounts(startedAt: $at, interval: WEEK) { buckets { total } } }', 1026],
  ['query ($id: ID!) { mission(id: $id) { id } }', 61],
  ['query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }', 680],
] as const)('the bound of %s is %s', ([text, bound]) => {
  expect(boundIn(text)).toBe(bound);
});

test('the bound of an operation is not known where its variables have too many combinations', () => {
  // Each that may be left out doubles them.
  const withVariables = (count: number, type: string): string =>
    `query (${Array.from({ length: count }, (_, index) => `$v${index}: ${type}`).join(' ')}) { __typename }`;
  expect(boundIn(withVariables(12, 'Boolean'))).toBe(0);
  expect(boundIn(withVariables(13, 'Boolean'))).toBeNull();
  expect(boundIn(withVariables(100, 'Boolean!'))).toBe(0);
  expect(boundIn('query ($v: Unknown) { __typename }')).toBeNull();
});

test('no variables make a random operation cost more than its bound', () => {
  const harvest = { cursors: ['a'], nodeIds, ids: ['a'] };
  let priced = 0;
  let varied = 0;
  for (let number = 0; number < runs(300); number++) {
    const { query, variables } = randomRequest(schema, new Random(`bound ${seed} ${number}`), harvest);
    const document = parse(query);
    const operation = getOperationAST(document);
    // A router's references cost by the types that they name.
    if (operation == null || query.includes('_entities') || validate(schema, document).length > 0) continue;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    const cost = coerced && estimateCost(document, operation, coerced);
    if (cost == null) continue;
    priced++;
    if (operation.variableDefinitions?.length) varied++;
    const bound = boundIn(query) ?? Infinity;
    if (bound < cost.calls + cost.objects) expect({ query, variables, cost }).toEqual({ bound });
  }
  expect(priced).toBeGreaterThan(75);
  expect(varied).toBeGreaterThan(15);
});
