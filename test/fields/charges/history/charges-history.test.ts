import fc from 'fast-check';
import { describe } from 'vitest';
import { daysBetween, monthsOf } from '../../../../src/billing/date-interval.ts';
import { expect, test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import type { SeenRequest } from '../../../support/scripted-upstream.ts';
import { summaryReply } from '../../../support/root-fields.ts';

const document = /* GraphQL */ `
  query ($startDate: Date!, $endDate: Date!) {
    chargesHistory(startDate: $startDate, endDate: $endDate) {
      startDate
      endDate
      total {
        grandTotal
      }
    }
  }
`;

const askedFor = (requests: readonly SeenRequest[]): readonly string[] =>
  requests.map(({ path, query }) => `${path} ${query['start_date']} ${query['end_date']}`).toSorted();

const refusals: readonly [string, string, string][] = [
  ['nothing', '2026-10-01', '2026-10-01'],
  ['a range that runs backwards', '2026-10-02', '2026-10-01'],
  ['a day more than 24 months', '2024-10-15', '2026-10-16'],
  ['a month more than 24', '2024-10-31', '2026-11-01'],
  ['a day more than 24 months from a leap day', '2024-02-29', '2026-03-01'],
  ['all of time', '0001-01-01', '9999-12-31'],
];

test.for(refusals)('a history refuses %s without a call', async ([, startDate, endDate], { gateway, upstream }) => {
  const { data, errors } = await gateway.query(document, { variables: { startDate, endDate } });
  expect(data).toEqual({ chargesHistory: null });
  expect(errors).toMatchObject([
    { path: ['chargesHistory'], extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: ['endDate'] } },
  ]);
  expect(errors[0].extensions).not.toHaveProperty('upstream');
  expect(upstream.requests).toEqual([]);
});

test.for([
  ['2026-02-30', '2026-04-01', 'startDate'],
  ['2026-02-01', '2026-04-31', 'endDate'],
] as const)('refuses %s to %s for its %s', async ([startDate, endDate, argument], { gateway, upstream }) => {
  const { errors } = await gateway.query(document, { variables: { startDate, endDate } });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: [argument] } }]);
  expect(upstream.requests).toEqual([]);
});

test('a history loads each month by itself, and keeps their order whichever response comes first', async ({
  gateway,
  upstream,
}) => {
  let open = 0;
  const all = Promise.withResolvers<undefined>();
  upstream.script(async (request) => {
    // No response comes before all calls have been made: they go side by side.
    if (++open === 4) all.resolve(undefined);
    await all.promise;
    return summaryReply(request);
  });
  const { data, errors } = await gateway.query(document, {
    variables: { startDate: '2026-01-15', endDate: '2026-04-02' },
  });
  expect(errors).toEqual([]);
  const months = [
    ['2026-01-15', '2026-02-01'],
    ['2026-02-01', '2026-03-01'],
    ['2026-03-01', '2026-04-01'],
    ['2026-04-01', '2026-04-02'],
  ];
  expect(data.chargesHistory).toEqual(
    months.map(([startDate, endDate]) => ({ startDate, endDate, total: { grandTotal: '243.30' } })),
  );
  expect(askedFor(upstream.requests)).toEqual(months.map((month) => `/charges_summary ${month.join(' ')}`));
});

const ranges: readonly [string, string, number][] = [
  ['2024-10-01', '2026-10-01', 24],
  ['2024-10-15', '2026-10-15', 25],
  ['2024-02-29', '2026-02-28', 25],
  ['2024-01-31', '2026-01-31', 25],
  ['2026-10-31', '2026-11-01', 1],
  ['9998-06-01', '9999-12-31', 19],
  ['0001-12-31', '0002-03-01', 3],
];

test.for(ranges)(
  'a history from %s to %s has %i months',
  async ([startDate, endDate, count], { gateway, upstream }) => {
    upstream.script(summaryReply);
    const { data, errors } = await gateway.query(document, { variables: { startDate, endDate } });
    expect(errors).toEqual([]);
    expect(data.chargesHistory).toHaveLength(count);
    expect(data.chargesHistory.at(0).startDate).toBe(startDate);
    expect(data.chargesHistory.at(-1).endDate).toBe(endDate);
    expect(upstream.requests).toHaveLength(count);
  },
);

