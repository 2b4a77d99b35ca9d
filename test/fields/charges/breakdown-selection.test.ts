import { totalsPerList } from '../../../src/resources/charges/breakdown-totals.ts';
import { reportPasses, selectRows, sortedDigits } from '../../../src/resources/charges/charges-breakdown.ts';
import { describe, brief, expect, type Gateway, testOfFile as test } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';

const reportOf = (results: unknown): Reply => ({ json: { data: records.chargesBreakdownRecord({ results }) } });
const document = `query (
  $first: Int $after: String $last: Int $before: String
  $filter: ChargesBreakdownResultFilter $orderBy: ChargesBreakdownResultOrder
) {
  chargesBreakdown(startDate: "2026-10-01") {
    results(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
      nodes { tn cost services { cost } }
      pageInfo { hasNextPage startCursor endCursor }
      totalCount
    }
    totals(filter: $filter) {
      cost
      byCostType { costType cost }
      byServiceOwner { serviceOwnerUserId serviceOwnerEmail cost }
    }
  }
}`;

async function ask(gateway: Gateway, variables: Readonly<Record<string, unknown>>) {
  const answer = await gateway.query(document, { variables });
  return { ...answer, results: answer.data?.chargesBreakdown?.results, totals: answer.data?.chargesBreakdown?.totals };
}

test('a report with one number twice is whole, however many more rows are asked for', async ({ gateway, upstream }) => {
  const rows = Array.from({ length: 13 }, (_, index) =>
    records.chargesBreakdownResultRecord({ tn: `+131255501${index === 12 ? 20 : index + 10}` }),
  );
  upstream.script(() => reportOf(rows));
  const { results, errors } = await ask(gateway, {});
  expect(errors).toEqual([]);
  expect(results.nodes.map(({ tn }: { readonly tn: unknown }) => tn)).toEqual(rows.map(({ tn }) => tn));
  // The last is the eleventh once more.
  const { endCursor } = (await ask(gateway, { first: 11 })).results.pageInfo;
  expect((await ask(gateway, { first: 20, before: endCursor })).results.nodes).toHaveLength(10);
  expect((await ask(gateway, { last: 20, after: endCursor })).results.nodes).toHaveLength(2);
});

const numbers = ['+13125550100', '+13125550101', '+442075550102', '+13125550103'];
const four = numbers.map((tn, index) =>
  records.chargesBreakdownResultRecord({
    tn,
    charge_type: index === 2 ? 'international' : 'local',
    services: [{ cost_type: 'MRC', name: 'Number', cost: ['1.00', '2.50', '1.00', '1.0'][index] }],
  }),
);
const numbersOf = (results: { readonly nodes: readonly { readonly tn: string }[] }) =>
  results.nodes.map(({ tn }) => tn);

