import { expect, test } from 'vitest';
import { sandboxClient } from './client.ts';

const { get } = sandboxClient();
const october = { start_date: '2026-10-01', end_date: '2026-11-01' };

// Exact: ten-thousandths as integers, read from the text.
function units(amount: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.(\d{1,4})$/.exec(amount) ?? [];
  const size = BigInt(whole + fraction.padEnd(4, '0'));
  return sign === '-' ? -size : size;
}

function total(amounts: string[]): bigint {
  return amounts.reduce((sum, amount) => sum + units(amount), 0n);
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [cell, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (cell === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('the summary of a month has both kinds of lines, adjustments and totals which agree with them', async () => {
  const { status, body } = await get('/charges_summary', october);
  expect(status).toBe(200);
  const { summary, total: totals, ...head } = body.data;
  expect(head).toMatchObject({ ...october, currency: 'USD', user_email: 'billing@example.com' });
  const comparative = summary.lines.filter((line: any) => line.type === 'comparative');
  const simple = summary.lines.filter((line: any) => line.type === 'simple');
  expect(comparative).toHaveLength(8);
  expect(simple).toHaveLength(5);
  expect(summary.adjustments.length).toBeGreaterThanOrEqual(3);
  const added = comparative.map((line: any) => line.new_this_month);
  const adjusted = summary.adjustments.map((line: any) => line.amount);
  expect(units(totals.new_mrc)).toBe(total(added.map((detail: any) => detail.mrc)));
  expect(units(totals.new_otc)).toBe(total(added.flatMap((detail: any) => detail.otc ?? [])));
  expect(units(totals.existing_mrc)).toBe(total(comparative.map((line: any) => line.existing_this_month.mrc)));
  expect(units(totals.other)).toBe(total(simple.map((line: any) => line.amount)));
  expect(units(totals.credits)).toBe(total(adjusted.filter((amount: string) => amount.startsWith('-'))));
  expect(units(totals.ledger_adjustments)).toBe(total(adjusted.filter((amount: string) => !amount.startsWith('-'))));
  const { grand_total: grand, ...parts } = totals;
  expect(units(grand)).toBe(total(Object.values(parts)));
});

test('a one-time charge is a decimal, null or absent', async () => {
  const { body } = await get('/charges_summary', october);
  const lines = body.data.summary.lines.filter((line: any) => line.type === 'comparative');
  expect(lines.some((line: any) => typeof line.new_this_month.otc === 'string')).toBe(true);
  expect(lines.some((line: any) => line.new_this_month.otc === null)).toBe(true);
  expect(lines.every((line: any) => !('otc' in line.existing_this_month))).toBe(true);
});

test('adjustments lie within the period', async () => {
  const range = { start_date: '2026-02-27', end_date: '2026-03-01' };
  const { body } = await get('/charges_summary', range);
  for (const { event_date: date } of body.data.summary.adjustments) {
    expect(['2026-02-27', '2026-02-28']).toContain(date);
  }
});

test('a period before the first number has no lines and zero totals', async () => {
  const { body } = await get('/charges_summary', { start_date: '2022-03-01', end_date: '2022-04-01' });
  expect(body.data.summary).toEqual({ lines: [], adjustments: [] });
  expect(new Set(Object.values(body.data.total))).toEqual(new Set(['0.00']));
});

test('the breakdown of October 2026 has 1,800 numbers and the sums of the summary', async () => {
  const { body } = await get('/charges_breakdown', october);
  const { total: totals } = (await get('/charges_summary', october)).body.data;
  const { results } = body.data;
  expect(results).toHaveLength(1800);
  expect(new Set(results.map((result: any) => result.tn)).size).toBe(1800);
  const costs = (type: string): bigint =>
    total(
      results
        .flatMap((result: any) => result.services)
        .flatMap((service: any) => (service.cost_type === type ? service.cost : [])),
    );
  expect(costs('MRC')).toBe(units(totals.new_mrc) + units(totals.existing_mrc));
  expect(costs('OTC')).toBe(units(totals.new_otc));
  for (const name of ['charge_type', 'service_owner_user_id', 'service_owner_email']) {
    expect(results.some((result: any) => result[name] === null)).toBe(true);
  }
  expect(results.some((result: any) => result.services.length === 0)).toBe(true);
});

test.each([
  ['2026-10-01', '2026-11-01'],
  ['2026-01-31', '2026-02-28'],
  ['2024-01-31', '2024-02-29'],
  ['2026-12-15', '2027-01-15'],
])('the breakdown from %s ends by default on %s', async (start, end) => {
  const { body } = await get('/charges_breakdown', { start_date: start });
  expect(body.data).toMatchObject({ start_date: start, end_date: end });
});

test('CSV holds what JSON holds, a row per number and service', async () => {
  const json = await get('/charges_breakdown', { ...october, format: 'json' });
  const csv = await get('/charges_breakdown', { ...october, format: 'csv' });
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toBe(
    'attachment; filename="charges_breakdown_2026-10-01_2026-11-01.csv"',
  );
  const [header, ...rows] = parseCsv(csv.text);
  const own = ['tn', 'charge_type', 'service_owner_user_id', 'service_owner_email'];
  expect(header).toEqual([...own, 'cost_type', 'name', 'cost']);
  const expected = json.body.data.results.flatMap((result: any) => {
    const services = result.services.length > 0 ? result.services : [{}];
    return services.map((service: any) => [
      ...own.map((name) => result[name] ?? ''),
      ...['cost_type', 'name', 'cost'].map((name) => service[name] ?? ''),
    ]);
  });
  expect(rows).toEqual(expected);
  expect(csv.text).toContain('"Emergency services, US & Canada"');
  expect(csv.text).toContain('"Caller name (""CNAM"") storage"');
});

test('another format is refused', async () => {
  const { status, body } = await get('/charges_breakdown', { ...october, format: 'xml' });
  expect(status).toBe(400);
  expect(body.errors[0]).toMatchObject({ code: '10015', source: { parameter: 'format' } });
});

test.each(['/charges_summary', '/charges_breakdown'])('%s accepts one day and 31 days', async (path) => {
  for (const end of ['2026-10-02', '2026-11-01']) {
    expect((await get(path, { start_date: '2026-10-01', end_date: end })).status).toBe(200);
  }
});

test.each([
  ['start_date', {}],
  ['start_date', { start_date: '', end_date: '2026-10-02' }],
  ['start_date', { start_date: '2026-1-1', end_date: '2026-01-02' }],
  ['start_date', { start_date: '2026-02-30', end_date: '2026-03-02' }],
  ['start_date', { start_date: '2026-10-01T00:00:00Z', end_date: '2026-10-02' }],
  ['end_date', { start_date: '2026-10-01', end_date: 'soon' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-10-01' }],
  ['end_date', { start_date: '2026-10-02', end_date: '2026-10-01' }],
  ['end_date', { start_date: '2026-10-01', end_date: '2026-11-02' }],
])('both reports refuse a broken date rule naming %s: %j', async (parameter, query) => {
  for (const path of ['/charges_summary', '/charges_breakdown']) {
    const { status, body } = await get(path, query);
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ code: '10015', title: 'Bad Request', source: { parameter } });
  }
});

test('the summary requires an end date', async () => {
  const { status, body } = await get('/charges_summary', { start_date: '2026-10-01' });
  expect(status).toBe(400);
  expect(body.errors[0].source).toEqual({ parameter: 'end_date' });
});

test('a period that is too long is refused with a message', async () => {
  const { body } = await get('/charges_summary', { start_date: '2026-01-01', end_date: '2026-03-01' });
  expect(body.errors[0].detail).toBe('The date range cannot exceed 31 days.');
});
