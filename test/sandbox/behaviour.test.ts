import { expect, test } from 'vitest';
import { startFixedSandbox } from '../support/sandbox.ts';
import { sandboxClient } from './client.ts';

const { as } = sandboxClient();
const lists = ['/ip_connections', '/ai/missions', '/webhook_deliveries'];

function idsOf(body: any): string[] {
  return body.data.map((row: any) => row.id ?? row.mission_id);
}

async function page(key: string, path: string, number: number, size: number, more: Record<string, string> = {}) {
  const { status, body } = await as(`Bearer ${key}`, path, {
    'page[number]': String(number),
    'page[size]': String(size),
    ...more,
  });
  expect(status).toBe(200);
  return body;
}

test.each(lists)('clamped pages of %s have at most 20 or 100 rows, and a page_size of that', async (path) => {
  for (const [key, most] of [
    ['clamped-key', 20],
    ['clamped=100', 100],
  ] as const) {
    const clamped = await page(key, path, 2, 150);
    expect(clamped).toEqual(await page('sandbox-key', path, 2, most));
    expect(clamped.meta.page_size).toBe(most);
    expect(await page(key, path, 3, 7)).toEqual(await page('sandbox-key', path, 3, 7));
  }
});

test.each(lists)('pages of %s come without totals', async (path) => {
  const { data } = await page('sandbox-key', path, 2, 30);
  expect(await page('no-totals-key', path, 2, 30)).toEqual({ data, meta: { page_number: 2, page_size: 30 } });
});

test('filters are ignored', async () => {
  const query = { 'filter[status][eq]': 'nothing', 'filter[started_at][gte]': 'yesterday' };
  expect(await page('ignored-filters-key', '/webhook_deliveries', 1, 5, query)).toEqual(
    await page('sandbox-key', '/webhook_deliveries', 1, 5),
  );
});

test('deliveries come in the shapes of the published examples', async () => {
  const query = { 'filter[status][eq]': 'failed' };
  const plain = await page('sandbox-key', '/webhook_deliveries', 1, 50, query);
  const published = await page('published-shapes-key', '/webhook_deliveries', 1, 50, query);
  expect(idsOf(published)).toEqual(idsOf(plain));
  const attemptsOf = (body: any): any[] => body.data.flatMap((row: any) => row.attempts ?? []);
  const pairs = attemptsOf(plain);
  for (const [index, attempt] of attemptsOf(published).entries()) {
    const { errors, http } = pairs[index];
    expect(attempt.errors).toEqual(
      errors.map((code: number) => ({ code: String(code), title: expect.any(String), detail: expect.any(String) })),
    );
    expect(attempt.http?.request.headers).toEqual(
      http?.request.headers.map(([name, value]: string[]) => `${name}: ${value}`),
    );
    expect(attempt.http?.response?.status).toBe(http?.response?.status);
  }
  const { id } = published.data[0];
  expect((await as('Bearer published-shapes-key', `/webhook_deliveries/${id}`)).body).toEqual({
    data: published.data[0],
  });
  expect(await page('published-shapes-key', '/ip_connections', 1, 5)).toEqual(
    await page('sandbox-key', '/ip_connections', 1, 5),
  );
});

test('joined keys have all their behaviours', async () => {
  const { data, meta } = await page('clamped-key+no-totals-key+published-shapes-key', '/webhook_deliveries', 1, 90);
  expect(data).toHaveLength(20);
  expect(meta).toEqual({ page_number: 1, page_size: 20 });
  expect(data[0].attempts[0].http.request.headers[0]).toBe('Content-Type: application/json');
});

