import { expect, test } from 'vitest';
import { startFixedSandbox } from '../support/sandbox.ts';
import { sandboxClient } from './client.ts';

const { get } = sandboxClient();
const path = '/webhook_deliveries';
const prefixUrl = 'https://events.example.com/hooks';

function urlsOf(row: any): string[] {
  return (row.attempts ?? []).flatMap((attempt: any) => (attempt.http === null ? [] : [attempt.http.request.url]));
}

async function rowsOf(query: Record<string, string>): Promise<any[]> {
  const { status, body } = await get(path, { 'page[size]': '250', ...query });
  expect(status).toBe(200);
  expect(body.data.length).toBeGreaterThan(0);
  return body.data;
}

let every: Promise<any[]> | null = null;

/** All of them, read once. */
function everyDelivery(): Promise<any[]> {
  const pages = Array.from({ length: 48 }, (_, at) => at + 1);
  every ??= Promise.all(pages.map((number) => rowsOf({ 'page[number]': String(number) }))).then((rows) => rows.flat());
  return every;
}

test('the list has 12,000 deliveries in pages of 20', async () => {
  const { body } = await get(path);
  expect(body.data).toHaveLength(20);
  expect(body.meta).toEqual({ total_pages: 600, total_results: 12_000, page_number: 1, page_size: 20 });
});

test('walking the pages yields each delivery once, newest first, a few with the same start', async () => {
  const rows = await everyDelivery();
  expect(new Set(rows.map((row) => row.id)).size).toBe(12_000);
  const starts: string[] = rows.map((row) => row.started_at);
  expect(starts).toEqual(starts.toSorted().toReversed());
  expect(new Set(starts).size).toBe(11_700);
  for (const [at, row] of rows.entries()) {
    const tied = at > 0 && row.started_at === starts[at - 1];
    expect(!tied || row.id > rows[at - 1].id).toBe(true);
  }
});

test('deliveries have retries, two targets, attempts without a response and nulls', async () => {
  const rows = await everyDelivery();
  const attempts = rows.flatMap((row) => row.attempts ?? []);
  const answers = attempts.map((attempt) => attempt.http).filter((http) => http !== null);
  expect(rows.filter((row) => row.status === 'failed').length).toBeGreaterThan(500);
  expect(rows.filter((row) => new Set(urlsOf(row)).size === 2).length).toBeGreaterThan(500);
  expect(answers.some((http) => !('response' in http))).toBe(true);
  expect(answers.some((http) => http.response === null)).toBe(true);
  for (const name of ['status', 'user_id', 'webhook', 'finished_at', 'attempts']) {
    expect(rows.some((row) => row[name] === null)).toBe(true);
  }
  const names = new Set(answers.flatMap((http) => http.request.headers.map(([name]: [string]) => name)));
  expect([...names]).toEqual(expect.arrayContaining(['Authorization', 'X-Api-Key', 'Cookie']));
});

test('attempts come newest first and only the newest of a delivered row is delivered', async () => {
  for (const row of await rowsOf({ 'filter[status][eq]': 'delivered' })) {
    const starts = (row.attempts ?? [])
      .map((attempt: any) => attempt.started_at)
      .filter((start: any) => start !== null);
    expect(starts).toEqual(starts.toSorted().toReversed());
    const states = (row.attempts ?? []).map((attempt: any) => attempt.status);
    expect(states.map((state: string) => state === 'delivered')).toEqual(
      states.map((_: string, at: number) => at === 0),
    );
  }
});

test('failed attempts carry error codes that the API has for deliveries', async () => {
  const codes = new Set<number>();
  for (const row of await rowsOf({ 'filter[status][eq]': 'failed' }))
    for (const attempt of row.attempts ?? []) for (const code of attempt.errors) codes.add(code);
  expect([...codes].toSorted()).toEqual([75_001, 75_002, 75_404, 75_499, 75_500, 75_599]);
});

test('attempted URLs are URLs of connections, and most of the newest connections have five deliveries', async () => {
  const connections: any[] = [];
  for (const number of ['1', '2', '3']) {
    connections.push(...(await get('/ip_connections', { 'page[size]': '250', 'page[number]': number })).body.data);
  }
  const known = new Set(connections.flatMap((row) => [row.webhook_event_url, row.webhook_event_failover_url]));
  const attempted = (await everyDelivery()).flatMap((row) => [...new Set(urlsOf(row))]);
  expect(attempted.filter((url) => !known.has(url))).toEqual([]);
  const newest = connections.slice(0, 50).filter((row) => row.webhook_event_url !== null);
  const busy = newest.filter((row) => attempted.filter((url) => url === row.webhook_event_url).length >= 5);
  expect(newest.length).toBeGreaterThan(40);
  expect(newest.length - busy.length).toBe(2);
  expect(new Set(newest.map((row) => row.webhook_event_url)).size).toBeLessThan(newest.length);
});

test('status matches exactly', async () => {
  const { body } = await get(path, { 'filter[status][eq]': 'failed', 'page[size]': '250' });
  expect(new Set(body.data.map((row: any) => row.status))).toEqual(new Set(['failed']));
  expect((await get(path, { 'filter[status][eq]': 'fail' })).body.meta.total_results).toBe(0);
});

