import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

let november: Sandbox;
let moving: Sandbox;

beforeAll(async () => {
  [november, moving] = await Promise.all([startFixedSandbox(), startFixedSandbox()]);
});

afterAll(() => Promise.all([november.close(), moving.close()]));

// Tests read bodies of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
async function read({ baseUrl }: Sandbox, path: string): Promise<any> {
  const response = await fetch(baseUrl + path, { headers: { authorization: 'Bearer sandbox-key' } });
  return response.json();
}

async function deliveriesOf(sandbox: Sandbox, from: string, to: string) {
  const bounds = `filter[started_at][gte]=${from}&filter[started_at][lte]=${to}`;
  return read(sandbox, `/webhook_deliveries?page[size]=250&${bounds}`);
}

const summary = (sandbox: Sandbox, start: string, end: string) =>
  read(sandbox, `/charges_summary?start_date=${start}&end_date=${end}`);

test.for(['2026-11-03T10:00:00Z', '2026-10-20T10:00:00Z', '2027-02-01T00:00:00Z'])(
  'at %s there are deliveries of the thirty days before, and none that has not ended',
  async (now) => {
    moving.setClock(Date.parse(now));
    const { data, meta } = await read(moving, '/webhook_deliveries?page[size]=250');
    // Those that have come live since the start are more.
    expect(meta.total_results).toBeGreaterThanOrEqual(12_000);
    const ends = data.map((row: { finished_at: string | null }) => row.finished_at ?? '').sort();
    expect(Date.parse(ends.at(-1))).toBeLessThanOrEqual(Date.parse(now));
    expect(Date.parse(now) - Date.parse(ends.at(-1))).toBeLessThan(900_000);
    const day = 86_400_000;
    const [from, to] = [20, 19].map((ago) => new Date(Date.parse(now) - ago * day).toISOString());
    expect((await deliveriesOf(moving, from ?? '', to ?? '')).meta.total_results).toBeGreaterThan(380);
  },
);

test('a day has the same deliveries whatever the present is', async () => {
  const day = ['2026-10-20T00:00:00Z', '2026-10-21T00:00:00Z'] as const;
  const before = await deliveriesOf(november, ...day);
  expect(before.data).toHaveLength(250);
  for (const now of ['2026-10-22T00:00:00Z', '2026-11-10T00:00:00Z']) {
    moving.setClock(Date.parse(now));
    expect(await deliveriesOf(moving, ...day)).toEqual(before);
  }
  // Days after the examples' present, too.
  const later = ['2026-11-03T00:00:00Z', '2026-11-04T00:00:00Z'] as const;
  const seen = [];
  for (const now of ['2026-11-05T00:00:00Z', '2026-11-20T00:00:00Z']) {
    moving.setClock(Date.parse(now));
    seen.push(await deliveriesOf(moving, ...later));
  }
  expect(seen[0].meta.total_results).toBe(400);
  expect(seen[1]).toEqual(seen[0]);
});

test('live deliveries are thinned after six hours', async () => {
  let uptime = 0;
  const sandbox = await startFixedSandbox(() => uptime);
  const count = async (): Promise<number> =>
    (await read(sandbox, '/webhook_deliveries?page[size]=1')).meta.total_results;
  uptime = 6 * 3_600_000 - 1;
  expect(await count()).toBe(12_000 + 4_319);
  uptime += 1;
  expect(await count()).toBe(12_000);
  uptime += 5_000;
  expect(await count()).toBe(12_001);
  await sandbox.close();
});

test('a bill that is over does not change, the current one grows by the day, and a future one is empty', async () => {
  const october = await summary(november, '2026-10-01', '2026-11-01');
  moving.setClock(Date.parse('2026-10-16T23:59:59Z'));
  const half = await summary(moving, '2026-10-01', '2026-11-01');
  moving.setClock(Date.parse('2026-10-31T00:00:00Z'));
  expect(await summary(moving, '2026-10-01', '2026-11-01')).toEqual(october);
  moving.setClock(Date.parse('2027-06-01T00:00:00Z'));
  expect(await summary(moving, '2026-10-01', '2026-11-01')).toEqual(october);
  const quantity = ({ data }: { data: { summary: { lines: { alias: string; quantity: number }[] } } }): number =>
    data.summary.lines.find(({ alias }) => alias === 'voice_inbound')?.quantity ?? 0;
  expect(quantity(half)).toBe(Math.floor((quantity(october) * 16) / 31));
  const dates = half.data.summary.adjustments.map((line: { event_date: string }) => line.event_date);
  expect(dates.every((date: string) => date <= '2026-10-16')).toBe(true);
  const future = await summary(november, '2027-02-01', '2027-03-01');
  expect([future.data.summary, future.data.total.grand_total]).toEqual([{ lines: [], adjustments: [] }, '0.00']);
  expect((await read(november, '/charges_breakdown?start_date=2027-02-01')).data.results).toEqual([]);
});

test("without a present of its own it has the machine's", async () => {
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
  expect(Math.abs(sandbox.now() - Date.now())).toBeLessThan(1_000);
  await sandbox.close();
});
