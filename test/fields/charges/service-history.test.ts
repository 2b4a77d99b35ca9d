import { describe, brief, expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { comparativeLine, simpleLine, type JsonRecord } from '../../support/records.ts';
import { summariesBy, withLines } from './summaries.ts';

const range = '(startDate: "2026-08-15", endDate: "2026-11-01")';
const [august, september, october] = ['2026-08-15', '2026-09-01', '2026-10-01'] as const;

type Fields = JsonRecord | null;

/** A summary of each of the three months; null: it fails. */
const byMonth = (first: Fields, second: Fields, third: Fields) =>
  summariesBy({ [august]: first, [september]: second, [october]: third });
const lookups = (amount: unknown): JsonRecord => simpleLine({ amount });
const none = withLines();

async function ask(gateway: Gateway, selection: string, variables?: Readonly<Record<string, unknown>>) {
  const declared = variables === undefined ? '' : 'query ($first: Int, $orderBy: ServiceHistoryOrder)';
  const { data, errors } = await gateway.query(
    `${declared} { history: chargesHistoryByService${range} { ${selection} } }`,
    variables && { variables },
  );
  return {
    ...data.history,
    errors: brief(errors)
      .map((error) => error.replace('history.', ''))
      .toSorted(),
  };
}

describe('a history by service', () => {
  const services = 'services { alias name amounts }';

  test('has each service once, with an amount for each month, for one call a month', async ({ gateway, upstream }) => {
    const numbers = { alias: 'phone_numbers', name: 'Phone Numbers' };
    upstream.script(
      byMonth(
        withLines(lookups('1.10')),
        withLines(comparativeLine({ name: 'Numbers' }), lookups('2')),
        withLines(simpleLine({ ...numbers, amount: '0.4' }), comparativeLine()),
      ),
    );
    expect(await ask(gateway, services)).toEqual({
      services: [
        { alias: 'number_lookups', name: 'Number Lookups', amounts: ['1.10', '2', '0'] },
        // The last one has a line of each shape.
        { ...numbers, amounts: ['0', '243.60', '244.00'] },
      ],
      errors: [],
    });
    expect(upstream.requests).toHaveLength(3);
  });

  test('knows its months without a call', async ({ gateway, upstream }) => {
    const { months } = await ask(gateway, 'months { startDate endDate }');
    expect(months).toEqual([
      { startDate: august, endDate: september },
      { startDate: september, endDate: october },
      { startDate: october, endDate: '2026-11-01' },
    ]);
    expect(upstream.requests).toEqual([]);
  });

  test('shares its calls with the summaries of its months and with the history', async ({ gateway, upstream }) => {
    upstream.script(byMonth(none, none, withLines(lookups('1'))));
    const data = await gateway.data(
      `{ chargesHistoryByService${range} { currency months { summary { startDate } } services { alias } }
         chargesHistory${range} { startDate } }`,
    );
    const summaries = [august, september, october].map((startDate) => ({ startDate }));
    expect(data.chargesHistory).toEqual(summaries);
    expect(data.chargesHistoryByService).toEqual({
      currency: 'USD',
      months: summaries.map((summary) => ({ summary })),
      services: [{ alias: 'number_lookups' }],
    });
    expect(upstream.requests).toHaveLength(3);
  });

  test.for<readonly [currencies: readonly unknown[], expected: string | null, code?: string]>([
    [['USD', null, 'USD'], 'USD'],
    [['USD', 'USD', 'EUR'], null],
    [[null, null, null], null, 'UPSTREAM_ERROR'],
    [['USD', 7, 'USD'], null, 'UPSTREAM_BAD_RESPONSE'],
  ])('has the one currency of its months: of %j it is %j', async (row, { gateway, upstream }) => {
    const [currencies, expected, code] = row;
    const [first = null, second = null, third = null] = currencies.map((currency) => currency && { currency });
    upstream.script(byMonth(first as Fields, second as Fields, third as Fields));
    const errors = code === undefined ? [] : [`currency ${code}`];
    expect(await ask(gateway, 'currency')).toEqual({ currency: expected, errors });
  });

  describe('a month that cannot be read', () => {
    const selection = 'months { summary { currency } } services { amounts }';

    test('fails its summary and its amounts, at the first service alone', async ({ gateway, upstream }) => {
      const both = withLines(lookups('1'), comparativeLine());
      upstream.script(byMonth(both, null, none));
      const currency = 'USD';
      expect(await ask(gateway, selection)).toEqual({
        months: [{ summary: { currency } }, { summary: null }, { summary: { currency } }],
        services: [{ amounts: ['1', null, '0'] }, { amounts: ['243.60', null, '0'] }],
        errors: ['months.1.summary UPSTREAM_ERROR', 'services.0.amounts.1 UPSTREAM_ERROR'],
      });
    });

    test.for<readonly [Fields, Fields, Fields]>([
      [null, null, null],
      [none, null, none],
    ])('fails all services where no other has any', async (months, { gateway, upstream }) => {
      upstream.script(byMonth(...months));
      const { services: shown, errors } = await ask(gateway, 'months { startDate } services { amounts }');
      expect([shown, errors]).toEqual([null, ['services UPSTREAM_ERROR']]);
    });

    test.for<readonly [what: string, month: Fields]>([
      ['a line that is null', withLines(lookups('2'), null)],
      ['a line without the alias of its service', withLines(lookups('2'), simpleLine({ alias: null }))],
      ['a line whose service has no name', withLines(lookups('2'), simpleLine({ name: 7 }))],
      ['no lines', { summary: { adjustments: [] } }],
      ['lines that are no list', { summary: { lines: {} } }],
      ['no summary', { summary: null }],
    ])('is one with %s: its amounts are not known to be zero', async ([, month], { gateway, upstream }) => {
      upstream.script(byMonth(withLines(lookups('1')), month, withLines(lookups('3'))));
      expect(await ask(gateway, 'services { amounts }')).toEqual({
        services: [{ amounts: ['1', null, '3'] }],
        errors: ['services.0.amounts.1 UPSTREAM_BAD_RESPONSE'],
      });
    });
  });

  test.for([
    ['of an unknown shape', { type: 'metered' }],
    ['without an amount', { amount: null }],
  ] as const)('loses one amount by a line %s', async ([, fields], { gateway, upstream }) => {
    const broken = simpleLine(fields);
    upstream.script(
      byMonth(withLines(broken, comparativeLine()), withLines(lookups('2')), withLines(broken, lookups('3'))),
    );
    const { services: shown, errors } = await ask(gateway, services);
    expect(shown).toMatchObject([{ amounts: [null, '2', null] }, { amounts: ['243.60', '0', '0'] }]);
    expect(errors.map((error: string) => error.split(' ')[0])).toEqual([
      'services.0.amounts.0',
      'services.0.amounts.2',
    ]);
  });
});

describe('services of a history', () => {
  const selection = 'services(first: $first, orderBy: $orderBy) { alias amounts total }';
  const charged = (services: Readonly<Record<string, string>>): Fields =>
    withLines(
      ...Object.entries(services).map(([alias, amount]) =>
        simpleLine({ alias, name: alias.replace(/ .*/, ''), amount }),
      ),
    );
  const quarter = byMonth(
    charged({ sms: '5', voice: '1.10', 'fax 9': '0.5', 'fax 1': '0.5', '😀': '0.2', Ａ: '0.1' }),
    charged({ sms: '-4.5', voice: '2.2', numbers: '100' }),
    charged({ voice: '3' }),
  );

  test.for([
    ['FIRST_SEEN', ['sms', 'voice', 'fax 9', 'fax 1', '😀', 'Ａ', 'numbers']],
    ['NAME', ['fax 9', 'fax 1', 'numbers', 'sms', 'voice', 'Ａ', '😀']],
    ['TOTAL', ['numbers', 'voice', 'sms', 'fax 9', 'fax 1', '😀', 'Ａ']],
    [null, ['sms', 'voice', 'fax 9', 'fax 1', '😀', 'Ａ', 'numbers']],
  ] as const)('come by %s, as many as first says', async ([orderBy, aliases], { gateway, upstream }) => {
    upstream.script(quarter);
    for (const first of [2, null]) {
      const { services, errors } = await ask(gateway, selection, { first, orderBy });
      expect(errors).toEqual([]);
      expect(services.map(({ alias }: { alias: string }) => alias)).toEqual(aliases.slice(0, first ?? undefined));
    }
  });

  test('whose total is not known come last, behind those below zero', async ({ gateway, upstream }) => {
    upstream.script(byMonth(charged({ sms: '?', voice: '-7', fax: '-5' }), charged({ numbers: '3' }), none));
    const { services } = await ask(gateway, selection, { orderBy: 'TOTAL' });
    expect(services.map(({ alias, total }: Record<string, string>) => [alias, total])).toEqual([
      ['numbers', '3'],
      ['fax', '-5'],
      ['voice', '-7'],
      ['sms', null],
    ]);
  });

  test.for([-1, 501])('refuse first %i without a call', async (first, { gateway, upstream }) => {
    upstream.script(quarter);
    const { errors } = await ask(gateway, selection, { first });
    expect(errors).toEqual(['services BAD_USER_INPUT first']);
    expect(upstream.requests).toEqual([]);
  });
});
