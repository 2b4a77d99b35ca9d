import { connect } from 'node:net';
import { afterAll, beforeAll, describe, test as plain } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { expect, startGateway, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';
import { ask, type RawRequest } from '../../support/http.ts';
import { startFixedSandbox } from '../../support/sandbox.ts';

// Spellings that other servers took for a loopback name or for an address, and names that public services make lead to loopback.
const strangers = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  'localhost@evil.example',
  '@localhost',
  'localhost%2eevil.example',
  '[::1].evil.example',
  'gateway.',
  'not.localhost.example',
  'xn--e1afmkfd.example',
];

const friends = [
  'localhost',
  'LOCALHOST:1',
  'localhost.',
  'app.localhost:4000',
  '[::1]:4000',
  '[::ffff:127.0.0.1]',
  '192.168.1.7:4000',
  '[2001:db8::5]:4000',
  'gateway:4000',
  'x',
];

const json = { 'content-type': 'application/json' };
const clock = JSON.stringify({ advanceSeconds: 60 });
const query = JSON.stringify({ query: '{ missions { totalCount } }' });

/** What a page could ask for without a key of its own: the sandbox takes any. */
const requests: Readonly<Record<string, RawRequest>> = {
  'the clock': { path: '/sandbox/clock', headers: json, body: clock },
  deliveries: { path: '/sandbox/deliveries', headers: json, body: '{}' },
  'the sandbox': { path: '/sandbox', method: 'GET' },
  metrics: { path: '/metrics', method: 'GET' },
  queries: { headers: { ...json, authorization: 'Bearer any' }, body: query },
  'queries by GET': { path: '/graphql?query={__typename}', method: 'GET' },
  'queries by QUERY': { method: 'QUERY', headers: { ...json, authorization: 'Bearer any' }, body: query },
  'a stream': {
    headers: { ...json, accept: 'text/event-stream', authorization: 'Bearer any' },
    body: JSON.stringify({ query: 'subscription { webhookDeliveries { id } }' }),
  },
  'the report': {
    path: '/exports/charges-breakdown.csv?startDate=2026-10-01',
    method: 'GET',
    headers: { authorization: 'Bearer any' },
  },
  'the schema': { path: '/schema.graphql', method: 'GET' },
  GraphiQL: { path: '/graphql', method: 'GET', headers: { accept: 'text/html' } },
  'the first page': { path: '/', method: 'GET', headers: { accept: 'text/html' } },
  'an unknown page': { path: '/nothing', method: 'GET', headers: { accept: 'text/html' } },
  'the tools': { path: '/mcp', headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
  'a preflight': {
    path: '/sandbox/clock',
    method: 'OPTIONS',
    headers: { origin: 'http://app.example', 'access-control-request-method': 'POST' },
  },
};

describe('before the sandbox, a page that makes a name of its own lead here', () => {
  let sandbox: Sandbox;
  let gateway: Gateway;

  beforeAll(async () => {
    sandbox = await startFixedSandbox();
    const env = {
      MCP: 'true',
      PUBLIC_URL: 'https://public.example/base',
      CORS_ORIGINS: 'http://app.example,https://other.example:8443',
    };
    gateway = await startGateway(sandbox.baseUrl, env, { sandbox });
  });

  afterAll(async () => {
    await gateway.close();
    await sandbox.close();
  });

  const askAs = (host: string, request: RawRequest) =>
    ask(gateway.url, { ...request, headers: { ...request.headers, host } });

  plain.for(Object.keys(requests))('reaches none of %s', async (name) => {
    const before = sandbox.now();
    const { status, text } = await askAs('evil.example:4000', requests[name] ?? {});
    expect(status).toBe(403);
    expect(JSON.parse(text).errors[0]).toMatchObject({
      message: expect.stringContaining('PUBLIC_URL'),
      extensions: { code: 'FORBIDDEN', requestId: expect.any(String) },
    });
    expect(sandbox.now()).toBe(before);
  });

  plain.for(strangers)('is refused as %s', async (host) => {
    expect((await askAs(host, requests['metrics'] ?? {})).status).toBe(403);
    const refused = openSocket(gateway, { headers: { host, origin: `http://${host}` } });
    await expect(refused).rejects.toThrow('403');
  });

  const named = ['public.example', 'PUBLIC.example:4000', 'app.example', 'other.example'];
  plain.for([...friends, ...named])('is none at %s', async (host) => {
    expect((await askAs(host, requests['metrics'] ?? {})).status).toBe(200);
    expect((await askAs(host, requests['the tools'] ?? {})).status).toBe(200);
    const socket = await openSocket(gateway, { headers: { host } });
    socket.ws.close();
    await socket.closed;
  });

  plain('is none where no Host is sent, as no browser does', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write('GET /health HTTP/1.0\r\n\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  plain.for(strangers)('does not reach the sandbox itself as %s', async (host) => {
    const url = new URL(sandbox.baseUrl).origin;
    const before = sandbox.now();
    for (const path of ['/sandbox/clock', '/v2/ai/missions']) {
      const { status, text } = await ask(url, { path, headers: { ...json, host }, body: clock });
      expect([status, JSON.parse(text).errors[0].code]).toEqual([403, '10010']);
    }
    expect(sandbox.now()).toBe(before);
  });
});

test('before a real API, which wants a key, any name leads here', async ({ gateway, upstream }) => {
  upstream.script(() => ({ json: { data: [], meta: {} } }));
  for (const host of ['api.internal', 'gateway', 'evil.example'])
    for (const name of ['metrics', 'queries by GET', 'the schema', 'GraphiQL'])
      expect([
        name,
        (await ask(gateway.url, { ...requests[name], headers: { ...requests[name]?.headers, host } })).status,
      ]).toEqual([name, 200]);
});
