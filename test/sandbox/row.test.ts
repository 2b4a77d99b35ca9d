import { expect, test } from 'vitest';
import { sandboxClient, type Json } from './client.ts';

const { get, everyRow } = sandboxClient();

const attemptsOf = (row: Json): readonly Json[] => row.attempts ?? [];
const exchangesOf = (row: Json): readonly Json[] => attemptsOf(row).flatMap(({ http }) => http ?? []);
const urlsOf = (row: Json): readonly string[] => [...new Set(exchangesOf(row).map(({ request }) => request.url))];

function valuesOf(rows: readonly Json[], read: (row: Json) => unknown): readonly unknown[] {
  return [...new Set(rows.map(read))].toSorted();
}

function neverNull(records: readonly Json[], ...required: readonly string[]): readonly string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return [...names].filter((name) => !required.includes(name) && !records.some((record) => record[name] === null));
}

test('each field that may be null is null in some row', async () => {
  const connections = await everyRow('/ip_connections');
  expect(neverNull(connections, 'id', 'record_type', 'capacity_class')).toEqual([]);
  for (const group of ['rtcp_settings', 'inbound', 'outbound', 'noise_suppression_details', 'jitter_buffer'])
    expect(neverNull(connections.flatMap((row) => row[group] ?? []))).toEqual([]);
  const missions = await everyRow('/ai/missions');
  expect(neverNull(missions, 'mission_id', 'execution_mode')).toEqual([]);
  expect(missions.some((row) => !('metadata' in row))).toBe(true);
  expect(neverNull(await everyRow('/webhook_deliveries'), 'id', 'record_type', 'started_at')).toEqual([]);
});

test('values are among those of the API, in its forms', async () => {
  const rows = await everyRow('/ip_connections');
  const engines = ['deep_filter_net', 'deep_filter_net_large', 'denoiser', 'quail_voice_focus'];
  expect(valuesOf(rows, (row) => row.noise_suppression_details?.engine ?? '')).toEqual(['', ...engines]);
  const sources = ['callee-passthru', 'caller-passthru', 'customer', 'disabled', 'passthru'];
  expect(valuesOf(rows, (row) => row.outbound?.t38_reinvite_source ?? '')).toEqual(['', ...sources]);
  const formOf = ({ id }: Json) => (/^[\da-f-]{36}$/.test(id) ? 'uuid' : /^\d{19}$/.test(id));
  expect(valuesOf(rows, formOf)).toEqual([true, 'uuid']);
  expect(rows[0].created_at).toMatch(/^2026-10-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  // An integer beyond 2^53, as it stands on the wire.
  expect((await get('/ai/missions', { 'page[size]': 1 })).text).toContain('"batch_ref":9007199254740993}');
});

test('deliveries are tried again, at two addresses, without a response at times, and only the last of them arrives', async () => {
  const rows = await everyRow('/webhook_deliveries');
  const [failed, delivered] = ['failed', 'delivered'].map((status) => rows.filter((row) => row.status === status));
  expect(failed?.length).toBeGreaterThan(500);
  expect(rows.filter((row) => urlsOf(row).length === 2).length).toBeGreaterThan(500);
  const exchanges = rows.flatMap(exchangesOf);
  expect(new Set(exchanges.map(({ response }) => response && 'one'))).toEqual(new Set([undefined, null, 'one']));
  const names = exchanges.flatMap(({ request }) => request.headers.map(([name]: readonly string[]) => name));
  expect(valuesOf(names, (name) => name)).toEqual(expect.arrayContaining(['Authorization', 'Cookie', 'X-Api-Key']));
  const codes = failed?.flatMap((row) => attemptsOf(row).flatMap(({ errors }) => errors)) ?? [];
  expect(valuesOf(codes, (code) => code)).toEqual([75_001, 75_002, 75_404, 75_499, 75_500, 75_599]);
  for (const row of delivered ?? []) {
    const starts = attemptsOf(row).flatMap((attempt) => attempt.started_at ?? []);
    expect(starts).toEqual(starts.toSorted().toReversed());
    expect(attemptsOf(row).findLastIndex(({ status }) => status === 'delivered')).toBeLessThanOrEqual(0);
  }
});

test('they go to addresses of connections, of which some are shared and some begin alike', async () => {
  const connections = await everyRow('/ip_connections');
  const known = new Set(connections.flatMap((row) => [row.webhook_event_url, row.webhook_event_failover_url]));
  const attempted = (await everyRow('/webhook_deliveries')).flatMap(urlsOf);
  expect(attempted.filter((url) => !known.has(url))).toEqual([]);
  const newest = connections.slice(0, 50).flatMap((row) => row.webhook_event_url ?? []);
  const idle = newest.filter((url) => attempted.filter((one) => one === url).length < 5);
  expect([newest.length > 40, idle.length, new Set(newest).size < newest.length]).toEqual([true, 2, true]);
  const alike = attempted.filter((url) => url.startsWith('https://events.example.com/hooks'));
  const exact = alike.filter((url) => url === 'https://events.example.com/hooks');
  expect([exact.length > 5, exact.length < alike.length / 2]).toEqual([true, true]);
});
