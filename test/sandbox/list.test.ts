import { describe, expect, test } from 'vitest';
import { sandboxClient, type Json } from './client.ts';

const { get, everyRow, refusalOf } = sandboxClient();
const connections = '/ip_connections';
const missions = '/ai/missions';
const deliveries = '/webhook_deliveries';
const lists = [
  [connections, { total: 604, most: 250, id: 'id' }],
  [missions, { total: 230, most: 1_000, id: 'mission_id' }],
  [deliveries, { total: 12_000, most: 250, id: 'id' }],
] as const;

describe('pages', () => {
  test.for(lists)('%s has each row once, in pages of 20, and none behind its end', async ([path, list]) => {
    const pageCount = Math.ceil(list.total / 20);
    const first = await get(path);
    expect([first.status, first.body.data.length]).toEqual([200, 20]);
    const meta = { total_pages: pageCount, total_results: list.total, page_number: 1, page_size: 20 };
    expect(first.body.meta).toEqual(meta);
    expect(new Set((await everyRow(path)).map((row) => row[list.id])).size).toBe(list.total);
    const behind = await get(path, { 'page[number]': pageCount + 1 });
    expect(behind.body).toEqual({ data: [], meta: { ...meta, page_number: pageCount + 1 } });
  });

  test.for(lists)('a row of %s is read by its id, and an unknown one is not found', async ([path, { id }]) => {
    const { body } = await get(path, { 'page[number]': 7 });
    expect((await get(`${path}/${body.data[3][id]}`)).body).toEqual({ data: body.data[3] });
    expect((await refusalOf(`${path}/00000000-0000-4000-a000-000000000000`, {})).slice(0, 2)).toEqual([404, '10005']);
  });

  test('of lists are clamped at 250 silently, and only those of missions go up to 1,000', async () => {
    for (const path of [connections, deliveries]) {
      const { body } = await get(path, { 'page[size]': 1_000, 'page[number]': 2 });
      expect([body.data.length, body.meta.page_size]).toEqual([250, 250]);
    }
    expect((await get(missions, { 'page[size]': 1_000 })).body.data).toHaveLength(230);
  });

  test.for([connections, deliveries])('%s refuses a number of pages that is none, by name', async (path) => {
    for (const name of ['page[number]', 'page[size]'])
      for (const given of ['0', '-1', '1.5', 'many', ''])
        expect(await refusalOf(path, { [name]: given })).toEqual([400, '10015', { parameter: name }]);
  });

  test('missions refuse all that is wrong at once, in a form of their own', async () => {
    for (const [number, size, ...types] of [
      ['1', '1001', 'less_than_equal'],
      ['1.5', '9999', 'int_parsing', 'less_than_equal'],
      ['0', '0', 'greater_than_equal', 'greater_than_equal'],
    ]) {
      const { status, body } = await get(missions, { 'page[number]': number ?? '', 'page[size]': size ?? '' });
      const faults = ['page[number]', 'page[size]'].slice(-types.length);
      const detail = faults.map((name, at) => ({ loc: ['query', name], msg: expect.any(String), type: types[at] }));
      expect([status, body]).toEqual([422, { detail }]);
    }
  });
});

type Match = (row: Json) => boolean;
const named = (row: Json) => row.connection_name;
const type = (row: Json) => row.webhook?.event_type;
const domain = (row: Json) => row.inbound?.sip_subdomain && `${row.inbound.sip_subdomain}.sip.example.com`;
const voice = (row: Json) => row.outbound?.outbound_voice_profile_id;
const trunk = 'Shared trunk';
const profile = '1293384261075731499';
const reserved = 'https://juniper-19.example.net/hooks?tenant=12&mode=live';
const within = (text: string | null, to: string) =>
  text !== null && Date.parse(text) >= Date.parse('2026-10-03T00:00:00Z') && Date.parse(text) <= Date.parse(to);

const trunks = { fqdn: 'trunk-0.sip.example.com,trunk-1.sip.example.com' };
const lisbon = { 'connection_name][contains': 'Lisbon', outbound_voice_profile_id: profile };
const third = { 'started_at][gte': '2026-10-03T02:00:00.000000000+02:00', 'started_at][lte': '2026-10-03T23:59Z' };
const ended = { 'finished_at][gte': '2026-10-03T00:00Z', 'finished_at][lte': '2026-10-04T00:00:00Z' };