test('a history loses only the months that fail, each with an error in its own place', async ({
  gateway,
  upstream,
}) => {
  upstream.script((request) => {
    const start = request.query['start_date'];
    if (start === '2026-02-01') return failure;
    if (start === '2026-04-01') return { status: 429, headers: { 'retry-after': '7' }, text: 'slow down' };
    return summaryReply(request);
  });
  const { data, errors } = await gateway.query(document, {
    variables: { startDate: '2026-01-01', endDate: '2026-06-01' },
  });
  expect(data.chargesHistory.map((month: { startDate: string } | null) => month?.startDate ?? null)).toEqual([
    '2026-01-01',
    null,
    '2026-03-01',
    null,
    '2026-05-01',
  ]);
  const byPath = new Map(errors.map(({ path, extensions }) => [path.join(), extensions]));
  expect([...byPath.keys()].toSorted()).toEqual(['chargesHistory,1', 'chargesHistory,3']);
  expect(byPath.get('chargesHistory,1')).toMatchObject({
    code: 'UPSTREAM_ERROR',
    upstream: { operation: 'GET /charges_summary', status: 500 },
  });
  expect(byPath.get('chargesHistory,3')).toMatchObject({ code: 'RATE_LIMITED' });
});

test('a history shares the call for a month with a summary of the same operation', async ({ gateway, upstream }) => {
  upstream.script(summaryReply);
  const { errors } = await gateway.query(/* GraphQL */ `
    {
      chargesSummary(startDate: "2026-02-01", endDate: "2026-03-01") {
        currency
      }
      chargesHistory(startDate: "2026-01-01", endDate: "2026-04-01") {
        currency
      }
    }
  `);
  expect(errors).toEqual([]);
  expect(upstream.requests).toHaveLength(3);
});

test('a history without a key is unauthenticated in every month, without a call', async ({ gateway, upstream }) => {
  const { data, errors } = await gateway.query(document, {
    key: null,
    variables: { startDate: '2026-01-01', endDate: '2026-03-01' },
  });
  expect(data).toEqual({ chargesHistory: [null, null] });
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  expect(upstream.requests).toEqual([]);
});

describe('the months of a range', () => {
  const millisecondsPerDay = 86_400_000;
  const dateAt = (day: number): string => new Date(day * millisecondsPerDay).toISOString().slice(0, 10);
  // From 1900 to 2100, leap years and the one that is none among them.
  const firstDay = fc.integer({ min: -25_567, max: 47_000 });

  test('follow each other without gap or overlap, each within one calendar month and at most 31 days', () => {
    fc.assert(
      fc.property(firstDay, fc.integer({ min: 1, max: 729 }), (day, length) => {
        const range = { startDate: dateAt(day), endDate: dateAt(day + length) };
        const months = monthsOf(range);
        expect(months.at(0)?.startDate).toBe(range.startDate);
        expect(months.at(-1)?.endDate).toBe(range.endDate);
        for (const [index, { startDate, endDate }] of months.entries()) {
          const days = daysBetween(startDate, endDate);
          expect(days).toBeGreaterThan(0);
          expect(days).toBeLessThanOrEqual(31);
          const isLast = index === months.length - 1;
          if (!isLast) expect(months[index + 1]?.startDate).toBe(endDate);
          if (!isLast) expect(endDate.slice(8)).toBe('01');
          const lastDay = new Date(Date.parse(endDate) - millisecondsPerDay).toISOString();
          expect(lastDay.slice(0, 7)).toBe(startDate.slice(0, 7));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('reach exactly to the same day 24 months on, or to the end of a shorter month', () => {
    fc.assert(
      fc.property(firstDay, (day) => {
        const startDate = dateAt(day);
        const [year = 0, month = 0, dayOfMonth = 0] = startDate.split('-').map(Number);
        const last = new Date(Date.UTC(year + 2, month, 0)).getUTCDate();
        const limit = Date.UTC(year + 2, month - 1, Math.min(dayOfMonth, last)) / millisecondsPerDay;
        expect(() => monthsOf({ startDate, endDate: dateAt(limit) })).not.toThrow();
        expect(() => monthsOf({ startDate, endDate: dateAt(limit + 1) })).toThrow('24 months');
      }),
      { numRuns: 2000 },
    );
  });
});
