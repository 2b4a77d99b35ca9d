import fc from 'fast-check';
import { getOperationAST, parse } from 'graphql';
import { defaultPageSize, historyMonths, largestPageSize, nodesPerField } from '../../src/bounds.ts';
import { nodeIdOf } from '../../src/graphql/identity/node-id.ts';
import { mission } from '../../src/resources/mission.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createCostEstimate } from '../../src/limits/cost.ts';
import { listIpConnections } from '../../src/resources/ip-connection.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { createAccount } from './account.ts';
import { runs } from '../support/runs.ts';

interface Names {
  readonly cursors: Readonly<Record<'ipConnections' | 'missions' | 'webhookDeliveries', readonly string[]>>;
  readonly nodeIds: readonly string[];
}

/** Cursors and nodeIds as the gateway gives them out, some of rows that are no longer where they were. */
async function collectNames(gateway: Gateway): Promise<Names> {
  const page = (name: string): string =>
    `${name}(first: ${largestPageSize}) { edges { cursor node { nodeId } } } ${name}Later: ${name}(last: 5) { edges { cursor node { nodeId } } }`;
  const { data } = await gateway.query(`{ ${page('ipConnections')} ${page('missions')} ${page('webhookDeliveries')} }`);
  interface Edges {
    edges: { cursor: string; node: { nodeId: string } }[];
  }
  const edges = (name: string): Edges['edges'] => [
    ...(data[name] as Edges).edges.filter((_, index) => index % 37 === 0),
    ...(data[`${name}Later`] as Edges).edges,
  ];
  const cursorsOf = (name: string): string[] => edges(name).map(({ cursor }) => cursor);
  return {
    cursors: {
      ipConnections: cursorsOf('ipConnections'),
      missions: cursorsOf('missions'),
      webhookDeliveries: cursorsOf('webhookDeliveries'),
    },
    nodeIds: ['ipConnections', 'missions', 'webhookDeliveries'].flatMap((name) =>
      edges(name).map(({ node }) => node.nodeId),
    ),
  };
}

const { pageLimit } = listIpConnections;
const sizes = fc.oneof(
  fc.constantFrom(0, 1, 5, defaultPageSize, pageLimit, pageLimit + 1, largestPageSize),
  fc.integer({ min: 0, max: largestPageSize }),
);

/** The paging arguments of a page, in every combination that is taken. */
function paging(cursors: readonly string[]): fc.Arbitrary<string> {
  const cursor = fc.constantFrom(...cursors);
  return fc.oneof(
    fc.constant(''),
    sizes.map((first) => `(first: ${first})`),
    sizes.map((last) => `(last: ${last})`),
    fc.tuple(sizes, sizes).map(([first, last]) => `(first: ${first}, last: ${last})`),
    fc
      .tuple(sizes, fc.integer({ min: 0, max: 3 * largestPageSize }))
      .map(([first, offset]) => `(first: ${first}, offset: ${offset})`),
    fc.tuple(sizes, cursor).map(([first, after]) => `(first: ${first}, after: "${after}")`),
    fc.tuple(sizes, cursor).map(([last, after]) => `(last: ${last}, after: "${after}")`),
    fc.tuple(sizes, cursor).map(([last, before]) => `(last: ${last}, before: "${before}")`),
    fc.tuple(sizes, cursor).map(([first, before]) => `(first: ${first}, before: "${before}")`),
    fc
      .tuple(sizes, cursor, cursor)
      .map(([last, after, before]) => `(last: ${last}, after: "${after}", before: "${before}")`),
  );
}

/** A history of as many months as one may have, which begins within one and touches one more. */
const longestHistory = `(startDate: "${new Date(Date.UTC(2026, 9 - historyMonths, 15)).toISOString().slice(0, 10)}", endDate: "2026-10-15")`;

