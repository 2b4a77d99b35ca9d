import { expect, test } from 'vitest';
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
