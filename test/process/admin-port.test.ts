import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listening, startProgram, type Program } from '../support/program.ts';
import { startScriptedUpstream, type Reply } from '../support/scripted-upstream.ts';
import { whenReady } from '../support/ready.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()));
});

function start(env: Readonly<Record<string, string>>): Program {
  const program = startProgram('src/main.ts', env);
  cleanups.push(() => program[Symbol.asyncDispose]());
  return program;
}

async function startBoth(env: Readonly<Record<string, string>> = {}) {
  const program = start({ PORT: '0', ADMIN_PORT: '0', ...env });
  const [, url = ''] = await program.printed(listening);
  const [, adminUrl = ''] = await program.printed(/"msg":"Probes and metrics: (http:[^\s"]+)\/health/);
  return { program, url, adminUrl };
}

async function occupied(): Promise<string> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return String((server.address() as AddressInfo).port);
}

test('ADMIN_PORT serves probes and metrics on the same host, and /metrics there alone', async () => {
  const { url, adminUrl } = await startBoth();
  const statusOf = async (address: string, init?: RequestInit): Promise<number> => (await fetch(address, init)).status;
  expect(new URL(adminUrl).hostname).toBe(new URL(url).hostname);
  await whenReady(adminUrl);
  for (const path of ['/health', '/ready']) {
    expect(await statusOf(url + path)).toBe(200);
    expect(await statusOf(adminUrl + path)).toBe(200);
  }
  expect(await statusOf(`${url}/metrics`)).toBe(404);
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain('switchboard_http_request_duration_seconds_count{endpoint="/ready",status="200"} 3');
  for (const path of [
    '/graphql?query={__typename}',
    '/',
    '/schema.graphql',
    '/voyager',
    '/exports/charges-breakdown.csv',
  ])
    expect(await statusOf(adminUrl + path, { headers: { accept: 'text/html, */*;q=0.1' } })).toBe(404);
  expect(await statusOf(`${adminUrl}/metrics`, { method: 'POST' })).toBe(405);
});

test('the admin port reports the stop until the process ends, and does not hold it up', async () => {
  const upstream = await startScriptedUpstream();
  cleanups.push(() => upstream.close());
  const answering = Promise.withResolvers<Reply>();
  upstream.script(() => answering.promise);
  const { program, url, adminUrl } = await startBoth({ UPSTREAM_BASE_URL: upstream.baseUrl });
  // The stop waits for a request under way, and a busy machine has the time to look.
  const underWay = fetch(`${url}/graphql?query={missions{totalCount}}`, { headers: { authorization: 'Bearer a-key' } });
  await expect.poll(() => upstream.requests.length).toBe(1);
  const silent = connect(Number(new URL(adminUrl).port), '127.0.0.1').on('error', () => {});
  cleanups.push(() => silent.destroy());
  await new Promise((resolve) => silent.once('connect', resolve));
  program.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${adminUrl}/ready`)).status, { interval: 10 }).toBe(503);
  answering.resolve({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } });
  expect((await underWay).status).toBe(200);
  expect(await program.ending).toEqual([0, null]);
  await expect(fetch(`${adminUrl}/health`)).rejects.toThrow('fetch failed');
});

/** Sends a text on a connection of its own, then a byte now and then; returns what was sent back until it was closed. */
function drip(address: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {});
  cleanups.push(() => socket.destroy());
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

test('the admin port cuts off slow senders and long headers as the main port does, and serves others meanwhile', async () => {
  const { adminUrl } = await startBoth({ REQUEST_HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '500' });
  const head = 'GET /metrics HTTP/1.1\r\nhost: x\r\nx-slow: ';
  const slow = Array.from({ length: 50 }, () => drip(adminUrl, head));
  await whenReady(adminUrl);
  for (const path of ['/health', '/ready', '/metrics']) expect((await fetch(adminUrl + path)).status).toBe(200);
  for (const response of await Promise.all(slow)) expect(response).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  expect(await drip(adminUrl, head + 'a'.repeat(100_000))).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
  expect((await fetch(`${adminUrl}/health`)).status).toBe(200);
});

test.for(['PORT', 'ADMIN_PORT'])('%s in use ends the start with 1 and one line that names it', async (variable) => {
  const port = await occupied();
  const program = start({ PORT: '0', ADMIN_PORT: '0', [variable]: port });
  expect(await program.ending).toEqual([1, null]);
  expect(program.err).toMatch(
    new RegExp(
      String.raw`^Switchboard cannot start: ${variable} ${port} on HOST 127\.0\.0\.1 is in use[^\n]*EADDRINUSE[^\n]*\n$`,
    ),
  );
  expect(program.out).toBe('');
});

test('both ports in use are both named', async () => {
  const [port, adminPort] = [await occupied(), await occupied()];
  const program = start({ PORT: port, ADMIN_PORT: adminPort });
  expect(await program.ending).toEqual([1, null]);
  expect(program.err).toMatch(new RegExp(String.raw`^[^\n]*: PORT ${port} [^\n]*; ADMIN_PORT ${adminPort} [^\n]*\n$`));
});

test('one port for both is refused as a setting', async () => {
  const program = start({ PORT: '45454', ADMIN_PORT: '45454' });
  expect(await program.ending).toEqual([1, null]);
  expect(program.err).toBe('Switchboard cannot start: ADMIN_PORT must be another port than PORT.\n');
});
