import { expect, test } from '../support/gateway.ts';
import { talk } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';

const statusOf = async (address: string, init?: RequestInit): Promise<number> => (await fetch(address, init)).status;

test('ADMIN_PORT serves probes and metrics on the same host, and /metrics there alone', async ({ startWith }) => {
  const { url, adminUrl } = await startWith({ ADMIN_PORT: '0' });
  const admin = { url: adminUrl ?? '' };
  expect(new URL(admin.url).hostname).toBe(new URL(url).hostname);
  for (const path of ['/health', '/ready']) {
    expect(await statusOf(url + path)).toBe(200);
    expect(await statusOf(admin.url + path)).toBe(200);
  }
  expect(await statusOf(`${url}/metrics`)).toBe(404);
  const labels = { endpoint: '/ready', status: '200' };
  expect(await valueOf(admin, 'switchboard_http_request_duration_seconds_count', labels)).toBe(2);
  const headers = { accept: 'text/html, */*;q=0.1' };
  const others = ['/graphql?query={__typename}', '/', '/schema.graphql', '/voyager', '/exports/charges-breakdown.csv'];
  for (const path of others) expect(await statusOf(admin.url + path, { headers })).toBe(404);
  expect(await statusOf(`${admin.url}/metrics`, { method: 'POST' })).toBe(405);
});

test('the admin port cuts off slow senders and long headers as the main port does', async ({ startWith }) => {
  const gateway = await startWith({ ADMIN_PORT: '0', REQUEST_HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '500' });
  const url = gateway.adminUrl ?? '';
  const head = 'GET /metrics HTTP/1.1\r\nhost: x\r\nx-slow: ';
  for (const [piece, status] of [
    [head, 408],
    [head + 'a'.repeat(100_000), 431],
  ] as const) {
    const slow = talk(url, { pieces: [piece], responses: 0, waitMs: 40_000 });
    expect(await statusOf(`${url}/health`)).toBe(200);
    expect(await slow).toMatchObject({ end: 'closed', responses: [{ status }] });
  }
});