describe('an order', () => {
  test('leaves equal ones in the order of the report, forward and backward', async ({ gateway, upstream }) => {
    upstream.script(() => reportOf(four));
    const orderBy = { field: 'COST', direction: 'DESC' };
    const wanted = [1, 0, 2, 3].map((index) => numbers[index]);
    const { results, errors } = await ask(gateway, { orderBy });
    expect(errors).toEqual([]);
    expect(numbersOf(results)).toEqual(wanted);
    const back = await ask(gateway, { orderBy, last: 2, before: results.pageInfo.endCursor });
    expect(numbersOf(back.results)).toEqual(wanted.slice(1, 3));
  });

  test('of costs puts those that are not known last, whatever the direction', async ({ gateway, upstream }) => {
    const last = [
      { tn: 'missing', services: [{ cost: null }] },
      { tn: 'unlisted' },
      { tn: 'broken', services: [{ cost: '1.00' }, { cost: 'a lot' }] },
      { tn: 'no list', services: 'none' },
    ];
    // The last two are one double.
    const costs = ['0.01', '9007199254740992.5', '9007199254740993'];
    const some = costs.map((cost) => ({ tn: cost, services: [{ cost }] }));
    const known = [{ tn: 'none', services: [] }, ...some];
    upstream.script(() => reportOf([...last, ...known]));
    for (const [direction, first] of [
      ['ASC', known],
      ['DESC', known.toReversed()],
    ] as const) {
      const { results, totals } = await ask(gateway, { orderBy: { field: 'COST', direction } });
      expect(numbersOf(results)).toEqual([...first, ...last].map(({ tn }) => tn));
      expect(totals).toMatchObject({ cost: null, byCostType: null, byServiceOwner: [{ cost: null }] });
    }
  });

  test('of costs with more digits than can be remembered is an error of its own', async ({ gateway, upstream }) => {
    const long = { services: [{ cost: '1'.repeat(1_000) }] };
    const most = Array.from({ length: sortedDigits / 1_000 }, () => long);
    const sorted =
      '{ chargesBreakdown(startDate: "2026-10-01") { currency results(orderBy: { field: COST }) { totalCount } } }';
    upstream.script(() => reportOf(most));
    expect((await gateway.query(sorted)).data.chargesBreakdown.results).toEqual({ totalCount: most.length });
    upstream.script(() => reportOf([...most, { services: [{ cost: '1' }] }]));
    const { data, errors } = await gateway.query(sorted);
    expect(data).toEqual({ chargesBreakdown: { currency: 'USD', results: null } });
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: sortedDigits } }]);
  });
});

describe('a filter', () => {
  const empty = { tn: { contains: '' }, chargeType: { eq: '' }, serviceOwnerEmail: { eq: '' } };

  test.for([[null], [{}], [{ tn: { contains: null }, chargeType: {}, serviceOwnerEmail: null }], [empty]])(
    '%j leaves all rows, and is the same list as none',
    async ([filter], { gateway, upstream }) => {
      upstream.script(() => reportOf(four));
      const { results } = await ask(gateway, { first: 2 });
      const { results: next, errors } = await ask(gateway, { first: 9, filter, after: results.pageInfo.endCursor });
      expect(errors).toEqual([]);
      expect(numbersOf(next)).toEqual(numbers.slice(2));
    },
  );

  test('passes over rows that are none; without one they are listed', async ({ gateway, upstream }) => {
    upstream.script(() => reportOf([null, 7, 'x', ...four]));
    const { results, totals, errors } = await ask(gateway, { filter: { tn: { contains: '+' } } });
    expect(errors).toEqual([]);
    expect(results.totalCount).toBe(4);
    const cost = '5.50';
    expect(totals).toMatchObject({ cost, byCostType: [{ costType: 'MRC', cost }], byServiceOwner: [{ cost }] });
    const all = await ask(gateway, {});
    expect(all.totals).toEqual({ cost: null, byCostType: null, byServiceOwner: null });
    expect(all.results.totalCount).toBe(7);
  });
});

test('rows of which nothing but their numbers is shown are chosen by what they hold', async ({ gateway, upstream }) => {
  upstream.script(() => reportOf(four));
  for (const [args, expected] of [
    ['', [0, 1, 2, 3]],
    ['filter: { chargeType: { eq: "local" } }', [0, 1, 3]],
    ['filter: { tn: { contains: "+44" } }', [2]],
    ['filter: { serviceOwnerEmail: { eq: "nobody@example.com" } }', []],
    ['orderBy: { field: COST, direction: DESC }', [1, 0, 2, 3]],
    ['orderBy: { field: TN }', [0, 1, 3, 2]],
    ['filter: { chargeType: { eq: "local" } }, orderBy: { field: TN, direction: DESC }', [3, 1, 0]],
  ] as const) {
    const data = await gateway.data(
      `{ chargesBreakdown(startDate: "2026-10-01") { results(first: 9 ${args}) { nodes { tn } } } }`,
    );
    expect(numbersOf(data.chargesBreakdown.results)).toEqual(expected.map((index) => numbers[index]));
  }
});

