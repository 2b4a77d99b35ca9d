import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, unitsOf, type Json } from '../sandbox/client.ts';
import { runs } from '../support/runs.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

const dayMs = 86_400_000;
const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);

/** What a report says by name, amounts and quantities as integers, so that reports can be added up. */
function figuresOf({ summary, total: totals }: Json, { results }: Json): Map<string, bigint> {
  const figures = new Map<string, bigint>();
  const add = (name: string, amount: bigint): void => void figures.set(name, (figures.get(name) ?? 0n) + amount);
  for (const [name, amount] of Object.entries(totals)) add(`total ${name}`, unitsOf(amount as string));
  for (const { alias, quantity, amount, new_this_month: added, existing_this_month: kept } of summary.lines) {
    for (const [kind, detail] of Object.entries({ added, kept, simple: amount && { quantity, mrc: amount } })) {
      if (detail === undefined) continue;
      add(`${alias} ${kind} quantity`, BigInt(detail.quantity));
      add(`${alias} ${kind} amount`, unitsOf(detail.mrc));
      if (detail.otc != null) add(`${alias} ${kind} setup`, unitsOf(detail.otc));
    }
  }
  for (const { event_date: date, description, amount } of summary.adjustments)
    add(`${date} ${description}`, unitsOf(amount));
  for (const { tn, services } of results)
    for (const { cost_type: type, name, cost } of services) add(`${tn} ${type} ${name}`, unitsOf(cost));
  return new Map([...figures].filter(([, amount]) => amount !== 0n));
}

test('any report is the exact sum of those of its parts, whatever the present is, and the breakdown agrees', async () => {
  const sandbox = await startFixedSandbox();
  let account = 'large';
  const read = async (path: string, start: string, end: string): Promise<Json> =>
    (await ask(sandbox.baseUrl, path, { start_date: start, end_date: end }, account)).body.data;
  const figures = async (start: string, end: string): Promise<Map<string, bigint>> =>
    figuresOf(await read('/charges_summary', start, end), await read('/charges_breakdown', start, end));

  async function check(start: string, days: number, cuts: readonly number[], now: string): Promise<void> {
    sandbox.setClock(Date.parse(now));
    const within = [...new Set(cuts.filter((cut) => cut < days))].toSorted((a, b) => a - b);
    const ends = [...within, days].map((day) => dayAfter(start, day));
    const parts = await Promise.all(ends.map((end, at) => figures(ends[at - 1] ?? start, end)));
    const sum = new Map<string, bigint>();
    for (const [name, amount] of parts.flatMap((part) => [...part])) sum.set(name, (sum.get(name) ?? 0n) + amount);
    const whole = await figures(start, dayAfter(start, days));
    const sorted = (map: Map<string, bigint>) => [...map].filter(([, amount]) => amount !== 0n).toSorted();
    expect(sorted(sum)).toEqual(sorted(whole));
    const costs = (type: string): bigint =>
      [...whole].reduce((all, [name, amount]) => all + (name.split(' ')[1] === type ? amount : 0n), 0n);
    const of = (name: string): bigint => whole.get(`total ${name}`) ?? 0n;
    expect([costs('MRC'), costs('OTC')]).toEqual([of('new_mrc') + of('existing_mrc'), of('new_otc')]);
  }

  const later = '2027-03-01T00:00:00Z';
  await check('2026-10-01', 31, [14], later);
  await check('2026-10-01', 31, [9], '2026-10-09T23:59:59Z');
  // Two months begin within 31 days.
  await check('2026-02-01', 31, [1, 28, 29], later);
  await check('2024-01-31', 31, [1, 30], later);
  // The account's first month.
  await check('2022-12-20', 31, [11, 12, 13], later);
  account = 'small';
  const day = fc.integer({ min: 0, max: 1_800 }).map((days) => dayAfter('2022-11-01', days));
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 });
  const days = fc.integer({ min: 2, max: 31 });
  const present = fc
    .tuple(day, fc.integer({ min: 0, max: 86_399 }))
    .map(([date, seconds]) => Date.parse(date) + seconds * 1_000);
  await fc.assert(
    fc.asyncProperty(day, days, cuts, fc.option(present, { freq: 2 }), (start, length, at, now) =>
      check(start, length, at, now === null ? later : new Date(now).toISOString()),
    ),
    { numRuns: runs(30) },
  );
  await sandbox.close();
});