function operations({ cursors, nodeIds }: Names): fc.Arbitrary<string> {
  const delivery = fc.constantFrom('id', 'id status', 'ipConnection { id }', 'attempts { status } ipConnection { id }');
  const relation = fc
    .tuple(
      fc.constantFrom('', '(first: 3)', '(first: 130)', '(first: 2, filter: { attempts: { contains: "backup" } })'),
      delivery,
    )
    .map(([args, selection]) => `webhookDeliveries${args} { nodes { ${selection} } }`);
  const connection = fc.oneof(
    fc.constantFrom('id', 'connectionName inbound { sipRegion }'),
    relation,
    relation.map((inner) => `... on IpConnection { id ${inner} }`),
  );
  const rows = (selection: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(selection, fc.constantFrom('nodes', 'edges', 'totalCount', 'offset', 'pageInfo')).map(([inner, shape]) => {
      if (shape === 'totalCount' || shape === 'offset') return `{ ${shape} }`;
      if (shape === 'pageInfo') return '{ pageInfo { endCursor } }';
      return shape === 'nodes' ? `{ nodes { ${inner} } totalCount }` : `{ edges { cursor node { ${inner} } } }`;
    });
  const field = fc.oneof(
    fc.tuple(paging(cursors.missions), rows(fc.constant('id name'))).map(([args, inner]) => `missions${args} ${inner}`),
    fc
      .tuple(paging(cursors.webhookDeliveries), rows(delivery))
      .map(([args, inner]) => `webhookDeliveries${args} ${inner}`),
    fc
      .tuple(paging(cursors.ipConnections), rows(fc.constantFrom('id', 'connectionName')))
      .map(([args, inner]) => `ipConnections${args} ${inner}`),
    fc
      .tuple(fc.integer({ min: 0, max: 12 }), rows(connection))
      .map(([first, inner]) => `ipConnections(first: ${first}) ${inner}`),
    fc
      .tuple(fc.integer({ min: 0, max: 700 }), connection)
      .map(([id, inner]) => `ipConnection(id: "c${id}") { ${inner} }`),
    fc.integer({ min: 0, max: 1_400 }).map((id) => `mission(id: "m${id}") { name }`),
    fc
      .tuple(fc.integer({ min: 0, max: 1_200 }), delivery)
      .map(([id, inner]) => `webhookDelivery(id: "d${id}") { ${inner} }`),
    fc.constantFrom(...nodeIds).map((id) => `node(nodeId: "${id}") { nodeId }`),
    fc
      .oneof(
        { weight: 5, arbitrary: fc.array(fc.constantFrom(...nodeIds), { maxLength: 12 }) },
        {
          weight: 1,
          arbitrary: fc.constant(Array.from({ length: nodesPerField }, (_, index) => nodeIds[index % nodeIds.length])),
        },
      )
      .map((ids) => `nodes(nodeIds: ${JSON.stringify(ids)}) { nodeId }`),
    fc.array(fc.integer({ min: 0, max: 1_400 }), { maxLength: 8 }).map((ids) => {
      const references = ids.map((id) =>
        id % 2 === 0 ? `{ __typename: "Mission", id: "m${id}" }` : `{ __typename: "IpConnection", id: "c${id}" }`,
      );
      return `_entities(representations: [${references.join(', ')}]) { __typename ... on Mission { name } ... on IpConnection { connectionName } }`;
    }),
    fc.constant(`chargesHistory${longestHistory} { currency }`),
    fc
      .constantFrom('services { name }', 'services(first: 2, orderBy: TOTAL) { total }', 'grandTotal')
      .map((inner) => `chargesHistoryByService${longestHistory} { months { summary { currency } } ${inner} }`),
    fc
      .integer({ min: 1, max: historyMonths })
      .map((months) => `chargesForecast(month: "2026-10-01", months: ${months}) { low }`),
    fc
      .constantFrom('{ active: true }', '{ active: false, tags: { contains: "a" } }', '{ tags: { contains: "" } }')
      .map((filter) => `ipConnections(filter: ${filter}) { totalCount nodes { id } }`),
    fc
      .tuple(fc.integer({ min: 0, max: 700 }), rows(delivery))
      .map(([id, inner]) => `webhookDeliveries(filter: { connectionId: "c${id}" }) ${inner}`),
    fc
      .constantFrom(
        'currency',
        'previous { currency }',
        'previous { previous { currency } }',
        'isComplete changes { change }',
      )
      .map((inner) => `chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { ${inner} }`),
    fc.constant('chargesBreakdown(startDate: "2026-10-01") { results { totalCount } }'),
    fc
      .tuple(
        fc.integer({ min: 0, max: 90 }),
        fc.constantFrom('HOUR', 'DAY', 'WEEK'),
        fc.constantFrom('', ', statuses: []', ', statuses: ["delivered", "expired", "failed"]'),
        fc.constantFrom('start', 'total', 'total byStatus { status count }'),
      )
      .map(([hours, interval, statuses, inner]) => {
        const gte = new Date(Date.UTC(2026, 9, 31, -hours)).toISOString();
        const range = `{ gte: "${gte}", lte: "2026-10-31T00:30:00Z" }`;
        return `deliveryCounts(startedAt: ${range}, interval: ${interval}${statuses}) { buckets { ${inner} } }`;
      }),
    fc
      .tuple(
        fc.constantFrom(
          '',
          '(first: 3)',
          '(first: 500, filter: { attempts: { contains: "vvv" } })',
          '(filter: { connectionId: "c3" })',
        ),
        fc.constantFrom('count', 'address newest { id ipConnection { id } }'),
      )
      .map(([args, inner]) => `deliveryFailures${args} { groups { ${inner} } examined }`),
  );
  return fc
    .array(field, { minLength: 1, maxLength: 4 })
    .map((fields) => `query { ${fields.map((text, index) => `a${index}: ${text}`).join(' ')} }`);
}

// The errors that a random query may get all the same: for a cursor of another list, and for a search that would be too long.
const refusals = new Set(['BAD_USER_INPUT', 'QUERY_TOO_COMPLEX']);

function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((total: number, member) => total + objectsIn(member), 0);
  return Array.isArray(value) ? inner : inner + 1;
}

