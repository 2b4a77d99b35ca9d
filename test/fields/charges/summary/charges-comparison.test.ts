import { Big } from 'big.js';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, testOfFile as test } from '../../../support/gateway.ts';
import { failure } from '../../../support/moving-upstream.ts';
import { chargesSummaryRecord, comparativeLine, simpleLine, type JsonRecord } from '../../../support/records.ts';
import type { Script, SeenRequest } from '../../../support/scripted-upstream.ts';

const period = 'startDate: "2026-10-01", endDate: "2026-11-01"';
const changesDocument = `{ chargesSummary(${period}) { changes { alias name amount previousAmount change } } }`;

/** Summaries of the requested period, whose lines differ by the day on which it begins. */
function summariesOf(lines: Readonly<Record<string, readonly unknown[]>>): Script {
  return ({ query }) => {
    const { start_date: start = '', end_date: end } = query;
    const summary = { lines: lines[start] ?? [], adjustments: [] };
    return { json: { data: chargesSummaryRecord({ start_date: start, end_date: end, summary }) } };
  };
}

const service = (alias: string, amount: string): JsonRecord => simpleLine({ alias, name: alias.toUpperCase(), amount });
const startsOf = (requests: readonly SeenRequest[]) => requests.map(({ query }) => query['start_date']);

describe('changes', () => {
  test('name services that came, went and stayed, the largest first, up or down', async ({ gateway, upstream }) => {
    upstream.script(
      summariesOf({
        '2026-09-01': [service('gone', '3.50'), service('up', '1'), service('same', '7.00')],
        '2026-10-01': [service('up', '2.5'), service('new', '20.005'), service('same', '7')],
      }),
    );
    const { data, errors } = await gateway.query(changesDocument);
    expect(errors).toEqual([]);
    expect(data.chargesSummary.changes).toEqual([
      { alias: 'new', name: 'NEW', amount: '20.005', previousAmount: '0', change: '20.005' },
      { alias: 'gone', name: 'GONE', amount: '0', previousAmount: '3.50', change: '-3.50' },
      { alias: 'up', name: 'UP', amount: '2.5', previousAmount: '1', change: '1.5' },
      { alias: 'same', name: 'SAME', amount: '7', previousAmount: '7.00', change: '0.00' },
    ]);
    expect(startsOf(upstream.requests)).toEqual(['2026-10-01', '2026-09-01']);
  });

  test('an amount that cannot be read fails alone, and its change is null and last', async ({ gateway, upstream }) => {
    const lines = [service('bad', 'much'), service('good', '2')];
    upstream.script(summariesOf({ '2026-09-01': [service('bad', '1')], '2026-10-01': lines }));
    const { data, errors } = await gateway.query(changesDocument);
    expect(data.chargesSummary.changes).toMatchObject([
      { alias: 'good', change: '2' },
      { alias: 'bad', amount: null, previousAmount: '1', change: null },
    ]);
    expect(errors).toMatchObject([
      { path: ['chargesSummary', 'changes', 1, 'amount'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
    ]);
  });

  test('a period before that fails is named, and costs the changes alone', async ({ gateway, upstream }) => {
    const reply = summariesOf({});
    upstream.script((request) => (request.query['start_date'] === '2026-09-01' ? failure : reply(request)));
    const document = `{ chargesSummary(${period}) { currency changes { alias } previous { currency } } }`;
    const { data, errors } = await gateway.query(document);
    expect(data.chargesSummary).toEqual({ currency: 'USD', changes: null, previous: null });
    expect(errors).toHaveLength(2);
    for (const { message } of errors) expect(message).toMatch(/^The period before, 2026-09-01 to 2026-10-01: \S/);
    expect(startsOf(upstream.requests)).toEqual(['2026-10-01', '2026-09-01']);
  });

  const lineOf = fc.record({
    alias: fc.constantFrom('a', 'b', 'c', 'd'),
    parts: fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), { minLength: 1, maxLength: 3 }),
    places: fc.nat({ max: 6 }),
  });
  const decimalOf = (units: bigint, places: number): string =>
    new Big(units.toString()).div(10 ** places).toFixed(places);

  test('add up to the difference of the lines of both periods', async ({ gateway, upstream }) => {
    const lines = fc.array(lineOf, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, lines, async (before, now) => {
        const wire = (each: typeof before) =>
          each.map(({ alias, parts: [first = 0n, second, third], places }) => {
            if (second === undefined) return service(alias, decimalOf(first, places));
            const otc = third === undefined ? null : decimalOf(third, places);
            return comparativeLine({
              alias,
              name: alias.toUpperCase(),
              new_this_month: { quantity: 1, mrc: decimalOf(first, places), otc },
              existing_this_month: { quantity: 1, mrc: decimalOf(second, places), otc: null },
            });
          });
        upstream.script(summariesOf({ '2026-09-01': wire(before), '2026-10-01': wire(now) }));
        const { data, errors } = await gateway.query(changesDocument);
        expect(errors).toEqual([]);
        const sum = (values: readonly Big[]) => values.reduce((total, value) => total.plus(value), new Big(0));
        const total = (each: typeof before) =>
          sum(each.flatMap(({ parts, places }) => parts.map((part) => new Big(decimalOf(part, places)))));
        const changes: readonly { change: string }[] = data.chargesSummary.changes;
        const added = sum(changes.map(({ change }) => new Big(change)));
        expect(added.eq(total(now).minus(total(before)))).toBe(true);
        const sizes = changes.map(({ change }) => new Big(change).abs());
        expect(sizes.every((size, at) => at === 0 || size.lte(sizes[at - 1] as Big))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

test('a period is complete when its last day has ended by UTC', async ({ gateway, upstream }) => {
  upstream.script(summariesOf({}));
  const today = new Date();
  const day = (offset: number) => new Date(today.getTime() + offset * 86_400_000).toISOString().slice(0, 10);
  const { data } = await gateway.query(
    `{ past: chargesSummary(startDate: "${day(-9)}", endDate: "${day(0)}") { isComplete }
       present: chargesSummary(startDate: "${day(-9)}", endDate: "${day(2)}") { isComplete } }`,
  );
  expect(data).toEqual({ past: { isComplete: true }, present: { isComplete: false } });
});
