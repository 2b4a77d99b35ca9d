import * as fc from 'fast-check';
import { describe } from 'vitest';
import { daysBetween } from '../../../../src/billing/date-interval.ts';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import * as records from '../../../support/records.ts';

const document = /* GraphQL */ `
  query ($startDate: Date!, $endDate: Date!) {
    chargesSummary(startDate: $startDate, endDate: $endDate) {
      startDate
      endDate
    }
  }
`;

describe('a period', () => {
  test.for([
    ['2026-10-01', '2026-10-02'],
    ['2026-10-01', '2026-11-01'],
    ['2026-01-31', '2026-03-03'],
    ['2024-02-28', '2024-03-30'],
    ['2024-02-29', '2024-03-31'],
    ['2025-12-31', '2026-01-31'],
    ['1999-12-31', '2000-01-01'],
    ['2026-03-15', '2026-04-15'],
    ['0001-01-01', '0001-01-31'],
  ])('from %s to %s is asked for as it is given', async ([startDate, endDate], { gateway, upstream }) => {
    upstream.script(() => ({
      json: { data: records.chargesSummaryRecord({ start_date: startDate, end_date: endDate }) },
    }));
    const { data, errors } = await gateway.query(document, { variables: { startDate, endDate } });
    expect(errors).toEqual([]);
    expect(data.chargesSummary).toEqual({ startDate, endDate });
    expect(upstream.requests.map(({ path, rawQuery }) => `${path}?${rawQuery}`)).toEqual([
      `/charges_summary?start_date=${startDate}&end_date=${endDate}`,
    ]);
  });

  test.for([
    ['2026-10-01', '2026-10-01', 'endDate', /later than startDate/],
    ['2026-10-02', '2026-10-01', 'endDate', /later than startDate/],
    ['2026-10-01', '2026-11-02', 'endDate', /31 days.* 32\b/],
    ['2026-01-31', '2026-03-04', 'endDate', /31 days/],
    ['2024-02-28', '2024-03-31', 'endDate', /31 days/],
    ['2026-10-01', '2027-10-01', 'endDate', /365/],
    ['2026-02-30', '2026-03-01', 'startDate', /calendar date/],
    ['2026-02-01', '2026-02-29', 'endDate', /calendar date/],
    ['2026-04-31', '2026-05-01', 'startDate', /calendar date/],
    ['1900-02-29', '1900-03-01', 'startDate', /calendar date/],
    ['2026-13-01', '2026-12-01', 'startDate', /calendar date/],
    ['2026-00-01', '2026-12-01', 'startDate', /calendar date/],
    ['2026-10-00', '2026-10-02', 'startDate', /calendar date/],
    ['2026-1-1', '2026-10-02', 'startDate', /calendar date/],
    ['2026-10-01T00:00:00Z', '2026-10-02', 'startDate', /calendar date/],
    ['20261001', '2026-10-02', 'startDate', /calendar date/],
    ['2026-10-01', '', 'endDate', /calendar date/],
    ['2026-10-01', ' 2026-10-02', 'endDate', /calendar date/],
    ['2026-10-01', '2026-10-02\n', 'endDate', /calendar date/],
    ['2026-10-01', '２０２６-10-02', 'endDate', /calendar date/],
    ['tomorrow', 'yesterday', 'startDate', /calendar date/],
  ] as const)('from %j to %j is refused at %s, before any call', async (row, { gateway, upstream }) => {
    const [startDate, endDate, argument, message] = row;
    const { status, data, errors } = await gateway.query(document, { variables: { startDate, endDate } });
    expect(status).toBe(200);
    expect(data).toEqual({ chargesSummary: null });
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toMatch(message);
    expect(errors[0].path).toEqual(['chargesSummary']);
    const { requestId, ...extensions } = errors[0].extensions;
    expect(requestId).toBeTypeOf('string');
    expect(extensions).toEqual({ code: 'BAD_USER_INPUT', retryable: false, argument: [argument] });
    expect(upstream.requests).toEqual([]);
  });

  test('that is bad fails its own field alone, as a literal or a variable', async ({ gateway, upstream }) => {
    upstream.script(() => ({ json: { data: records.chargesSummaryRecord() } }));
    const { data, errors } = await gateway.query(
      /* GraphQL */ `
        query ($bad: Date!) {
          good: chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") {
            currency
          }
          literal: chargesSummary(startDate: "2026-02-30", endDate: "2026-11-01") {
            currency
          }
          variable: chargesSummary(startDate: "2026-10-01", endDate: $bad) {
            currency
          }
        }
      `,
      { variables: { bad: 'soon' } },
    );
    expect(data).toEqual({ good: { currency: 'USD' }, literal: null, variable: null });
    expect(errors).toHaveLength(2);
    expect(new Set(errors.map(({ path, extensions }) => [path, extensions.argument]))).toEqual(
      new Set([
        [['literal'], ['startDate']],
        [['variable'], ['endDate']],
      ]),
    );
    expect(upstream.requests).toHaveLength(1);
  });
});

