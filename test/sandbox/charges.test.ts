import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../support/runs.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { ask, sandboxClient, type Json } from './client.ts';

const { get } = sandboxClient();
const reports = ['/charges_summary', '/charges_breakdown'];
const october = { start_date: '2026-10-01', end_date: '2026-11-01' };

/** Ten-thousandths as an integer, read from the text. */
function units(amount: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.(\d{1,4})$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(4, '0')}`);
}

function total(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + units(amount), 0n);
}

test('the summary of a month has both kinds of lines, adjustments and totals which agree with them', async () => {
  const { body } = await get('/charges_summary', october);
  const { summary, total: totals, ...head } = body.data;
  expect(head).toMatchObject({ ...october, currency: 'USD', user_email: 'billing@example.com' });
  const linesOf = (type: string): readonly Json[] => summary.lines.filter((line: Json) => line.type === type);
  const [comparative, simple] = [linesOf('comparative'), linesOf('simple')];
  expect([comparative.length, simple.length]).toEqual([8, 5]);
  const added = comparative.map((line) => line.new_this_month);
  const adjusted: readonly string[] = summary.adjustments.map(({ amount }: Json) => amount);
  expect(adjusted.length).toBeGreaterThanOrEqual(3);
  // A one-time charge is a decimal, null or absent.
  const forms = new Set(added.map(({ otc }) => (otc === null ? 'null' : typeof otc)));
  expect([...forms].toSorted()).toEqual(['null', 'string']);
  expect(comparative.filter((line) => 'otc' in line.existing_this_month)).toEqual([]);
  const { grand_total: grand, ...parts } = totals;
  const sums = Object.fromEntries(Object.entries(parts).map(([name, amount]) => [name, units(amount as string)]));
  expect(sums).toEqual({
    new_mrc: total(added.map(({ mrc }) => mrc)),
    new_otc: total(added.flatMap(({ otc }) => otc ?? [])),
    existing_mrc: total(comparative.map((line) => line.existing_this_month.mrc)),
    other: total(simple.map(({ amount }) => amount)),
    credits: total(adjusted.filter((amount) => amount.startsWith('-'))),
    ledger_adjustments: total(adjusted.filter((amount) => !amount.startsWith('-'))),
  });
  expect(units(grand)).toBe(total(Object.values(parts)));
});

test('the breakdown of October 2026 has 1,800 numbers, some without owner, type or service', async () => {
  const { results } = (await get('/charges_breakdown', october)).body.data;
  expect(new Set(results.map(({ tn }: Json) => tn)).size).toBe(1800);
  for (const name of ['charge_type', 'service_owner_user_id', 'service_owner_email'])
    expect(results.some((result: Json) => result[name] === null)).toBe(true);
  expect(results.some(({ services }: Json) => services.length === 0)).toBe(true);
});

test('CSV holds what JSON holds, a row per number and service, and no third format is taken', async () => {
  const json = await get('/charges_breakdown', { ...october, format: 'json' });
  const csv = await get('/charges_breakdown', { ...october, format: 'csv' });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toContain('filename="charges_breakdown_2026-10-01_2026-11-01.csv"');
  const own = ['tn', 'charge_type', 'service_owner_user_id', 'service_owner_email'];
  const service = ['cost_type', 'name', 'cost'];
  const cell = (text: string | null = ''): string =>
    /[",]/.test(text ?? '') ? `"${text?.replaceAll('"', '""')}"` : (text ?? '');
  const rows = json.body.data.results.flatMap((result: Json) =>
    (result.services.length > 0 ? result.services : [{}]).map((each: Json) =>
      [...own.map((name) => cell(result[name])), ...service.map((name) => cell(each[name]))].join(','),
    ),
  );
  expect(csv.text.split('\r\n')).toEqual([[...own, ...service].join(','), ...rows, '']);
  expect(csv.text).toContain('"Caller name (""CNAM"") storage"');
  const { status, body } = await get('/charges_breakdown', { ...october, format: 'xml' });
  expect([status, body.errors[0].source]).toEqual([400, { parameter: 'format' }]);
});

