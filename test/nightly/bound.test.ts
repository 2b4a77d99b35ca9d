import { getOperationAST, getVariableValues, parse, validate } from 'graphql';
import { largestPageSize } from '../../src/bounds.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { Random } from '../../src/sandbox/random.ts';
import { randomRequest, type Harvest } from '../paths/random/document.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { runs, seed } from '../support/runs.ts';
import { createAccount } from './account.ts';

const schema = createSchema();

/** Cursors and nodeIds as the gateway gives them out, and the ids of every fortieth row. */
async function harvestOf(gateway: Gateway): Promise<Harvest> {
  const names = ['ipConnections', 'missions', 'webhookDeliveries'];
  const page = (name: string): string => `${name}(first: ${largestPageSize}) { edges { cursor node { id nodeId } } }`;
  const { data } = await gateway.query(`{ ${names.map(page).join(' ')} }`);
  const edges: { cursor: string; node: { id: string; nodeId: string } }[] = names
    .flatMap((name) => data[name].edges)
    .filter((_, index) => index % 40 === 0);
  return {
    cursors: edges.map(({ cursor }) => cursor),
    nodeIds: edges.map(({ node }) => node.nodeId),
    ids: edges.map(({ node }) => node.id),
  };
}

/** How many objects a value holds, without free-form ones; attempts and lines are one in each delivery and summary, headers none. */
function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || 'connection_id' in value) return 0;
  const inner = Object.values(value).reduce((total: number, member) => total + objectsIn(member), 0);
  return Array.isArray(value) ? inner : inner + 1;
}

/** What takes the most calls: pages at both ends of a list that moves, searches within rows, and reports side by side. */
const dear = ({ cursors: [first = ''], nodeIds }: Harvest): readonly string[] => [
  `{ ipConnections(last: 499, before: ${JSON.stringify(first)}) { nodes { id } } }`,
  `{ ipConnections(first: 500, after: ${JSON.stringify(first)}) { nodes { id } } b: missions(last: 500) { totalCount nodes { id } } }`,
  `{ ipConnections(first: 12) { nodes { webhookDeliveries(first: 130) { nodes { ipConnection { id } } } } } }`,
  `{ nodes(nodeIds: ${JSON.stringify(nodeIds)}) { nodeId } }`,
  '{ chargesHistoryByService(startDate: "2025-09-15", endDate: "2026-10-15") { months { endDate } services { name } } }',
  '{ ipConnections(filter: { active: true }) { totalCount nodes { id } } webhookDelivery(id: "d1099") { ipConnection { id } } }',
  `{ deliveryCounts(startedAt: { gte: "2026-10-29T00:00:00Z", lte: "2026-10-31T00:30:00Z" }, interval: HOUR, statuses: ["failed", "x"]) {
    buckets { total byStatus { count } } } deliveryFailures(first: 500) { groups { newest { ipConnection { id } } } } }`,
];

test.for([
  // Few pages leave the bound little room.
  ['list', 2],
  ['retrieve', 5],
] as const)(
  `no query makes more calls, or brings more objects, than was estimated (%s, %i pages, SEED=${seed})`,
  async ([lookUp, scanPages], { startWith, upstream }) => {
    const gateway = await startWith({
      UPSTREAM_LOOKUP: lookUp,
      UPSTREAM_SCAN_PAGES: String(scanPages),
      LIMIT_COST: '100000',
      LIMIT_ALIASES: '1000',
      LOG_LEVEL: 'silent',
    });
    const estimate = createCostEstimate(schema, { scanPages, lookUp });
    const account = createAccount();
    upstream.script((request) => account.answer(request));
    const harvest = await harvestOf(gateway);
    account.move();
    const random = Array.from({ length: runs(60) }, (_, number) =>
      randomRequest(schema, new Random(`${seed} bound ${number}`), harvest),
    );
    let [mostCalls, whole] = [0, 0];
    for (const { query, variables } of [...dear(harvest).map((text) => ({ query: text, variables: {} })), ...random]) {
      const document = parse(query);
      const operation = getOperationAST(document);
      if (operation == null || validate(schema, document).length > 0) continue;
      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
      const cost = coerced && estimate(document, operation, coerced);
      upstream.requests.length = 0;
      const { data, errors } = await gateway.query(query, { variables });
      if (errors.length === 0) whole++;
      if (cost == null) continue;
      expect(upstream.requests.length, query).toBeLessThanOrEqual(cost.calls);
      expect(objectsIn(data) - 1, query).toBeLessThanOrEqual(cost.objects);
      mostCalls = Math.max(mostCalls, upstream.requests.length);
    }
    // A run of refusals would prove little.
    expect([mostCalls > 10, whole > 10]).toEqual([true, true]);
  },
);