test('values are among those of the API', async () => {
  const rows = [1, 2, 3].map((number) => page('sandbox-key', '/ip_connections', number, 250));
  const all = (await Promise.all(rows)).flatMap(({ data }) => data);
  const seen = (read: (row: any) => unknown): unknown[] =>
    [...new Set(all.map(read).filter((each) => each != null))].toSorted();
  expect(seen((row) => row.outbound?.t38_reinvite_source)).toEqual([
    'callee-passthru',
    'caller-passthru',
    'customer',
    'disabled',
    'passthru',
  ]);
  expect(seen((row) => row.noise_suppression_details?.engine)).toEqual([
    'deep_filter_net',
    'deep_filter_net_large',
    'denoiser',
    'quail_voice_focus',
  ]);
  const limits = seen((row) => row.noise_suppression_details?.attenuation_limit) as number[];
  expect(limits.toSorted((a, b) => a - b)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(seen((row) => (/^[\da-f-]{36}$/.test(row.id) ? 'uuid' : /^\d{19}$/.test(row.id)))).toEqual([true, 'uuid']);
  const missions = await page('sandbox-key', '/ai/missions', 1, 1000);
  expect([...new Set(missions.data.map((row: any) => row.execution_mode))].toSorted()).toEqual([
    'external',
    'managed',
    undefined,
  ]);
});

// Filters by the API's own pages: `filter[x]=v` equals `[eq]`, a comma means any of several, and `null` that nothing is set.
const profile = '1293384261075731499';
const status = (row: any) => row.status;
const type = (row: any) => row.webhook?.event_type;
const name = (row: any) => row.connection_name;
const domain = (row: any) =>
  row.inbound?.sip_subdomain == null ? null : `${row.inbound.sip_subdomain}.sip.example.com`;
const voice = (row: any) => row.outbound?.outbound_voice_profile_id;
test.each<[path: string, query: Record<string, string>, fits: (row: any) => boolean, few: boolean]>([
  ['/webhook_deliveries', { 'filter[status]': 'failed' }, (row) => status(row) === 'failed', false],
  ['/webhook_deliveries', { 'filter[status][eq]': 'failed,delivered' }, (row) => status(row) !== null, false],
  ['/webhook_deliveries', { 'filter[status][eq]': 'null' }, (row) => status(row) == null, true],
  ['/webhook_deliveries', { 'filter[status]': 'failed, null' }, (row) => status(row) !== 'delivered', false],
  ['/webhook_deliveries', { 'filter[status]': 'failed', 'filter[status][eq]': 'delivered' }, () => false, true],
  [
    '/webhook_deliveries',
    { 'filter[event_type][eq]': 'call.hangup, fax_received' },
    (row) => ['call_hangup', 'fax_received'].includes(type(row)),
    false,
  ],
  ['/webhook_deliveries', { 'filter[event_type]': 'null' }, (row) => type(row) == null, true],
  ['/ip_connections', { 'filter[connection_name][eq]': 'Shared trunk' }, (row) => name(row) === 'Shared trunk', true],
  [
    '/ip_connections',
    { 'filter[connection_name]': 'Shared trunk,null' },
    (row) => [null, 'Shared trunk'].includes(name(row)),
    true,
  ],
  [
    '/ip_connections',
    { 'filter[fqdn]': 'trunk-0.sip.example.com,trunk-1.sip.example.com' },
    (row) => ['trunk-0.sip.example.com', 'trunk-1.sip.example.com'].includes(domain(row) ?? ''),
    true,
  ],
  ['/ip_connections', { 'filter[fqdn]': 'null' }, (row) => domain(row) === null, true],
  [
    '/ip_connections',
    { 'filter[outbound_voice_profile_id][eq]': `${profile},null` },
    (row) => voice(row) == null || voice(row) === profile,
    true,
  ],
])('%s %j lists the rows that fit, and no others', async (path, query, fits, few) => {
  const all = await page('sandbox-key', path, 1, 250);
  const found = await page('sandbox-key', path, 1, 250, query);
  expect(found.data.every(fits)).toBe(true);
  const expected = idsOf({ data: all.data.filter(fits) });
  expect(idsOf(found).slice(0, expected.length)).toEqual(expected);
  if (few) expect(found.meta.total_results).toBeLessThan(250);
});

test('a name with a comma is found whole', async () => {
  const { data } = await page('sandbox-key', '/ip_connections', 1, 250);
  const named = data.find((row: any) => row.connection_name?.includes(', '));
  const query = { 'filter[connection_name]': named.connection_name };
  expect(idsOf(await page('sandbox-key', '/ip_connections', 1, 250, query))).toContain(named.id);
});

test.each(['2026-10-20T00:00Z', '2026-10-20T00:00:00Z', '2026-10-20T00:00:00.000Z', '2026-10-20T02:00+02:00'])(
  'a bound may be written as %s',
  async (bound) => {
    const query = { 'filter[started_at][gte]': bound, 'filter[started_at][lte]': '2026-10-21T00:00Z' };
    expect((await page('sandbox-key', '/webhook_deliveries', 1, 1, query)).meta.total_results).toBe(400);
  },
);

test.each(['2026-11-01T00:00:00Z', '2021-02-28T23:59:59Z', '2027-05-01T00:00:00Z'])(
  'nothing is of the future at %s',
  async (now) => {
    const sandbox = await startFixedSandbox();
    sandbox.setClock(Date.parse(now));
    const read = async (path: string): Promise<any> =>
      (await fetch(sandbox.baseUrl + path, { headers: { authorization: 'Bearer sandbox-key' } })).json();
    for (const path of lists) {
      const pages = await Promise.all([1, 2, 3].map((number) => read(`${path}?page[size]=250&page[number]=${number}`)));
      const rows = pages.flatMap(({ data }) => data);
      for (const row of rows)
        for (const [, moment] of JSON.stringify(row).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+Z)"/g))
          expect([path, Date.parse(moment ?? '') <= Date.parse(now)]).toEqual([path, true]);
      const { id, mission_id: mission = id } = rows[0];
      expect((await read(`${path}/${mission}`)).data).toEqual(rows[0]);
    }
    // What is listed first was created last, whatever the present is.
    const created = (await read('/ip_connections?page[size]=50')).data.map((row: any) => row.created_at);
    expect(created).toEqual(created.toSorted().toReversed());
    await sandbox.close();
  },
);
