import { expect, test } from 'vitest';
import { sandboxClient } from './client.ts';

const { get } = sandboxClient();
const path = '/ip_connections';

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

async function everyConnection(query: Record<string, string> = {}): Promise<any[]> {
  const rows: any[] = [];
  for (let number = 1; number <= 3; number += 1) {
    const reply = await get(path, { ...query, 'page[size]': '250', 'page[number]': String(number) });
    rows.push(...reply.body.data);
  }
  return rows;
}

function neverNull(records: any[]): string[] {
  return Object.keys(records[0])
    .filter((name) => !['id', 'record_type', 'capacity_class'].includes(name))
    .filter((name) => !records.some((record) => record[name] === null));
}

test('the list has 604 connections in pages of 20, newest first', async () => {
  const { status, body } = await get(path);
  expect(status).toBe(200);
  expect(body.meta).toEqual({ total_pages: 31, total_results: 604, page_number: 1, page_size: 20 });
  const created = body.data.map((row: any) => row.created_at);
  expect(created).toEqual(created.toSorted(byText).toReversed());
});

test('walking the pages yields each connection once, rows without a creation time last', async () => {
  const rows = await everyConnection();
  expect(new Set(rows.map((row) => row.id)).size).toBe(604);
  expect(rows.map((row) => row.created_at).indexOf(null)).toBe(602);
});

test('each field of the contract occurs, and each but the identity is null in some row', async () => {
  const rows = await everyConnection();
  const groups = ['rtcp_settings', 'inbound', 'outbound', 'noise_suppression_details', 'jitter_buffer'];
  const records = groups.map((group) => rows.map((row) => row[group]).filter((value) => value));
  expect([rows, ...records].flatMap(neverNull)).toEqual([]);
  expect(Object.keys(rows[0]).filter((name) => name !== 'capacity_class')).toHaveLength(27);
  expect(Object.keys(rows[0].inbound)).toHaveLength(18);
  expect(Object.keys(rows[0].outbound)).toHaveLength(12);
});

test('timestamps carry microseconds, voice profile ids nineteen digits', async () => {
  const { body } = await get(path);
  expect(body.data[0].created_at).toMatch(/^2026-10-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(body.data[0].outbound.outbound_voice_profile_id).toBe('1293384261075731499');
});

test('connection_name matches exactly', async () => {
  const { body } = await get(path, { 'filter[connection_name]': 'Shared trunk' });
  expect(body.data.map((row: any) => row.connection_name)).toEqual(Array(4).fill('Shared trunk'));
  const other = await get(path, { 'filter[connection_name]': 'shared trunk' });
  expect(other.body).toEqual({
    data: [],
    meta: { total_pages: 0, total_results: 0, page_number: 1, page_size: 20 },
  });
});

test('connection_name contains ignores case', async () => {
  const { body } = await get(path, { 'filter[connection_name][contains]': 'zÜRICH', 'page[size]': '250' });
  const expected = (await everyConnection()).filter((row) => row.connection_name?.startsWith('Zürich'));
  expect(body.data).toEqual(expected);
  expect(expected.length).toBeGreaterThan(10);
});

test('connection_name contains refuses fewer than three characters', async () => {
  const { status, body } = await get(path, { 'filter[connection_name][contains]': 'ab' });
  expect(status).toBe(400);
  expect(body.errors[0]).toMatchObject({ code: '10015', source: { parameter: 'filter[connection_name][contains]' } });
});

test('fqdn matches exactly and heeds case', async () => {
  const hit = await get(path, { 'filter[fqdn]': 'trunk-0.sip.example.com' });
  expect(hit.body.data.map((row: any) => row.inbound.sip_subdomain)).toEqual(['trunk-0']);
  for (const miss of ['Trunk-0.sip.example.com', 'trunk-0.sip.example', 'trunk-0']) {
    expect((await get(path, { 'filter[fqdn]': miss })).body.data).toEqual([]);
  }
});

test.each(['filter[outbound_voice_profile_id]', 'filter[outbound.outbound_voice_profile_id]'])(
  '%s matches the outbound voice profile',
  async (name) => {
    const profile = '1293384261075731499';
    const { body } = await get(path, { [name]: profile, 'page[size]': '250' });
    const expected = (await everyConnection()).filter((row) => row.outbound?.outbound_voice_profile_id === profile);
    expect(body.data).toEqual(expected);
    expect(expected.length).toBeGreaterThan(1);
  },
);

test('filters combine', async () => {
  const query = { 'filter[connection_name][contains]': 'Lisbon', 'filter[fqdn]': 'trunk-0.sip.example.com' };
  expect((await get(path, query)).body.meta.total_results).toBe(1);
  const none = { ...query, 'filter[connection_name][contains]': 'Zürich' };
  expect((await get(path, none)).body.meta.total_results).toBe(0);
});

test.each(['created_at', 'connection_name', 'active'])('sort by %s orders both ways, nulls last', async (field) => {
  for (const sign of ['', '-']) {
    const rows = await everyConnection({ sort: `${sign}${field}` });
    const values = rows.map((row) => row[field]);
    const known = values.filter((value) => value !== null);
    expect(values.slice(known.length).every((value) => value === null)).toBe(true);
    const ascending = sign === '' ? known : known.toReversed();
    for (const [at, value] of ascending.entries()) expect(at === 0 || ascending[at - 1] <= value).toBe(true);
    expect(new Set(rows.map((row) => row.id)).size).toBe(604);
  }
});

test('equal sort values are ordered by id in both directions', async () => {
  for (const sort of ['connection_name', '-connection_name']) {
    const rows = await everyConnection({ sort });
    const ids = rows.filter((row) => row.connection_name === 'Shared trunk').map((row) => row.id);
    expect(ids).toEqual(ids.toSorted(byText));
  }
});

test.each(['colour', '-id', '', 'created_at,active'])('the unknown sort %j is refused at /sort', async (sort) => {
  const { status, body } = await get(path, { sort });
  expect(status).toBe(400);
  expect(body.errors[0]).toMatchObject({ code: '10015', source: { pointer: '/sort' } });
});

test('one connection is read by its id', async () => {
  const listed = (await get(path, { 'page[number]': '7' })).body.data[3];
  const { status, body } = await get(`${path}/${listed.id}`);
  expect(status).toBe(200);
  expect(body).toEqual({ data: listed });
});