const filter = { chargeType: { eq: 'local' } };
const orderBy = { field: 'COST', direction: 'DESC' };

test.for([
  [{ filter }, {}],
  [{}, { filter }],
  [{ filter }, { filter: { chargeType: { eq: 'Local' } } }],
  [{ filter }, { filter: { serviceOwnerEmail: { eq: 'local' } } }],
  [{ orderBy }, { orderBy: { field: 'COST', direction: 'ASC' } }],
  [{ orderBy }, { orderBy: { field: 'TN', direction: 'DESC' } }],
  [{ filter, orderBy }, { filter }],
])('a cursor of %j is refused for %j', async ([one, other], { gateway, upstream }) => {
  upstream.script(() => reportOf(four));
  const { results } = await ask(gateway, { first: 1, ...one });
  const { endCursor: after } = results.pageInfo;
  const refused = await ask(gateway, { first: 1, ...other, after });
  expect(refused.results).toBeNull();
  expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }]);
  const taken = await ask(gateway, { first: 1, ...one, after });
  expect(taken.errors).toEqual([]);
  expect(taken.results.nodes).toHaveLength(1);
});

test('a report that is kept is filtered, sorted and added up again without a call', async ({ startWith, upstream }) => {
  const gateway = await startWith({ REPORT_CACHE_MS: '10000' });
  upstream.script(() => reportOf(four));
  const { results: first } = await ask(gateway, { first: 2, orderBy: { field: 'COST' } });
  const { endCursor: after } = first.pageInfo;
  const { results: second } = await ask(gateway, { first: 2, orderBy: { field: 'COST' }, after });
  expect([...numbersOf(first), ...numbersOf(second)]).toEqual([0, 2, 3, 1].map((index) => numbers[index]));
  await ask(gateway, { filter: { chargeType: { eq: 'local' } } });
  expect(upstream.requests).toHaveLength(1);
});

test('a cost that cannot be added up fails its own sums alone', async ({ gateway, upstream }) => {
  const services = Object.entries({ MRC: '1e1001', OTC: '2' }).map(([cost_type, cost]) => ({ cost_type, cost }));
  upstream.script(() =>
    reportOf([
      { tn: '+1', service_owner_email: 'a', services: [{ cost_type: 'MRC', cost: '1.00' }] },
      { tn: '+2', service_owner_email: 'b', services },
    ]),
  );
  const { results, totals, errors } = await ask(gateway, {});
  expect(results.nodes).toEqual([
    { tn: '+1', cost: '1.00', services: [{ cost: '1.00' }] },
    { tn: '+2', cost: null, services: [{ cost: '1e1001' }, { cost: '2' }] },
  ]);
  expect(totals).toEqual({
    cost: null,
    byCostType: [
      { costType: 'OTC', cost: '2' },
      { costType: 'MRC', cost: null },
    ],
    byServiceOwner: [
      { serviceOwnerUserId: null, serviceOwnerEmail: 'a', cost: '1.00' },
      { serviceOwnerUserId: null, serviceOwnerEmail: 'b', cost: null },
    ],
  });
  const places = ['results.nodes.1', 'totals', 'totals.byCostType.1', 'totals.byServiceOwner.1'];
  expect(brief(errors)).toEqual(places.map((place) => `chargesBreakdown.${place}.cost UPSTREAM_BAD_RESPONSE`));
});

