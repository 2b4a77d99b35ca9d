import { getOperationAST, getVariableValues, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { nodeIdOf } from '../../src/graphql/nodes.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { boundOf, withoutConditions } from '../../src/check.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { ipConnection } from '../../src/resources/ip-connection.ts';
import { mission } from '../../src/resources/mission.ts';
import { webhookDelivery } from '../../src/resources/webhook-delivery.ts';
import { Random } from '../../src/sandbox/random.ts';
import { randomRequest } from '../paths/random/document.ts';
import { runs, seed } from '../support/runs.ts';

const schema = createSchema(readTypeDefs());
const estimateCost = createCostEstimate(schema, { scanPages: 60, lookUp: 'list', reportWeight: 2048 });
const nodeIds = [
  nodeIdOf(ipConnection, { id: 'a' }),
  nodeIdOf(mission, { mission_id: 'a' }),
  nodeIdOf(webhookDelivery, { id: 'a' }),
];

function boundIn(text: string): number | null {
  const document = withoutConditions(parse(text));
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('There is no operation.');
  return boundOf(document, operation, { schema, estimateCost, nodeIds });
}

test.for([
  ['{ missions(first: 3) { totalCount } }', 2],
  ['query ($first: Int) { missions(first: $first) { nodes { id } } }', 502],
  ['query ($at: String) { missions(first: 3, after: $at) { nodes { id } } }', 84],
  [
    'query ($is: Boolean!) { missions(first: 3) { nodes @include(if: $is) { id } edges @skip(if: $is) { cursor } } }',
    8,
  ],
  ['query ($is: Boolean!) { missions(first: 3) { totalCount edges @skip(if: $is) { cursor } } }', 5],
  [
    `query ($by: Interval!) { deliveryCounts(startedAt: { gte: "2026-10-01T00:00:00Z", lte: "2026-10-02T00:00:00Z" }, interval: $by) { buckets { total } } }`,
    146,
  ],
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
  expect(boundIn('mutation { a }')).toBeNull();
});

test('no variables make a random operation cost more than its bound', () => {
  const harvest = { cursors: ['a'], nodeIds, ids: ['a'] };
  let priced = 0;
  let varied = 0;
  for (let number = 0; number < runs(300); number++) {
    const { query, variables } = randomRequest(schema, new Random(`bound ${seed} ${number}`), harvest, 0);
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