test.for([
  ['2026-10-01', '2026-11-01'],
  ['2026-01-31', '2026-02-28'],
  ['2024-01-31', '2024-02-29'],
  ['2026-12-15', '2027-01-15'],
] as const)('the breakdown from %s ends on %s where no end is named', async ([start, end]) => {
  const { body } = await get('/charges_breakdown', { start_date: start });
  expect(body.data).toMatchObject({ start_date: start, end_date: end });
});

test.for<[parameter: string, query: Readonly<Record<string, string>>]>([
  ['start_date', {}],
  ['start_date', { start_date: '', end_date: '2026-10-02' }],
  ['start_date', { start_date: '2026-1-1', end_date: '2026-01-02' }],
  ['start_date', { start_date: '2026-02-30', end_date: '2026-03-02' }],
  ['start_date', { start_date: '2026-10-01T00:00:00Z', end_date: '2026-10-02' }],
  ['end_date', { start_date: '2026-10-01', end_date: 'soon' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-10-01' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-11-02' }],
])('both reports refuse a broken date rule at %s: %j', async ([parameter, query]) => {
  for (const path of reports) {
    const { status, body } = await get(path, query);
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, '10015', { parameter }]);
  }
});

test('both take one day and 31 days, and only the summary needs an end', async () => {
  for (const path of reports)
    for (const end of ['2026-10-02', '2026-11-01'])
      expect((await get(path, { start_date: '2026-10-01', end_date: end })).status).toBe(200);
  const { body } = await get('/charges_summary', { start_date: '2026-10-01' });
  expect(body.errors[0].source).toEqual({ parameter: 'end_date' });
  const { body: long } = await get('/charges_summary', { start_date: '2026-01-01', end_date: '2026-03-01' });
  expect(long.errors[0].detail).toBe('The date range cannot exceed 31 days.');
});

const dayMs = 86_400_000;
const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);

/** What a report says by name, amounts and quantities as integers, so that reports can be added up. */
function figuresOf({ summary, total: totals }: Json, { results }: Json): Map<string, bigint> {
  const figures = new Map<string, bigint>();
  const add = (name: string, amount: bigint): void => void figures.set(name, (figures.get(name) ?? 0n) + amount);
  for (const [name, amount] of Object.entries(totals)) add(`total ${name}`, units(amount as string));
  for (const { alias, quantity, amount, new_this_month: added, existing_this_month: kept } of summary.lines) {
    for (const [kind, detail] of Object.entries({ added, kept, simple: amount && { quantity, mrc: amount } })) {
      if (detail === undefined) continue;
      add(`${alias} ${kind} quantity`, BigInt(detail.quantity));
      add(`${alias} ${kind} amount`, units(detail.mrc));
      if (detail.otc != null) add(`${alias} ${kind} setup`, units(detail.otc));
    }
  }
  for (const { event_date: date, description, amount } of summary.adjustments)
    add(`${date} ${description}`, units(amount));
  for (const { tn, services } of results)
    for (const { cost_type: type, name, cost } of services) add(`${tn} ${type} ${name}`, units(cost));
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

test('monthly charges are those of the first of a month, and usage that of its days', async () => {
  const of = async (start: string, end: string) =>
    (await get('/charges_summary', { start_date: start, end_date: end })).body.data;
  const [first, second] = [await of('2026-10-01', '2026-10-15'), await of('2026-10-15', '2026-11-01')];
  const whole = await of('2026-10-01', '2026-11-01');
  expect(first.total.existing_mrc).toBe(whole.total.existing_mrc);
  expect(second.total.existing_mrc).toBe('0.00');
  expect(units(second.total.other)).toBeGreaterThan(0n);
  // A day in the middle of a month charges no number but those that came that day.
  const { results } = (await get('/charges_breakdown', { start_date: '2026-10-02', end_date: '2026-10-03' })).body.data;
  expect(results.length).toBeLessThan(5);
});
