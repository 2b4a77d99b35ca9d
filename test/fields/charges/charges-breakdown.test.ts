import { describe } from 'vitest';
import { defaultPageSize, largestPageSize } from '../../../src/bounds.ts';
import { expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';

const tn = (index: number): string => `+1312555${String(index).padStart(4, '0')}`;
const rows = Array.from({ length: 45 }, (_, index) => records.chargesBreakdownResultRecord({ tn: tn(index) }));
const report: Reply = { json: { data: records.chargesBreakdownRecord({ results: rows }) } };

async function results(
  gateway: Gateway,
  args: string,
  selection = 'nodes { tn } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount',
) {
  const answer = await gateway.query(
    `{ chargesBreakdown(startDate: "2026-10-01") { results${args} { ${selection} } } }`,
  );
  return { ...answer, results: answer.data.chargesBreakdown?.results };
}

function numbersOf({ nodes }: { readonly nodes: readonly { readonly tn: string }[] }): readonly number[] {
  return nodes.map((node) => Number(node.tn.slice(-4)));
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('the call', () => {
  test.for([
    ['{ chargesBreakdown(startDate: "2026-10-01") { currency } }', 'format=json&start_date=2026-10-01'],
    ['{ chargesBreakdown(startDate: "2026-10-01", endDate: null) { currency } }', 'format=json&start_date=2026-10-01'],
    [
      '{ chargesBreakdownCsv(startDate: "2026-10-01", endDate: "2026-10-02") { content url } }',
      'format=csv&start_date=2026-10-01&end_date=2026-10-02',
    ],
  ] as const)('of %s is %s', async ([document, query], { gateway, upstream }) => {
    upstream.script((request) =>
      request.query['format'] === 'csv' ? { text: 'tn\r\n', headers: { 'content-type': 'text/csv' } } : report,
    );
    const { errors } = await gateway.query(document);
    expect(errors).toEqual([]);
    expect(upstream.requests.map(({ path, rawQuery }) => `${path}?${rawQuery}`)).toEqual([
      `/charges_breakdown?${query}`,
    ]);
  });

  test.for(['chargesBreakdown', 'chargesBreakdownCsv'])(
    'of %s is not made for a period that cannot be',
    async (field, { gateway, upstream }) => {
      const selection = field === 'chargesBreakdown' ? 'currency' : 'url content';
      for (const [args, argument] of [
        ['startDate: "2026-10-01", endDate: "2026-10-01"', 'endDate'],
        ['startDate: "2026-10-01", endDate: "2026-11-02"', 'endDate'],
        ['startDate: "2026-10-32"', 'startDate'],
      ]) {
        const { data, errors } = await gateway.query(`{ ${field}(${args}) { ${selection} } }`);
        expect(data).toEqual({ [field]: null });
        expect(errors).toMatchObject([
          { path: [field], extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: [argument] } },
        ]);
      }
      expect(upstream.requests).toEqual([]);
    },
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
  ] as const)(
    '%s are a page of the report',
    async ([args, expected, hasNextPage, hasPreviousPage], { gateway, upstream }) => {
      upstream.script(() => report);
      const { errors, results: page } = await results(gateway, args);
      expect(errors).toEqual([]);
      expect(numbersOf(page)).toEqual(expected);
      expect(page.pageInfo).toMatchObject({ hasNextPage, hasPreviousPage });
      expect(page.totalCount).toBe(45);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test('are walked forward and backward by their cursors, every row once', async ({ gateway, upstream }) => {
    upstream.script(() => report);
    for (const [size, edge, back] of [
      ['first', 'endCursor', false],
      ['last', 'startCursor', true],
    ] as const) {
      const seen: number[][] = [];
      for (let cursor: string | null = ''; cursor !== null && seen.length < 10;) {
        const from: string = cursor === '' ? '' : `, ${back ? 'before' : 'after'}: "${cursor}"`;
        const { errors, results: page } = await results(gateway, `(${size}: 10${from})`);
        expect(errors).toEqual([]);
        seen.push([...numbersOf(page)]);
        cursor = (back ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage) ? page.pageInfo[edge] : null;
      }
      expect((back ? seen.toReversed() : seen).flat()).toEqual(range(0, 45));
    }
  });

  test.for([
    ['(first: -1)', ['first']],
    [`(first: ${largestPageSize + 1})`, ['first']],
    ['(first: 1, offset: -1)', ['offset']],
    ['(last: 1, offset: 1)', ['offset']],
    ['(first: 1, after: "nonsense")', ['after']],
  ] as const)('%s are refused, and the rest of the report stays', async ([args, argument], { gateway, upstream }) => {
    upstream.script(() => report);
    const { data, errors } = await gateway.query(
      `{ chargesBreakdown(startDate: "2026-10-01") { currency results${args} { totalCount } } }`,
    );
    expect(data).toEqual({ chargesBreakdown: { currency: 'USD', results: null } });
    expect(errors).toMatchObject([
      { path: ['chargesBreakdown', 'results'], extensions: { code: 'BAD_USER_INPUT', argument } },
    ]);
    expect(errors[0].extensions).not.toHaveProperty('upstream');
  });

  test('refuse a cursor of another report', async ({ gateway, upstream }) => {
    upstream.script(() => report);
    const { results: page } = await results(gateway, '(first: 3)');
    upstream.script(() => ({
      json: { data: records.chargesBreakdownRecord({ results: rows, user_id: 'another' }) },
    }));
    const { errors } = await results(gateway, `(first: 3, after: "${page.pageInfo.endCursor}")`);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }]);
  });

  test('are null where none were sent, and empty where the list is', async ({ gateway, upstream }) => {
    upstream.script(() => ({ json: { data: { results: null } } }));
    expect((await results(gateway, '')).data).toEqual({ chargesBreakdown: { results: null } });
    upstream.script(() => ({ json: { data: { results: [] } } }));
    expect((await results(gateway, '')).results).toEqual({
      nodes: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('stay readable in a report whose head is not', async ({ gateway, upstream }) => {
    const head = { user_id: records.rawNumber('1.5'), start_date: { toString: 1 }, end_date: [] };
    upstream.script(() => ({ json: { data: records.chargesBreakdownRecord({ ...head, results: rows }) } }));
    const { data, errors } = await gateway.query(
      '{ chargesBreakdown(startDate: "2026-10-01") { userId startDate endDate results(first: 1) { nodes { tn } } } }',
    );
    expect(data.chargesBreakdown).toEqual({
      userId: null,
      startDate: null,
      endDate: null,
      results: { nodes: [{ tn: tn(0) }] },
    });
    expect(errors.map(({ path }) => path[1])).toEqual(['userId', 'startDate', 'endDate']);
  });

  test('that are no list fail alone', async ({ gateway, upstream }) => {
    upstream.script(() => ({ json: { data: records.chargesBreakdownRecord({ results: { canary: 1 } }) } }));
    const { data, errors } = await gateway.query(
      '{ chargesBreakdown(startDate: "2026-10-01") { currency results { totalCount } } }',
    );
    expect(data).toEqual({ chargesBreakdown: { currency: 'USD', results: null } });
    expect(errors).toMatchObject([
      { path: ['chargesBreakdown', 'results'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
  });
});

const query = (selection: string, args = 'startDate: "2026-10-01", endDate: "2026-11-01"'): string =>
  `{ chargesBreakdownCsv(${args}) { ${selection} } }`;

const csv = (text: string, type = 'text/csv'): Reply => ({ text, headers: { 'content-type': type } });

describe('the report as CSV', () => {
  test('is returned to the letter', async ({ gateway, upstream }) => {
    const text = '\uFEFFtn,"na""me",cost\r\n+13125550100,"é, ☎\n",0.10\r\n\r\n';
    for (const type of ['text/csv', 'text/csv; charset=utf-8', 'text/plain', 'application/octet-stream']) {
      upstream.script(() => csv(text, type));
      const { data, errors } = await gateway.query(query('content'));
      expect(errors).toEqual([]);
      expect(data.chargesBreakdownCsv.content).toBe(text);
    }
  });

  test('makes no call where only its address is selected, with or without a key', async ({ gateway, upstream }) => {
    for (const key of ['some-key', null]) {
      const { data, errors } = await gateway.query(`{ __typename ${query('url').slice(1)}`, { key });
      expect(errors).toEqual([]);
      expect(data.chargesBreakdownCsv).toEqual({
        url: '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01',
      });
    }
    const { data } = await gateway.query(query('url content @skip(if: true)', 'startDate: "2026-10-01"'));
    expect(data.chargesBreakdownCsv).toEqual({ url: '/exports/charges-breakdown.csv?startDate=2026-10-01' });
    expect(upstream.requests).toEqual([]);
  });

  test('has an address at which the same report is downloaded', async ({ gateway, upstream }) => {
    upstream.script(() => csv('tn\r\n+1\r\n'));
    const { data } = await gateway.query(query('url content'));
    const response = await gateway.fetch(data.chargesBreakdownCsv.url, { headers: { authorization: 'Bearer k' } });
    expect(await response.text()).toBe(data.chargesBreakdownCsv.content);
    expect(upstream.requests[0]?.rawQuery).toBe(upstream.requests[1]?.rawQuery);
  });

  test.for([
    csv('<html>canary</html>', 'text/html; charset=utf-8'),
    csv('<!DOCTYPE html><p>canary', 'text/plain'),
    { json: { data: { canary: true } } },
  ])('is not %j', async (reply, { gateway, upstream }) => {
    upstream.script(() => reply);
    const { data, errors, text } = await gateway.query(query('content url'));
    expect(data).toEqual({ chargesBreakdownCsv: null });
    expect(errors).toMatchObject([
      {
        path: ['chargesBreakdownCsv'],
        extensions: {
          code: 'UPSTREAM_BAD_RESPONSE',
          retryable: false,
          upstream: { operation: 'GET /charges_breakdown', status: 200 },
        },
      },
    ]);
    expect(text).not.toContain('canary');
  });

  test('fails with the error of the upstream, at the argument that it names', async ({ gateway, upstream }) => {
    upstream.script(() => ({
      status: 400,
      json: { errors: [{ code: '10015', title: 'Bad', source: { parameter: 'start_date' } }] },
    }));
    const { errors } = await gateway.query(query('content'));
    expect(errors).toMatchObject([{ message: 'Bad', extensions: { code: 'BAD_USER_INPUT', argument: ['startDate'] } }]);
  });
});