const settings = [
  // Few pages leave the bound little room.
  ['list', 2],
  ['retrieve', 5],
] as const;

test.for(settings)(
  'no query makes more calls, or brings more objects, than was estimated (%s, %i pages)',
  { timeout: 120_000 },
  async ([lookUp, scanPages], { startWith, upstream }) => {
    const gateway = await startWith({
      UPSTREAM_LOOKUP: lookUp,
      UPSTREAM_SCAN_PAGES: String(scanPages),
      LIMIT_COST: '100000',
      LOG_LEVEL: 'silent',
    });
    const estimate = createCostEstimate(createSchema(readTypeDefs()), { scanPages, lookUp });
    const account = createAccount();
    upstream.script((request) => account.answer(request));
    const names = await collectNames(gateway);
    account.move();
    let mostCalls = 0;
    await fc.assert(
      fc.asyncProperty(operations(names), async (document) => {
        upstream.requests.length = 0;
        const { data, errors } = await gateway.query(document);
        const parsed = parse(document);
        const operation = getOperationAST(parsed);
        const cost = operation && estimate(parsed, operation, {});
        const codes = errors.map(({ extensions }) => extensions.code);
        expect(codes.filter((code) => !refusals.has(code))).toEqual([]);
        expect(upstream.requests.length).toBeLessThanOrEqual(cost?.calls ?? 0);
        // The lists within records are one attempt and no header long here.
        expect(objectsIn(data) - 1).toBeLessThanOrEqual(cost?.objects ?? 0);
        mostCalls = Math.max(mostCalls, upstream.requests.length);
      }),
      { numRuns: runs(6), endOnFailure: true },
    );
    expect(mostCalls).toBeGreaterThan(10);
  },
);

const missionIds = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

/** A field at a size, the most of that which it takes, and what it brings then. */
const sized: readonly (readonly [name: string, fieldAt: (size: number) => string, most: number])[] = [
  ['first', (size) => `missions(first: ${size}) { nodes { id } }`, largestPageSize],
  ['last', (size) => `missions(last: ${size}) { nodes { id } }`, largestPageSize],
  [
    'nodeIds',
    (size) => {
      const ids = missionIds(size).map((id) => nodeIdOf(mission, records.missionRecord({ mission_id: id })));
      return `nodes(nodeIds: ${JSON.stringify(ids)}) { ... on Mission { id } }`;
    },
    nodesPerField,
  ],
];

test.for(sized)(
  'the largest %s that is taken is the largest that is counted in the cost',
  async ([argument, fieldAt, most], { startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_LOOKUP: 'retrieve', LOG_LEVEL: 'silent' });
    const account = createAccount();
    upstream.script((request) => account.answer(request));
    const costAt = async (size: number) => {
      const { errors, text } = await gateway.query(`{ field: ${fieldAt(size)} }`, { headers: { 'x-cost': '1' } });
      const { data, extensions } = JSON.parse(text);
      return { errors, rows: objectsIn(data) - 1, estimated: extensions.cost.estimated as number };
    };
    const [before, whole, beyond] = [await costAt(most - 1), await costAt(most), await costAt(most + 1)];
    expect(whole.errors).toEqual([]);
    expect(whole.rows - before.rows).toBe(1);
    expect(whole.rows).toBeGreaterThanOrEqual(most);
    expect(whole.estimated).toBeGreaterThan(before.estimated);
    expect(beyond.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: [argument] } }]);
  },
);

test('a page without a size has as many rows as its cost counts', async ({ gateway, upstream }) => {
  const account = createAccount();
  upstream.script((request) => account.answer(request));
  const page = `{ missions { nodes { id } } }`;
  const { text } = await gateway.query(page, { headers: { 'x-cost': '1' } });
  const { data, extensions } = JSON.parse(text);
  expect(data.missions.nodes).toHaveLength(defaultPageSize);
  expect(extensions.cost).toEqual({ estimated: 2 + defaultPageSize, upstreamCalls: 1 });
});
