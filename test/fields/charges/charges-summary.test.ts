import { describe, brief, expect, testOfFile as test } from '../../support/gateway.ts';
import * as records from '../../support/records.ts';
import { withLines } from './summaries.ts';

const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';

describe('a period', () => {
  test.for([
    ['2026-10-01', '2026-10-01', 'endDate', /later than startDate/],
    ['2026-10-02', '2026-10-01', 'endDate', /later than startDate/],
    ['2026-10-01', '2026-11-02', 'endDate', /31 days.* 32\b/],
    ['2024-02-28', '2024-03-31', 'endDate', /31 days/],
    ['2026-02-30', '2026-03-01', 'startDate', /calendar date/],
    ['2026-10-01', '2026-10-02\n', 'endDate', /calendar date/],
  ] as const)('from %j to %j is refused at %s, before any call', async (row, { gateway, upstream }) => {
    const [startDate, endDate, argument, words] = row;
    const fields = [
      'chargesSummary { currency }',
      'chargesBreakdown { currency }',
      'chargesBreakdownCsv { url content }',
    ];
    for (const field of fields) {
      const [name = ''] = field.split(' ');
      const { status, data, errors } = await gateway.query(
        `query ($from: Date!, $to: Date!) { ${field.replace(' ', '(startDate: $from, endDate: $to) ')} }`,
        { variables: { from: startDate, to: endDate } },
      );
      expect([status, data]).toEqual([200, { [name]: null }]);
      const requestId = expect.any(String);
      const extensions = { code: 'BAD_USER_INPUT', retryable: false, argument: [argument], requestId };
      expect(errors).toMatchObject([{ path: [name], message: expect.stringMatching(words) }]);
      expect(errors[0].extensions).toEqual(extensions);
    }
    expect(upstream.requests).toEqual([]);
  });

  test('that is bad fails its own field alone, as a literal or a variable', async ({ gateway, upstream }) => {
    upstream.script(() => ({ json: { data: records.chargesSummaryRecord() } }));
    const { data, errors } = await gateway.query(
      `query ($bad: Date!) {
        good: chargesSummary${period} { currency }
        literal: chargesSummary(startDate: "2026-02-30", endDate: "2026-11-01") { currency }
        variable: chargesSummary(startDate: "2026-10-01", endDate: $bad) { currency }
      }`,
      { variables: { bad: 'soon' } },
    );
    expect(data).toEqual({ good: { currency: 'USD' }, literal: null, variable: null });
    const refused = ['literal BAD_USER_INPUT startDate', 'variable BAD_USER_INPUT endDate'];
    expect(brief(errors).toSorted()).toEqual(refused);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a report for another period than was asked for', () => {
  const queries = [
    `{ report: chargesSummary${period} { currency total { grandTotal } } }`,
    // Keeps the query off the bytes and off the plan.
    `{ __schema { __typename } report: chargesSummary${period} { currency } }`,
    `{ report: chargesBreakdown${period} { results { totalCount } } }`,
    `{ report: chargesHistory${period} { currency } }`,
    '{ report: chargesForecast(month: "2026-11-01", months: 1) { expected } }',
  ];
  const others = [{ start_date: '2026-10-02' }, { end_date: '2026-11-02' }, { start_date: '2026-09-30T00:00:00Z' }];

  test.for(queries)('is an error, and the right one is not: %s', async (query, { gateway, upstream }) => {
    const send = (fields: records.JsonRecord) =>
      upstream.script(({ path }) => {
        const isSummary = path === '/charges_summary';
        return { json: { data: (isSummary ? records.chargesSummaryRecord : records.chargesBreakdownRecord)(fields) } };
      });
    for (const other of others) {
      send(other);
      const { data, errors } = await gateway.query(query);
      expect([null, [null]]).toContainEqual(data.report);
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
      expect(errors[0].message).toMatch(/sent a report for another period: its (start|end)_date is /);
    }
    send({});
    expect((await gateway.query(query)).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(others.length + 1);
  });
});

const ofLines = (...lines: readonly unknown[]) => ({
  json: { data: records.chargesSummaryRecord(withLines(...lines)) },
});

const oddTypes = ['third', '__proto__', ['simple']];
test.for(oddTypes)('a line of type %j costs itself alone', async (type, { gateway, upstream }) => {
  upstream.script(() => ofLines(records.simpleLine(), records.simpleLine({ type }), records.comparativeLine()));
  const { data, errors } = await gateway.query(`{ chargesSummary${period} { summary { lines { __typename } } } }`);
  const names = data.chargesSummary.summary.lines.map((line: object | null) => line && Object.values(line)[0]);
  expect(names).toEqual(['SimpleLine', null, 'ComparativeLine']);
  expect(brief(errors)).toEqual(['chargesSummary.summary.lines.1 UPSTREAM_BAD_RESPONSE']);
});

describe('the amount of a comparative line', () => {
  const amount = `{ chargesSummary${period} { summary { lines { ... on ServiceLine { amount } } } } }`;

  test('is one of what every line has, whatever its shape', async ({ gateway, upstream }) => {
    upstream.script(() => ofLines(records.comparativeLine({ new_this_month: { mrc: '1.00' } }), records.simpleLine()));
    const data = await gateway.data(amount.replace('{ amount', '{ __typename type name alias amount'));
    expect(data.chargesSummary.summary.lines.map(Object.values)).toEqual([
      ['ComparativeLine', 'comparative', 'Phone Numbers', 'phone_numbers', '231.10'],
      ['SimpleLine', 'simple', 'Number Lookups', 'number_lookups', '4.80'],
    ]);
  });

  test.for([
    [{ mrc: '0.1' }, { mrc: '0.2', otc: null }, '0.3'],
    [{ mrc: '9007199254740993.01', otc: '-0.001' }, { mrc: '0' }, '9007199254740993.009'],
    [{ mrc: '1e2', otc: '+1' }, { mrc: '.50', otc: '-200.' }, '-98.50'],
  ] as const)('of %j and %j is %s, to the digit', async ([added, existing, expected], { gateway, upstream }) => {
    upstream.script(() => ofLines(records.comparativeLine({ new_this_month: added, existing_this_month: existing })));
    const data = await gateway.data(amount);
    expect(data.chargesSummary.summary.lines).toEqual([{ amount: expected }]);
  });

  test.for([
    [{ new_this_month: { mrc: 12 } }, 'mrc'],
    [{ new_this_month: { mrc: '12.00', otc: 'none' } }, 'otc'],
    [{ new_this_month: null }, 'new_this_month'],
    [{ existing_this_month: [] }, 'existing_this_month'],
    [{ existing_this_month: { mrc: '1e1000000000' } }, 'exponent'],
  ] as const)('fails its line alone where it is not known: %j', async ([fields, named], { gateway, upstream }) => {
    upstream.script(() => ofLines(records.comparativeLine(fields), records.simpleLine()));
    const { data, errors } = await gateway.query(amount);
    expect(data.chargesSummary.summary.lines).toEqual([null, { amount: '4.80' }]);
    const path = ['chargesSummary', 'summary', 'lines', 0, 'amount'];
    expect(errors).toMatchObject([{ message: expect.stringContaining(named), path }]);
    expect(errors[0].extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
  });
});
