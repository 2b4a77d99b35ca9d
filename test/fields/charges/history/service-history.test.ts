import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import { chargesSummaryRecord, comparativeLine, simpleLine } from '../../../support/records.ts';
import type { Reply, SeenRequest } from '../../../support/scripted-upstream.ts';

const range = '(startDate: "2026-08-15", endDate: "2026-11-01")';
const services = `{ chargesHistoryByService${range} { services { alias name amounts } } }`;

/** Summaries whose lines depend on the first day of their month. */
function linesByStart(byStart: Readonly<Record<string, readonly unknown[] | Reply>>): (request: SeenRequest) => Reply {
  return ({ query }) => {
    const lines = byStart[query['start_date'] ?? ''] ?? failure;
    if (!Array.isArray(lines)) return lines as Reply;
    const period = { start_date: query['start_date'], end_date: query['end_date'] };
    return { json: { data: chargesSummaryRecord({ ...period, summary: { lines, adjustments: [] } }) } };
  };
}

const lookups = (amount: unknown): unknown => simpleLine({ amount });

test('a history by service has each service once, with an amount for each month, for one call a month', async ({
  gateway,
  upstream,
}) => {
  upstream.script(
    linesByStart({
      '2026-08-15': [lookups('1.10')],
      '2026-09-01': [comparativeLine({ name: 'Numbers' }), lookups('2')],
      '2026-10-01': [simpleLine({ alias: 'phone_numbers', name: 'Phone Numbers', amount: '0.4' }), comparativeLine()],
    }),
  );
  const { data, errors } = await gateway.query(services);
  expect(errors).toEqual([]);
  expect(data.chargesHistoryByService.services).toEqual([
    { alias: 'number_lookups', name: 'Number Lookups', amounts: ['1.10', '2', '0'] },
    // The last one has a line of each shape.
    { alias: 'phone_numbers', name: 'Phone Numbers', amounts: ['0', '243.60', '244.00'] },
  ]);
  expect(upstream.requests).toHaveLength(3);
});

const periodOf = ({ start_date, end_date }: SeenRequest['query']) => ({ start_date, end_date });

describe('the currency of a history by service', () => {
  const currency = `{ chargesHistoryByService${range} { currency } }`;
  const inCurrencies =
    (...currencies: readonly unknown[]) =>
    ({ query }: SeenRequest): Reply => {
      const index = ['2026-08-15', '2026-09-01', '2026-10-01'].indexOf(query['start_date'] ?? '');
      const sent = currencies[index];
      return sent === failure
        ? failure
        : { json: { data: chargesSummaryRecord({ ...periodOf(query), currency: sent }) } };
    };

  test.for([
    [['USD', 'USD', 'USD'], 'USD'],
    [['USD', failure, 'USD'], 'USD'],
    [['USD', 'USD', 'EUR'], null],
  ] as const)('of months in %j is %j', async ([currencies, expected], { gateway, upstream }) => {
    upstream.script(inCurrencies(...currencies));
    const { data, errors } = await gateway.query(currency);
    expect(errors).toEqual([]);
    expect(data.chargesHistoryByService.currency).toBe(expected);
    expect(upstream.requests).toHaveLength(3);
  });

  test.for([
    [[failure, failure, failure], 'UPSTREAM_ERROR'],
    [['USD', 7, 'USD'], 'UPSTREAM_BAD_RESPONSE'],
  ] as const)('of %j is an error', async ([currencies, code], { gateway, upstream }) => {
    upstream.script(inCurrencies(...currencies));
    const { data, errors } = await gateway.query(currency);
    expect(data.chargesHistoryByService.currency).toBeNull();
    expect(errors).toMatchObject([{ path: ['chargesHistoryByService', 'currency'], extensions: { code } }]);
  });
});