test('event_type takes a list in either spelling', async () => {
  const one = await get(path, { 'filter[event_type]': 'call_initiated' });
  const dotted = await get(path, { 'filter[event_type]': 'call.initiated' });
  expect(dotted.body).toEqual(one.body);
  const other = await get(path, { 'filter[event_type]': 'fax_received' });
  const both = await get(path, { 'filter[event_type]': 'call.initiated,fax_received' });
  expect(both.body.meta.total_results).toBe(one.body.meta.total_results + other.body.meta.total_results);
  expect(new Set(both.body.data.map((row: any) => row.webhook.event_type)).size).toBe(2);
});

test('webhook contains searches the event', async () => {
  const id = (await get(path)).body.data[4].webhook.id;
  const rows = await rowsOf({ 'filter[webhook][contains]': id });
  expect(rows.map((row) => row.webhook.id)).toEqual([id]);
  expect((await get(path, { 'filter[webhook][contains]': id.toUpperCase() })).body.data).toEqual([]);
});

test('attempts contains searches the attempts and finds URLs which only begin alike', async () => {
  const query = { 'filter[attempts][contains]': prefixUrl };
  const rows = await rowsOf(query);
  const exact = rows.filter((row) => urlsOf(row).includes(prefixUrl));
  expect(exact.length).toBeGreaterThan(5);
  expect(exact.length).toBeLessThan(rows.length / 2);
  for (const row of rows) expect(JSON.stringify(row.attempts)).toContain(prefixUrl);
});

test('a URL with reserved characters is found when it is percent-encoded', async () => {
  const url = 'https://juniper-19.example.net/hooks?tenant=12&mode=live';
  for (const row of await rowsOf({ 'filter[attempts][contains]': url })) expect(urlsOf(row)).toContain(url);
});

test.each(['started_at', 'finished_at'])('%s is bounded on both sides, bounds included', async (field) => {
  const rows = (await rowsOf({})).filter((row) => row[field] !== null).sort((a, b) => (a[field] < b[field] ? -1 : 1));
  const [from, to] = [rows[10][field], rows[40][field]];
  const within = await rowsOf({ [`filter[${field}][gte]`]: from, [`filter[${field}][lte]`]: to });
  expect(within.map((row) => row[field]).sort((a, b) => (a < b ? -1 : 1))).toEqual(
    rows.slice(10, 41).map((row) => row[field]),
  );
});

test('a time bound may have an offset and any precision', async () => {
  const day = await get(path, {
    'filter[started_at][gte]': '2026-10-03T00:00:00Z',
    'filter[started_at][lte]': '2026-10-04T00:00:00Z',
  });
  const offset = await get(path, {
    'filter[started_at][gte]': '2026-10-03T02:00:00.000000000+02:00',
    'filter[started_at][lte]': '2026-10-03T23:59:59.9999999Z',
  });
  expect(day.body.meta.total_results).toBe(400);
  expect(offset.body).toEqual(day.body);
});

test.each([
  ['filter[started_at][gte]', 'yesterday'],
  ['filter[started_at][lte]', '2026-10-03'],
  ['filter[finished_at][gte]', '2026-02-30T00:00:00Z'],
  ['filter[finished_at][lte]', '2026-10-03T00:00:00'],
])('%s=%s is refused naming the parameter', async (name, given) => {
  const { status, body } = await get(path, { [name]: given });
  expect(status).toBe(400);
  expect(body.errors[0]).toMatchObject({ code: '10015', source: { parameter: name } });
});

test('filters combine and paginate', async () => {
  const query = { 'filter[status][eq]': 'failed', 'filter[attempts][contains]': prefixUrl, 'page[size]': '10' };
  const first = (await get(path, query)).body;
  const second = (await get(path, { ...query, 'page[number]': '2' })).body;
  expect(first.meta.total_results).toBe(second.meta.total_results);
  expect(first.data).toHaveLength(10);
  expect(second.data[0].started_at < first.data[9].started_at).toBe(true);
});

test('one delivery is read by its id', async () => {
  const listed = (await get(path, { 'page[number]': '300' })).body.data[2];
  expect((await get(`${path}/${listed.id}`)).body).toEqual({ data: listed });
});

test('a sandbox that runs has a new delivery every five seconds, the same ones in each run', async () => {
  let milliseconds = 0;
  const sandbox = await startFixedSandbox(() => milliseconds);
  const read = async (target: string): Promise<any> => {
    const answer = await fetch(`${sandbox.baseUrl}${target}`, { headers: { authorization: 'Bearer sandbox-key' } });
    return answer.json();
  };
  const before = await read(`${path}?page[size]=1`);
  milliseconds = 17_000;
  const after = await read(`${path}?page[size]=4`);
  expect(after.meta.total_results).toBe(12_003);
  expect(after.data[3]).toEqual(before.data[0]);
  expect(after.data.slice(0, 3).map((row: any) => row.started_at)).toEqual([
    '2026-11-01T00:00:03.000000Z',
    '2026-10-31T23:59:58.000000Z',
    '2026-10-31T23:59:53.000000Z',
  ]);
  const since = await read(`${path}?filter[started_at][gte]=2026-10-31T23:59:58Z`);
  expect(since.data).toEqual(after.data.slice(0, 2));
  expect(await read(`${path}/${after.data[0].id}`)).toEqual({ data: after.data[0] });
  milliseconds = 10_000;
  expect((await read(`${path}?page[size]=1`)).data).toEqual([after.data[1]]);
  await sandbox.close();
});