/** The n-th day of a calendar that counts by hand: years, leap years, months. */
function dayNumber(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const before = lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0);
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) + before + day;
}

describe('the days between two dates', () => {
  const date = fc
    .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
    .map((moment) => moment.toISOString().slice(0, 10));

  test('are what a calendar counts', () => {
    fc.assert(
      fc.property(date, date, (start, end) => {
        expect(daysBetween(start, end)).toBe(dayNumber(end) - dayNumber(start));
      }),
    );
  });

  test('add up, and change their sign with their direction', () => {
    fc.assert(
      fc.property(date, date, date, (a, b, c) => {
        expect(daysBetween(a, b) + daysBetween(b, c)).toBe(daysBetween(a, c));
        expect(daysBetween(a, b) + daysBetween(b, a)).toBe(0);
      }),
    );
  });
});

const lines = /* GraphQL */ `
  {
    chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") {
      currency
      summary {
        lines {
          __typename
          ... on ComparativeLine {
            type
            newThisMonth {
              quantity
              otc
            }
          }
          ... on SimpleLine {
            type
            name
          }
        }
        adjustments {
          amount
          eventDate
        }
      }
      total {
        grandTotal
      }
    }
  }
`;

test('a summary has lines of both shapes, whose one-time charge may be null or left out', async ({
  gateway,
  upstream,
}) => {
  const summary = {
    lines: [
      records.comparativeLine({ new_this_month: { quantity: 1, mrc: '1.00', otc: null } }),
      records.simpleLine(),
      records.comparativeLine({ new_this_month: { quantity: 2, mrc: '2.00' } }),
    ],
    adjustments: [],
  };
  upstream.script(() => ({ json: { data: records.chargesSummaryRecord({ summary }) } }));
  const { data, errors } = await gateway.query(lines);
  expect(errors).toEqual([]);
  expect(data.chargesSummary.summary).toEqual({
    lines: [
      { __typename: 'ComparativeLine', type: 'comparative', newThisMonth: { quantity: 1, otc: null } },
      { __typename: 'SimpleLine', type: 'simple', name: 'Number Lookups' },
      { __typename: 'ComparativeLine', type: 'comparative', newThisMonth: { quantity: 2, otc: null } },
    ],
    adjustments: [],
  });
});

test.for([
  'third',
  'Simple',
  '',
  'constructor',
  '__proto__',
  'toString',
  7,
  null,
  ['simple'],
  { toString: 1 },
  records.rawNumber('1.0'),
])('a line of type %j costs itself alone', async (type, { gateway, upstream }) => {
  const summary = {
    lines: [records.simpleLine(), records.simpleLine({ type }), 'none', records.comparativeLine()],
    adjustments: [],
  };
  upstream.script(() => ({ json: { data: records.chargesSummaryRecord({ summary }) } }));
  const { data, errors } = await gateway.query(
    '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { summary { lines { __typename } } } }',
  );
  expect(data.chargesSummary.summary.lines).toEqual([
    { __typename: 'SimpleLine' },
    null,
    null,
    { __typename: 'ComparativeLine' },
  ]);
  const base = ['chargesSummary', 'summary', 'lines'];
  expect(errors.map(({ path }) => path)).toEqual([
    [...base, 1],
    [...base, 2],
  ]);
  for (const { extensions, message } of errors) {
    expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
    expect(message).not.toContain('third');
  }
});

test('a missing required value makes the nearest field null that may be null', async ({ gateway, upstream }) => {
  const broken = records.chargesSummaryRecord({
    summary: {
      lines: [records.comparativeLine({ new_this_month: null })],
      adjustments: [records.adjustmentLine({ amount: null })],
    },
  });
  upstream.script(() => ({ json: { data: broken } }));
  const inList = await gateway.query(lines);
  expect(inList.data.chargesSummary.summary).toEqual({ lines: [null], adjustments: [null] });
  expect(inList.errors.map(({ path }) => path.slice(2))).toEqual([
    ['lines', 0, 'newThisMonth'],
    ['adjustments', 0, 'amount'],
  ]);
  upstream.script(() => ({ json: { data: records.chargesSummaryRecord({ total: { grand_total: null } }) } }));
  const atRoot = await gateway.query(lines);
  expect(atRoot.data).toEqual({ chargesSummary: null });
  expect(atRoot.errors).toMatchObject([
    { path: ['chargesSummary', 'total', 'grandTotal'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
  ]);
});