test('the months of a history by service are known without a call', async ({ gateway, upstream }) => {
  const { data, errors } = await gateway.query(`{ chargesHistoryByService${range} { months { startDate endDate } } }`);
  expect(errors).toEqual([]);
  expect(data.chargesHistoryByService.months).toEqual([
    { startDate: '2026-08-15', endDate: '2026-09-01' },
    { startDate: '2026-09-01', endDate: '2026-10-01' },
    { startDate: '2026-10-01', endDate: '2026-11-01' },
  ]);
  expect(upstream.requests).toEqual([]);
});

test('a history by service shares its calls with the summaries of its months and with the history', async ({
  gateway,
  upstream,
}) => {
  upstream.script(linesByStart({ '2026-08-15': [], '2026-09-01': [], '2026-10-01': [lookups('1')] }));
  const { data, errors } = await gateway.query(
    `{ chargesHistoryByService${range} { months { startDate summary { startDate currency } } services { alias } }
       chargesHistory${range} { startDate } }`,
  );
  expect(errors).toEqual([]);
  expect(data.chargesHistoryByService.months.at(-1)).toEqual({
    startDate: '2026-10-01',
    summary: { startDate: '2026-10-01', currency: 'USD' },
  });
  expect(data.chargesHistoryByService.services).toEqual([{ alias: 'number_lookups' }]);
  expect(upstream.requests).toHaveLength(3);
});

