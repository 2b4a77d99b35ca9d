import { expect, test } from '../support/gateway.ts';
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
