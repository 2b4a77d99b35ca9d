import { Big } from 'big.js';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, startGateway, testOfFile as test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import { chargesSummaryRecord, simpleLine } from '../../../support/records.ts';
import { runs } from '../../../support/runs.ts';
import { startScriptedUpstream, type Script } from '../../../support/scripted-upstream.ts';

const document = /* GraphQL */ `
  query ($first: Int, $orderBy: ServiceHistoryOrder) {
    chargesHistoryByService(startDate: "2026-07-01", endDate: "2026-10-01") {
      services(first: $first, orderBy: $orderBy) {
        alias
        amounts
        total
      }
    }
  }
`;
const months = ['2026-07-01', '2026-08-01', '2026-09-01'];

/** Amounts by month and service; null: the month fails. */
const charged =
  (table: Readonly<Record<string, Readonly<Record<string, string>> | null>>): Script =>
  ({ query }) => {
    const { start_date: start = '', end_date: end } = query;
    const services = table[start] ?? null;
    if (services === null) return failure;
    const lines = Object.entries(services).map(([alias, amount]) =>
      simpleLine({ alias, name: alias.replace(/ .*/, ''), amount }),
    );
    return {
      json: { data: chargesSummaryRecord({ start_date: start, end_date: end, summary: { lines, adjustments: [] } }) },
    };
  };

const quarter = charged({
  '2026-07-01': { sms: '5', voice: '1.10', fax: '0.5' },
  '2026-08-01': { sms: '-4.5', voice: '2.2', numbers: '100' },
  '2026-09-01': { voice: '3' },
});

describe('services of a history', () => {
  test.for([
    ['FIRST_SEEN', ['sms', 'voice', 'fax', 'numbers']],
    ['NAME', ['fax', 'numbers', 'sms', 'voice']],
    ['TOTAL', ['numbers', 'voice', 'sms', 'fax']],
    [null, ['sms', 'voice', 'fax', 'numbers']],
  ] as const)('come by %s, each with its total', async ([orderBy, aliases], { gateway, upstream }) => {
    upstream.script(quarter);
    const { data, errors } = await gateway.query(document, { variables: { orderBy } });
    expect(errors).toEqual([]);
    const { services } = data.chargesHistoryByService;
    expect(services.map(({ alias }: { alias: string }) => alias)).toEqual(aliases);
    expect(services.find(({ alias }: { alias: string }) => alias === 'voice').total).toBe('6.30');
    expect(upstream.requests).toHaveLength(3);
  });

  test('of one name come as they were first seen', async ({ gateway, upstream }) => {
    upstream.script(
      charged({ '2026-07-01': { 'voice 2': '1', 'fax 9': '1', 'voice 1': '1', 'fax 1': '1', sms: '1' } }),
    );
    const { data } = await gateway.query(document, { variables: { orderBy: 'NAME' } });
    const aliases = data.chargesHistoryByService.services.map(({ alias }: { alias: string }) => alias);
    expect(aliases).toEqual(['fax 9', 'fax 1', 'sms', 'voice 2', 'voice 1']);
  });

  test('whose total is not known come last, behind those below zero', async ({ gateway, upstream }) => {
    upstream.script(
      charged({
        '2026-07-01': { sms: 'unreadable', voice: '-7', fax: '-5' },
        '2026-08-01': { numbers: '3' },
        '2026-09-01': {},
      }),
    );
    const { data } = await gateway.query(document, { variables: { orderBy: 'TOTAL' } });
    const { services } = data.chargesHistoryByService as { services: { alias: string; total: string | null }[] };
    expect(services.map(({ alias, total }) => [alias, total])).toEqual([
      ['numbers', '3'],
      ['fax', '-5'],
      ['voice', '-7'],
      ['sms', null],
    ]);
  });

  test('are as many as first says', async ({ gateway, upstream }) => {
    upstream.script(quarter);
    const { data } = await gateway.query(document, { variables: { first: 2, orderBy: 'TOTAL' } });
    expect(data.chargesHistoryByService).toEqual({
      services: [
        { alias: 'numbers', amounts: ['0', '100', '0'], total: '100' },
        { alias: 'voice', amounts: ['1.10', '2.2', '3'], total: '6.30' },
      ],
    });
  });

  test('add up month by month, however many are shown', async () => {
    const upstream = await startScriptedUpstream();
    const gateway = await startGateway(upstream.baseUrl);
    const amount = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 6 }))
      .map(([digits, places]) => `${digits}${places === 0 ? '' : `.${'7'.repeat(places)}`}`);
    const services = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), amount);
    const table = fc.record({ '2026-07-01': services, '2026-08-01': services, '2026-09-01': services });
    const choice = fc.record({ first: fc.integer({ min: 0, max: 6 }), orderBy: fc.constantFrom('TOTAL', 'NAME') });
    await fc.assert(
      fc.asyncProperty(table, choice, async (amounts, variables) => {
        upstream.script(charged(amounts));
        const { data, errors } = await gateway.query(document, { variables });
        expect(errors).toEqual([]);
        const { services: shown } = data.chargesHistoryByService;
        const sum = (texts: readonly string[]): string => texts.reduce((all, text) => all.plus(text), Big(0)).toFixed();
        for (const row of shown) expect(Big(row.total).eq(sum(row.amounts))).toBe(true);
        const names = new Set(Object.values(amounts).flatMap(Object.keys)).size;
        expect(shown).toHaveLength(Math.min(names, variables.first));
        if (variables.orderBy !== 'TOTAL') return;
        for (const [index, { total }] of shown.slice(1).entries())
          expect(Big(shown[index].total).gte(total)).toBe(true);
      }),
      { numRuns: runs(30) },
    );
    await gateway.close();
    await upstream.close();
  });

  test('have the error of a month once, at the first that is shown, and no total there', async ({
    gateway,
    upstream,
  }) => {
    upstream.script(charged({ '2026-07-01': { sms: '5', fax: '1' }, '2026-08-01': null, '2026-09-01': { fax: '2' } }));
    const { data, errors } = await gateway.query(document, { variables: { first: 1, orderBy: 'NAME' } });
    expect(data.chargesHistoryByService).toEqual({
      services: [{ alias: 'fax', amounts: ['1', null, '2'], total: null }],
    });
    expect(errors.map(({ path }) => path.slice(1).join('.'))).toEqual(['services.0.amounts.1', 'services.0.total']);
  });

  test.for([-1, 501])('refuse first %i without a call', async (first, { gateway, upstream }) => {
    const { errors } = await gateway.query(document, { variables: { first } });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: ['first'] } }]);
    expect(upstream.requests.length).toBeLessThanOrEqual(months.length);
  });
});
