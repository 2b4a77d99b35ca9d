import { afterEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { ask, sandboxClient, type Json } from './client.ts';

const november = sandboxClient();
let uptime = 0;
let moving: Sandbox | undefined;

afterEach(async () => {
  await moving?.close();
  [moving, uptime] = [undefined, 0];
});

/** What one has that is read at this moment. */
async function at(now: string, path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Json> {
  moving ??= await startFixedSandbox(() => uptime);
  moving.setClock(Date.parse(now));
  return (await ask(moving.baseUrl, path, query)).body;
}

const newest = { 'page[size]': 250 };
const between = (from: string, to: string) => ({ 'filter[started_at][gte]': from, 'filter[started_at][lte]': to });
const october = { start_date: '2026-10-01', end_date: '2026-11-01' };

test.for(['2026-11-01T00:00:00Z', '2021-02-28T23:59:59Z', '2027-05-01T00:00:00Z'])(
  'at %s there are deliveries of thirty days up to now, and nothing is of the future',
  async (now) => {
    for (const path of ['/ip_connections', '/ai/missions', '/webhook_deliveries']) {
      const { data } = await at(now, path, newest);
      const moments = [...JSON.stringify(data).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+Z)"/g)].map(([, text]) => text ?? '');
      expect(moments.filter((text) => Date.parse(text) > Date.parse(now))).toEqual([]);
      const { id, mission_id: mission = id } = data[0];
      expect((await at(now, `${path}/${mission}`)).data).toEqual(data[0]);
    }
    const { data } = await at(now, '/webhook_deliveries', newest);
    const ends = data.map((row: Json) => row.finished_at ?? '').toSorted();
    expect(Date.parse(now) - Date.parse(ends.at(-1))).toBeLessThan(4_000_000);
    const [from = '', to = ''] = [20, 19].map((days) => new Date(Date.parse(now) - days * 86_400_000).toISOString());
    expect((await at(now, '/webhook_deliveries', between(from, to))).meta.total_results).toBeGreaterThan(380);
  },
);

test('a day has the same deliveries whatever the present is', async () => {
  const before = await november.get('/webhook_deliveries', between('2026-10-20T00:00Z', '2026-10-21T00:00Z'));
  expect(before.body.meta.total_results).toBe(400);
  const read = (now: string, day: number, month = '10') =>
    at(now, '/webhook_deliveries', between(`2026-${month}-${day}T00:00Z`, `2026-${month}-${day + 1}T00:00Z`));
  for (const now of ['2026-10-22T00:00:00Z', '2026-11-10T00:00:00Z']) expect(await read(now, 20)).toEqual(before.body);
  const later = await read('2026-11-15T00:00:00Z', 13, '11');
  expect(later.meta.total_results).toBe(400);
  expect(await read('2026-11-25T00:00:00Z', 13, '11')).toEqual(later);
});

test('a delivery comes every five seconds, the same ones in each run, and they are thinned after six hours', async () => {
  moving = await startFixedSandbox(() => uptime);
  const { baseUrl } = moving;
  const read = async (query = {}): Promise<Json> => (await ask(baseUrl, '/webhook_deliveries', query)).body;
  const before = await read({ 'page[size]': 1 });
  uptime = 17_000;
  const after = await read({ 'page[size]': 4 });
  expect(after.meta.total_results).toBe(12_003);
  expect(after.data[3]).toEqual(before.data[0]);
  const starts = ['2026-11-01T00:00:03', '2026-10-31T23:59:58', '2026-10-31T23:59:53'];
  expect(after.data.slice(0, 3).map((row: Json) => row.started_at)).toEqual(starts.map((start) => `${start}.000000Z`));
  expect((await read({ 'filter[started_at][gte]': '2026-10-31T23:59:58Z' })).data).toEqual(after.data.slice(0, 2));
  expect((await ask(baseUrl, `/webhook_deliveries/${after.data[0].id}`)).body.data).toEqual(after.data[0]);
  uptime = 10_000;
  expect((await read({ 'page[size]': 1 })).data).toEqual([after.data[1]]);
  for (const [time, total] of [
    [6 * 3_600_000 - 1, 12_000 + 4_319],
    [6 * 3_600_000, 12_000],
    [6 * 3_600_000 + 5_000, 12_001],
  ] as const) {
    uptime = time;
    expect((await read()).meta.total_results).toBe(total);
  }
});

test('a bill that is over does not change, the current one grows by the day, and a future one is empty', async () => {
  const { body: whole } = await november.get('/charges_summary', october);
  const half = await at('2026-10-16T23:59:59Z', '/charges_summary', october);
  for (const now of ['2026-10-31T00:00:00Z', '2027-06-01T00:00:00Z'])
    expect(await at(now, '/charges_summary', october)).toEqual(whole);
  const quantity = ({ data }: Json): number =>
    data.summary.lines.find((line: Json) => line.alias === 'voice_inbound').quantity;
  expect(quantity(half)).toBe(Math.floor((quantity(whole) * 16) / 31));
  const dates = half.data.summary.adjustments.map((line: Json) => line.event_date);
  expect(dates.filter((date: string) => date > '2026-10-16')).toEqual([]);
  const future = { start_date: '2027-02-01', end_date: '2027-03-01' };
  const { data } = (await november.get('/charges_summary', future)).body;
  expect([data.summary, data.total.grand_total]).toEqual([{ lines: [], adjustments: [] }, '0.00']);
  expect((await november.get('/charges_breakdown', future)).body.data.results).toEqual([]);
});