// Field notes: `filter[x]=v` equals `[eq]`, a comma means any of several, and `null` that nothing is set.
const filters: readonly [path: string, filter: Readonly<Record<string, string>>, fits: Match][] = [
  [connections, { connection_name: trunk }, (row) => named(row) === trunk],
  [connections, { 'connection_name][eq': 'Shared trunk,null' }, (row) => (named(row) ?? trunk) === trunk],
  [connections, { connection_name: 'Leeds lab, floor 2 9' }, (row) => named(row) === 'Leeds lab, floor 2 9'],
  [connections, { connection_name: 'shared trunk' }, () => false],
  [connections, { 'connection_name][contains': 'zÜRICH' }, (row) => named(row)?.startsWith('Zürich')],
  [connections, trunks, (row) => /^trunk-[01]\./.test(domain(row))],
  [connections, { fqdn: 'null' }, (row) => domain(row) == null],
  [connections, { fqdn: 'Trunk-0.sip.example.com' }, () => false],
  [connections, { 'outbound.outbound_voice_profile_id': profile }, (row) => voice(row) === profile],
  [connections, lisbon, (row) => named(row)?.startsWith('Lisbon') === true && voice(row) === profile],
  [deliveries, { 'status][eq': 'failed' }, ({ status }) => status === 'failed'],
  [deliveries, { status: 'failed, null' }, ({ status }) => status !== 'delivered'],
  [deliveries, { status: 'failed', 'status][eq': 'delivered' }, () => false],
  [deliveries, { 'status][eq': 'fail' }, () => false],
  [deliveries, { event_type: 'null' }, (row) => type(row) == null],
  [deliveries, { event_type: 'call.hangup, fax_received' }, (row) => /^(?:call_hangup|fax_received)$/.test(type(row))],
  [deliveries, { 'webhook][contains': 'FAX' }, () => false],
  [deliveries, { 'webhook][contains': '"fax_received"' }, (row) => type(row) === 'fax_received'],
  [deliveries, { 'attempts][contains': reserved }, ({ attempts }) => JSON.stringify(attempts).includes(reserved)],
  [deliveries, third, (row) => within(row.started_at, '2026-10-03T23:59:00Z')],
  [deliveries, ended, (row) => within(row.finished_at, '2026-10-04T00:00:00Z')],
];

describe('filters', () => {
  test.for(filters)('%s with %j has the rows that fit, and no others', async ([path, filter, fits]) => {
    const query = Object.fromEntries(Object.entries(filter).map(([name, value]) => [`filter[${name}]`, value]));
    const expected = (await everyRow(path)).filter(fits);
    const { body } = await get(path, { ...query, 'page[size]': 250 });
    expect(body.meta.total_results).toBe(expected.length);
    expect(body.data).toEqual(expected.slice(0, 250));
    if (expected.length === 0) return;
    const second = await get(path, { ...query, 'page[size]': 1, 'page[number]': 2 });
    expect(second.body.data).toEqual(expected.slice(1, 2));
  });

  test('have bounds that are included, to the microsecond', async () => {
    const row = (await everyRow(deliveries))[50];
    for (const field of ['started_at', 'finished_at']) {
      const between = async (from: string, to: string) =>
        (await get(deliveries, { [`filter[${field}][gte]`]: from, [`filter[${field}][lte]`]: to })).body.data;
      expect(await between(row[field], row[field])).toContainEqual(row);
      const later = `${row[field].slice(0, -1)}500Z`;
      expect(await between(later, '2027-01-01T00:00:00Z')).not.toContainEqual(row);
    }
  });

  test.for([
    [connections, 'filter[connection_name][contains]', 'ab'],
    [deliveries, 'filter[started_at][gte]', 'yesterday'],
    [deliveries, 'filter[started_at][lte]', '2026-10-03'],
    [deliveries, 'filter[finished_at][gte]', '2026-02-30T00:00:00Z'],
    [deliveries, 'filter[finished_at][lte]', '2026-10-03T00:00:00'],
  ] as const)('%s refuses %s=%s by name', async ([path, name, given]) => {
    expect(await refusalOf(path, { [name]: given })).toEqual([400, '10015', { parameter: name }]);
  });

  test('that are unknown are ignored, and brackets may be literal', async () => {
    const literal = await get(`${connections}?page[size]=3&page[number]=2&`);
    expect(literal.text).toBe((await get(connections, { 'page[size]': 3, 'page[number]': 2 })).text);
    for (const [path] of lists)
      expect((await get(path, { colour: 'red', 'filter[colour]': 'red' })).text).toBe((await get(path)).text);
  });
});

describe('order', () => {
  const byText = (a: string, b: string) => (a < b ? -1 : 1);

  const sorts = ['created_at', '-created_at', 'connection_name', '-connection_name', 'active', '-active'];
  test.for(sorts)('by %s has nulls last, and ties by id', async (sort) => {
    const field = sort.replace('-', '');
    const expected = (await everyRow(connections)).toSorted((a, b) => {
      if (a[field] === b[field]) return byText(a.id, b.id);
      if (a[field] === null || b[field] === null) return a[field] === null ? 1 : -1;
      return a[field] < b[field] === (sort === field) ? -1 : 1;
    });
    const pages = [1, 2, 3].map((at) => get(connections, { sort, 'page[size]': 250, 'page[number]': at }));
    const sorted = (await Promise.all(pages)).flatMap(({ body }) => body.data);
    expect(sorted.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test('is newest first without a sort, some rows of one moment', async () => {
    const { text } = await get(connections, { sort: '-created_at' });
    expect((await get(connections)).text).toBe(text);
    const rows = await everyRow(deliveries);
    const expected = rows.toSorted((a, b) =>
      a.started_at === b.started_at ? byText(a.id, b.id) : byText(b.started_at, a.started_at),
    );
    expect(rows).toEqual(expected);
    expect(new Set(rows.map((row) => row.started_at)).size).toBe(11_700);
  });

  test.for(['colour', '-id', '', 'created_at,active'])('refuses the sort %j', async (sort) => {
    expect(await refusalOf(connections, { sort })).toEqual([400, '10015', { pointer: '/sort' }]);
  });
});
