import { defaultPageSize, largestPageSize } from '../../../src/bounds.ts';
import { describe, brief, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';

const tn = (index: number): string => `+1312555${String(index).padStart(4, '0')}`;
const rows = Array.from({ length: 45 }, (_, index) => records.chargesBreakdownResultRecord({ tn: tn(index) }));
const csv = (text: string, type = 'text/csv'): Reply => ({ text, headers: { 'content-type': type } });
const report: Reply = { json: { data: records.chargesBreakdownRecord({ results: rows }) } };

async function results(
  gateway: Gateway,
  args: string,
  selection = 'nodes { tn } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount',
) {
  const page = `results${args} { ${selection} }`;
  const answer = await gateway.query(`{ chargesBreakdown(startDate: "2026-10-01") { ${page} } }`);
  return { ...answer, results: answer.data.chargesBreakdown?.results };
}

function numbersOf({ nodes }: { readonly nodes: readonly { readonly tn: string }[] }): readonly number[] {
  return nodes.map((node) => Number(node.tn.slice(-4)));
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

test.for([
  ['(startDate: "2026-10-01")', 'start_date=2026-10-01'],
  ['(startDate: "2026-10-01", endDate: null)', 'start_date=2026-10-01'],
  ['(startDate: "2026-10-01", endDate: "2026-11-01")', 'start_date=2026-10-01&end_date=2026-11-01'],
])('a report of %s is asked for by %s, in either format', async ([args, query], { gateway, upstream }) => {
  upstream.script((request) => (request.query['format'] === 'csv' ? csv('tn\r\n') : report));
  await gateway.data(`{ chargesBreakdown${args} { currency } chargesBreakdownCsv${args} { content } }`);
  expect(upstream.requests.map(({ path, rawQuery }) => `${path}?${rawQuery}`).toSorted()).toEqual(
    ['csv', 'json'].map((format) => `/charges_breakdown?format=${format}&${query}`),
  );
});

describe('results', () => {
  test.for([
    ['', range(0, defaultPageSize), true, false],
    ['(first: 5)', range(0, 5), true, false],
    [`(first: ${largestPageSize})`, range(0, 45), false, false],
    ['(first: 5, offset: 42)', range(42, 45), false, true],
    ['(first: 5, offset: 45)', [], false, true],
    ['(last: 5)', range(40, 45), false, true],
    ['(first: 0)', [], true, false],
  ] as const)('%s are a page', async ([args, expected, hasNextPage, hasPreviousPage], { gateway, upstream }) => {
    upstream.script(() => report);
    const { errors, results: page } = await results(gateway, args);
    expect(errors).toEqual([]);
    expect(numbersOf(page)).toEqual(expected);
    expect(page.pageInfo).toMatchObject({ hasNextPage, hasPreviousPage });
    expect(page.totalCount).toBe(45);
    expect(upstream.requests).toHaveLength(1);
  });

  test.for([
    [`(first: ${largestPageSize + 1})`, ['first']],
    ['(last: 1, offset: 1)', ['offset']],
    ['(first: 1, after: "nonsense")', ['after']],
  ] as const)('%s are refused, and the rest of the report stays', async ([args, argument], { gateway, upstream }) => {
    upstream.script(() => report);
    const { data, errors } = await gateway.query(
      `{ chargesBreakdown(startDate: "2026-10-01") { currency results${args} { totalCount } } }`,
    );
    expect(data).toEqual({ chargesBreakdown: { currency: 'USD', results: null } });
    expect(brief(errors)).toEqual([`chargesBreakdown.results BAD_USER_INPUT ${argument.join('.')}`]);
    expect(errors[0].extensions).not.toHaveProperty('upstream');
  });

  test('refuse a cursor of another report', async ({ gateway, upstream }) => {
    upstream.script(() => report);
    const { results: page } = await results(gateway, '(first: 3)');
    const other = records.chargesBreakdownRecord({ results: rows, user_id: 'another' });
    upstream.script(() => ({ json: { data: other } }));
    const { errors } = await results(gateway, `(first: 3, after: "${page.pageInfo.endCursor}")`);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }]);
  });

  test('are empty where the list is', async ({ gateway, upstream }) => {
    upstream.script(() => ({ json: { data: { results: [] } } }));
    expect((await results(gateway, '')).results).toEqual({
      nodes: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

const query = (selection: string, args = 'startDate: "2026-10-01", endDate: "2026-11-01"'): string =>
  `{ chargesBreakdownCsv(${args}) { ${selection} } }`;

describe('the report as CSV', () => {
  test('makes no call where only its address is selected, with or without a key', async ({ gateway, upstream }) => {
    for (const key of ['some-key', null]) {
      const data = await gateway.data(`{ __typename ${query('url').slice(1)}`, { key });
      const url = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
      expect(data.chargesBreakdownCsv).toEqual({ url });
    }
    const { data } = await gateway.query(query('url content @skip(if: true)', 'startDate: "2026-10-01"'));
    expect(data.chargesBreakdownCsv).toEqual({ url: '/exports/charges-breakdown.csv?startDate=2026-10-01' });
    expect(upstream.requests).toEqual([]);
  });

  test('fails with the error of the upstream, at the argument that it names', async ({ gateway, upstream }) => {
    const errors = [{ code: '10015', title: 'Bad', source: { parameter: 'start_date' } }];
    upstream.script(() => ({ status: 400, json: { errors } }));
    const { errors: told } = await gateway.query(query('content'));
    expect(told).toMatchObject([{ message: 'Bad', extensions: { code: 'BAD_USER_INPUT', argument: ['startDate'] } }]);
  });
});