describe('a month that cannot be read', () => {
  test('fails its summary and its amounts, and keeps its dates', async ({ gateway, upstream }) => {
    upstream.script(linesByStart({ '2026-08-15': [lookups('1')], '2026-09-01': failure, '2026-10-01': [] }));
    const { data, errors } = await gateway.query(
      `{ chargesHistoryByService${range} { months { startDate summary { currency } } services { amounts } } }`,
    );
    expect(data.chargesHistoryByService).toEqual({
      months: [
        { startDate: '2026-08-15', summary: { currency: 'USD' } },
        { startDate: '2026-09-01', summary: null },
        { startDate: '2026-10-01', summary: { currency: 'USD' } },
      ],
      services: [{ amounts: ['1', null, '0'] }],
    });
    const extensions = { code: 'UPSTREAM_ERROR', upstream: { operation: 'GET /charges_summary', status: 500 } };
    const byPath = new Map(errors.map(({ path, extensions: shown }) => [path.join('.'), shown]));
    expect([...byPath.keys()].toSorted()).toEqual([
      'chargesHistoryByService.months.1.summary',
      'chargesHistoryByService.services.0.amounts.1',
    ]);
    for (const shown of byPath.values()) expect(shown).toMatchObject(extensions);
  });

  test('is reported once, at the first service', async ({ gateway, upstream }) => {
    const both = [lookups('1'), comparativeLine()];
    upstream.script(linesByStart({ '2026-08-15': both, '2026-09-01': failure, '2026-10-01': both }));
    const { data, errors } = await gateway.query(services);
    expect(data.chargesHistoryByService.services).toMatchObject([
      { amounts: ['1', null, '1'] },
      { amounts: ['243.60', null, '243.60'] },
    ]);
    expect(errors.map(({ path }) => path.join('.'))).toEqual(['chargesHistoryByService.services.0.amounts.1']);
  });

  test('fails all services where no month can be read', async ({ gateway, upstream }) => {
    upstream.script(() => failure);
    const { data, errors } = await gateway.query(
      `{ chargesHistoryByService${range} { months { startDate } services { alias } } }`,
    );
    expect(data.chargesHistoryByService).toMatchObject({
      months: [{ startDate: '2026-08-15' }, { startDate: '2026-09-01' }, { startDate: '2026-10-01' }],
      services: null,
    });
    expect(errors).toMatchObject([
      { path: ['chargesHistoryByService', 'services'], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
  });

  test('fails all services where the other months have none', async ({ gateway, upstream }) => {
    upstream.script(linesByStart({ '2026-08-15': [], '2026-09-01': failure, '2026-10-01': [] }));
    const { data, errors } = await gateway.query(services);
    expect(data.chargesHistoryByService.services).toBeNull();
    expect(errors).toMatchObject([
      { path: ['chargesHistoryByService', 'services'], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
  });

  test.for([
    ['that is null', null],
    ['without the name of its service', simpleLine({ alias: null })],
    ['whose service has no name', simpleLine({ name: 7 })],
    ['that is no object', 'x'],
  ] as const)('is one with a line %s: any service could be meant', async ([, line], { gateway, upstream }) => {
    upstream.script(
      linesByStart({ '2026-08-15': [lookups('1')], '2026-09-01': [lookups('2'), line], '2026-10-01': [lookups('3')] }),
    );
    const { data, errors } = await gateway.query(services);
    expect(data.chargesHistoryByService.services).toMatchObject([{ amounts: ['1', null, '3'] }]);
    expect(errors).toMatchObject([
      {
        path: ['chargesHistoryByService', 'services', 0, 'amounts', 1],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      },
    ]);
  });
});

test.for([
  ['of an unknown shape', { type: 'metered' }],
  ['without an amount', { amount: null }],
] as const)('a line %s costs one amount of its service', async ([, fields], { gateway, upstream }) => {
  upstream.script(
    linesByStart({
      '2026-08-15': [simpleLine(fields), comparativeLine()],
      '2026-09-01': [lookups('2')],
      '2026-10-01': [simpleLine(fields), lookups('3')],
    }),
  );
  const { data, errors } = await gateway.query(services);
  expect(data.chargesHistoryByService.services).toMatchObject([
    { alias: 'number_lookups', amounts: [null, '2', null] },
    { alias: 'phone_numbers', amounts: ['243.60', '0', '0'] },
  ]);
  expect(errors.map(({ path }) => path.slice(2).join('.')).toSorted()).toEqual(['0.amounts.0', '0.amounts.2']);
});

test.for([{ lines: null, adjustments: [] }, { adjustments: [] }, { lines: {} }, null])(
  'a month whose summary is %j fails its amounts: they are not known to be zero',
  async (summary, { gateway, upstream }) => {
    const known = linesByStart({ '2026-08-15': [lookups('1')], '2026-10-01': [] });
    const broken = { json: { data: chargesSummaryRecord({ summary }) } };
    upstream.script((request) => (request.query['start_date'] === '2026-09-01' ? broken : known(request)));
    const { data, errors } = await gateway.query(services);
    expect(data.chargesHistoryByService.services).toMatchObject([{ amounts: ['1', null, '0'] }]);
    expect(errors).toMatchObject([
      {
        path: ['chargesHistoryByService', 'services', 0, 'amounts', 1],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
      },
    ]);
  },
);

describe('a service with very many lines', () => {
  const lines = (amount: string): readonly unknown[] => [
    lookups(amount),
    ...Array.from({ length: 10_000 }, () => lookups('1.5')),
  ];

  test.for([
    ['1e-1000', `15000.${'0'.repeat(999)}1`],
    ['9'.repeat(100_000), null],
  ] as const)('is added up, or not at all', async ([amount, expected], { gateway, upstream }) => {
    upstream.script(linesByStart({ '2026-08-15': lines(amount), '2026-09-01': [], '2026-10-01': [lookups(amount)] }));
    const { data, errors } = await gateway.query(services);
    // Alone it is as it was sent.
    expect(data.chargesHistoryByService.services).toMatchObject([{ amounts: [expected, '0', amount] }]);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(expected === null ? ['UPSTREAM_BAD_RESPONSE'] : []);
  });
});

test('a history by service refuses a bad range at its argument, without a call', async ({ gateway, upstream }) => {
  const { data, errors } = await gateway.query(
    '{ chargesHistoryByService(startDate: "2026-10-01", endDate: "2026-09-01") { services { alias } } }',
  );
  expect(data).toEqual({ chargesHistoryByService: null });
  expect(errors).toMatchObject([
    { path: ['chargesHistoryByService'], extensions: { code: 'BAD_USER_INPUT', argument: ['endDate'] } },
  ]);
  expect(upstream.requests).toEqual([]);
});
