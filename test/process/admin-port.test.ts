import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
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

/** Sends a text on a connection of its own, then a byte now and then; returns what was sent back until it was closed. */
function drip(address: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let response = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (response += piece));
  socket.write(text);
  const dripping = setInterval(() => socket.write('x'), 50);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(response);
    });
  });
}

test('the admin port cuts off slow senders and long headers as the main port does, and serves others meanwhile', async ({
  startWith,
}) => {
  const gateway = await startWith({
    ADMIN_PORT: '0',
    REQUEST_HEADERS_TIMEOUT_MS: '200',
    REQUEST_TIMEOUT_MS: '500',
  });
  const adminUrl = gateway.adminUrl ?? '';
  const head = 'GET /metrics HTTP/1.1\r\nhost: x\r\nx-slow: ';
  const slow = Array.from({ length: 50 }, () => drip(adminUrl, head));
  for (const path of ['/health', '/ready', '/metrics']) expect(await statusOf(adminUrl + path)).toBe(200);
  for (const response of await Promise.all(slow)) expect(response).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  expect(await drip(adminUrl, head + 'a'.repeat(100_000))).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
  expect(await statusOf(`${adminUrl}/health`)).toBe(200);
});
