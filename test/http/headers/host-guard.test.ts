import { describe, expect, testOfFile as test, testOfSandbox } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';
import { ask, hear, type RawRequest } from '../../support/http.ts';

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
const friends = ['localhost', 'LOCALHOST:1', 'localhost.', 'app.localhost:4000', 'gateway:4000', 'x'];
const addresses = ['[::1]:4000', '[::ffff:127.0.0.1]', '192.168.1.7:4000', '[2001:db8::5]:4000'];
const named = ['public.example', 'PUBLIC.example:4000', 'app.example', 'other.example'];

const get = (path: string, headers = {}): RawRequest => ({ method: 'GET', path, headers });
const post = (path: string, body: object, headers = {}): RawRequest => ({
  path,
  headers: { 'content-type': 'application/json', authorization: 'Bearer any', ...headers },
  body: JSON.stringify(body),
});
const html = { accept: 'text/html' };
const query = '{ missions { totalCount } }';
const metrics = get('/metrics');
const tools = post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** What a page could ask for without a key of its own: the sandbox takes any. */
const requests: Readonly<Record<string, RawRequest>> = {
  'the clock': post('/sandbox/clock', { advanceSeconds: 60 }),
  deliveries: post('/sandbox/deliveries', {}),
  'the sandbox': get('/sandbox'),
  metrics,
  queries: post('/graphql', { query }),
  'queries by GET': get('/graphql?query={__typename}'),
  'queries by QUERY': { ...post('/graphql', { query }), method: 'QUERY' },
  'a stream': post('/graphql', { query: 'subscription { webhookDeliveries { id } }' }, { accept: 'text/event-stream' }),
  'the report': get('/exports/charges-breakdown.csv?startDate=2026-10-01', { authorization: 'Bearer any' }),
  'the schema': get('/schema.graphql'),
  GraphiQL: get('/graphql', html),
  'an unknown page': get('/nothing', html),
  'the tools': tools,
  'a preflight': {
    path: '/sandbox/clock',
    method: 'OPTIONS',
    headers: { origin: 'http://app.example', 'access-control-request-method': 'POST' },
  },
};

const askAs = (url: string, host: string, request: RawRequest) =>
  ask(url, { ...request, headers: { ...request.headers, host } });

const guarded = testOfSandbox({
  MCP: 'true',
  PUBLIC_URL: 'https://public.example/base',
  CORS_ORIGINS: 'http://app.example,https://other.example:8443',
});

describe('before the sandbox, a page that makes a name of its own lead here', () => {
  guarded.for(Object.entries(requests))('reaches none of %s', async ([, request], { gateway, sandbox }) => {
    const before = sandbox.now();
    const { status, text } = await askAs(gateway.url, 'evil.example:4000', request);
    expect(status).toBe(403);
    expect(JSON.parse(text).errors[0]).toMatchObject({
      message: expect.stringContaining('PUBLIC_URL'),
      extensions: { code: 'FORBIDDEN', requestId: expect.any(String) },
    });
    expect(sandbox.now()).toBe(before);
  });

  guarded.for(strangers)('is refused as %s', async (host, { gateway }) => {
    expect((await askAs(gateway.url, host, metrics)).status).toBe(403);
    await expect(openSocket(gateway, { headers: { host, origin: `http://${host}` } })).rejects.toThrow('403');
  });

  guarded.for([...friends, ...addresses, ...named])('is none at %s', async (host, { gateway }) => {
    for (const request of [metrics, tools]) expect((await askAs(gateway.url, host, request)).status).toBe(200);
    (await openSocket(gateway, { headers: { host } })).ws.close();
  });

  guarded('is none where no Host is sent, as no browser does', async ({ gateway }) => {
    expect(await hear(gateway.url, 'GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('before a real API, which wants a key, any name leads here', async ({ gateway }) => {
  for (const host of ['api.internal', 'gateway', 'evil.example'])
    for (const path of ['/metrics', '/graphql?query={__typename}', '/schema.graphql'])
      expect([path, (await askAs(gateway.url, host, get(path))).status]).toEqual([path, 200]);
});
