import { expect, test } from 'vitest';
import { sandboxClient, unitsOf, type Json } from './client.ts';

const { get, refusalOf } = sandboxClient();
const reports = ['/charges_summary', '/charges_breakdown'];
const october = { start_date: '2026-10-01', end_date: '2026-11-01' };

function total(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n);
}

test('the summary of a month has both kinds of lines, adjustments and totals which agree with them', async () => {
  const { body } = await get('/charges_summary', october);
  const { summary, total: totals, ...head } = body.data;
  expect(head).toMatchObject({ ...october, currency: 'USD', user_email: 'billing@example.com' });
  const linesOf = (type: string): readonly Json[] => summary.lines.filter((line: Json) => line.type === type);
  const [comparative, simple] = [linesOf('comparative'), linesOf('simple')];
  const adjusted: readonly string[] = summary.adjustments.map(({ amount }: Json) => amount);
  expect([comparative.length, simple.length, adjusted.length >= 3]).toEqual([8, 5, true]);
  const added = comparative.map((line) => line.new_this_month);
  // A one-time charge is a decimal, null or absent.
  expect([...new Set(added.map(({ otc }) => otc && 'text'))].toSorted()).toEqual([null, 'text']);
  expect(comparative.filter((line) => 'otc' in line.existing_this_month)).toEqual([]);
  const { grand_total: grand, ...parts } = totals;
  expect(Object.values<string>(parts).map(unitsOf)).toEqual(
    [
      added.map(({ mrc }) => mrc),
      added.flatMap(({ otc }) => otc ?? []),
      comparative.map((line) => line.existing_this_month.mrc),
      simple.map(({ amount }) => amount),
      adjusted.filter((amount) => amount.startsWith('-')),
      adjusted.filter((amount) => !amount.startsWith('-')),
    ].map(total),
  );
  expect(Object.keys(parts).join()).toBe('new_mrc,new_otc,existing_mrc,other,credits,ledger_adjustments');
  expect(unitsOf(grand)).toBe(total(Object.values(parts)));
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
  const refused = await refusalOf('/charges_breakdown', { ...october, format: 'xml' });
  expect(refused).toEqual([400, '10015', { parameter: 'format' }]);
});

test.for([
  ['2026-01-31', '2026-02-28'],
  ['2024-01-31', '2024-02-29'],
  ['2026-12-15', '2027-01-15'],
] as const)('the breakdown from %s ends on %s where no end is named', async ([start, end]) => {
  const { body } = await get('/charges_breakdown', { start_date: start });
  expect(body.data).toMatchObject({ start_date: start, end_date: end });
});

test.for<[parameter: string, query: Readonly<Record<string, string>>]>([
  ['start_date', {}],
  ['start_date', { start_date: '2026-02-30', end_date: '2026-03-02' }],
  ['start_date', { start_date: '2026-10-01T00:00:00Z', end_date: '2026-10-02' }],
  ['end_date', { start_date: '2026-10-01', end_date: 'soon' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-10-01' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-11-02' }],
])('both reports refuse a broken date rule at %s: %j', async ([parameter, query]) => {
  for (const path of reports) expect(await refusalOf(path, query)).toEqual([400, '10015', { parameter }]);
});