describe('totals', () => {
  test('by more owners than a list may have are an error', async ({ gateway, upstream }) => {
    const rows = Array.from({ length: totalsPerList + 1 }, (_, index) => ({
      tn: `+1${index}`,
      service_owner_email: `${index}@example.com`,
      services: [{ cost_type: 'MRC', cost: `${index}.5` }],
    }));
    upstream.script(() => reportOf(rows));
    const { totals, errors } = await ask(gateway, { first: 1 });
    expect(totals.byServiceOwner).toBeNull();
    expect(totals.byCostType).toEqual([{ costType: 'MRC', cost: totals.cost }]);
    const bound = { limit: totalsPerList, actual: totalsPerList + 1 };
    expect(errors).toMatchObject([{ path: ['chargesBreakdown', 'totals', 'byServiceOwner'], extensions: bound }]);
    const one = await ask(gateway, { first: 1, filter: { serviceOwnerEmail: { eq: '7@example.com' } } });
    expect(one.totals.byServiceOwner).toMatchObject([{ serviceOwnerEmail: '7@example.com', cost: '7.5' }]);
  });

  test.for([
    [{ tn: '+2', services: [null] }, true],
    [{ tn: '+2' }, false],
  ])('are not known beside the row %j, which is an error: %s', async ([row, isError], { gateway, upstream }) => {
    upstream.script(() => reportOf([...four, row]));
    const { totals, errors } = await ask(gateway, {});
    expect(totals).toMatchObject({ cost: null, byCostType: null });
    expect(errors.some(({ path }) => path.at(-1) === 'byCostType')).toBe(isError);
  });

  test('of a report without a list of results are null', async ({ gateway, upstream }) => {
    upstream.script(() => reportOf(null));
    const { data, errors } = await ask(gateway, { orderBy: { field: 'COST' } });
    expect(errors).toEqual([]);
    expect(data.chargesBreakdown).toEqual({ results: null, totals: null });
  });

  test('whose label is no text are an error at the label; owners may be integers', async ({ gateway, upstream }) => {
    const services = [{ cost_type: 7, cost: '1.00' }, { cost: '2' }];
    upstream.script(() => reportOf([12, 13, '12'].map((id) => ({ service_owner_user_id: id, services }))));
    const { totals, errors } = await ask(gateway, {});
    expect(totals.byCostType.map(Object.values).map(String)).toEqual([',6', ',3.00']);
    expect(totals.byServiceOwner.map(Object.values).map(String)).toEqual(['12,,6.00', '13,,3.00']);
    expect(errors.map(({ path }) => path)).toEqual([['chargesBreakdown', 'totals', 'byCostType', 1, 'costType']]);
  });
});

test('a pass through the report counts in the cost of an operation', async ({ gateway, upstream }) => {
  upstream.script(() => reportOf(four));
  const costWith = async (selection: string): Promise<number> => {
    const query = `{ chargesBreakdown(startDate: "2026-10-01") { ${selection} } }`;
    const { text } = await gateway.query(query, { headers: { 'x-cost': '1' } });
    return JSON.parse(text).extensions.cost.estimated;
  };
  const plain = await costWith('results { totalCount }');
  for (const args of [
    'filter: { tn: { contains: "1" } }',
    'orderBy: { field: TN }',
    'filter: {}, orderBy: { field: TN }',
  ])
    expect((await costWith(`results(${args}) { totalCount }`)) - plain).toBe(reportPasses.filtered);
  expect((await costWith('totals { cost }')) - plain).toBe(reportPasses.addedUp);
});

test('a report is sorted once in each order, by requests at the same time too', async () => {
  const byCost = { orderBy: { field: 'COST', direction: 'DESC' } } as const;
  const costAt = (index: number): number => (index * 7_919) % 100;
  const rows = Array.from({ length: 1_000 }, (_, index) =>
    records.chargesBreakdownResultRecord({ tn: `+${index}`, services: [{ cost: `${costAt(index)}.0` }] }),
  );
  const [one, other] = await Promise.all([selectRows(rows, byCost), selectRows(rows, byCost)]);
  expect(one).toBe(other);
  expect(await selectRows(rows, byCost)).toBe(one);
  expect(one).toEqual([...rows.keys()].sort((a, b) => costAt(b) - costAt(a)).map((index) => rows[index]));
});
