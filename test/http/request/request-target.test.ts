import { expect, offFastPath, testOfFile as test } from '../../support/gateway.ts';
import { ask, talk } from '../../support/http.ts';

const bodyOf = (query: string): string => JSON.stringify({ query, extensions: offFastPath });
const body = bodyOf('{ __typename }');
const answer = { data: { __typename: 'Query' } };

const hosts = ['gateway', 'GATEWAY.example:4000', '[::1]:4000', 'a_b', ''];

test.for(hosts)('answers a query whose Host header says "%s"', async (host, { gateway }) => {
  const { status, text } = await ask(gateway.url, { headers: { host, 'content-type': 'application/json' }, body });
  expect([status, JSON.parse(text)]).toEqual([200, answer]);
});

const noHosts = ['9999-12-31T23:59:59Z', '[::', 'a b', '%', 'é', 'a@b', 'a:4000b'];
const badHosts: readonly (readonly [what: string, hosts: readonly string[]])[] = [
  ...noHosts.map((host) => [`says "${host}"`, [host]] as const),
  ['comes twice', ['a.example', 'b.example']],
  ['comes thrice', ['a.example', '', 'b.example']],
];
const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
const socket = [
  ...upgrade,
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol: graphql-transport-ws',
];

test.for(badHosts)(
  'refuses a request whose Host header %s, on every path',
  async ([, given], { startWith, upstream }) => {
    const gateway = await startWith({ MCP: 'true' });
    const posted = (path: string): string[] => [
      `POST ${path} HTTP/1.1`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    const heads = [
      posted('/graphql'),
      posted('/mcp'),
      ['QUERY /graphql HTTP/1.1', 'content-type: application/json', `content-length: ${body.length}`],
      ['GET /graphql?query={__typename} HTTP/1.1'],
      ['GET /graphql HTTP/1.1', ...socket],
      ['GET /exports/charges-breakdown.csv HTTP/1.1'],
      ['GET /metrics HTTP/1.1'],
    ];
    for (const [line = '', ...headers] of heads) {
      const lines = [line, ...given.map((host) => `Host: ${host}`), ...headers, 'connection: close'];
      const piece = `${lines.join('\r\n')}\r\n\r\n${/^(?:POST|QUERY)/.test(line) ? body : ''}`;
      const { responses } = await talk(gateway.url, { pieces: [Buffer.from(piece, 'latin1')], waitMs: 30_000 });
      expect([line, responses.map(({ status }) => status)]).toEqual([line, [400]]);
      expect(JSON.parse(String(responses[0]?.body))).toMatchObject({
        errors: [{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }],
      });
    }
    expect(upstream.requests).toEqual([]);
  },
);

const resolved = [
  '//x/metrics',
  '/./metrics',
  '/a/%2e%2e/metrics',
  '/\\x/metrics',
  '/metrics#',
  'metrics',
  'http://gateway.invalid/./metrics',
  'http://gateway.invalid//x/metrics',
  'http:///metrics',
];

test.for(resolved)('the target %s, which a proxy takes for another path, is unknown', async (path, { gateway }) => {
  const { status, text } = await ask(gateway.url, { method: 'GET', path });
  expect([400, 404]).toContain(status);
  expect(text).not.toContain('switchboard_');
});

test('a target is known with any query string, and in any authority', async ({ gateway }) => {
  for (const path of [
    '/metrics',
    '/metrics?',
    '/metrics?a=/../b',
    'http://gateway.invalid/metrics',
    'HTTPS://[::1]:1/metrics?x',
  ])
    expect((await ask(gateway.url, { method: 'GET', path })).status).toBe(200);
  expect((await ask(gateway.url, { method: 'GET', path: 'http://gateway.invalid' })).status).toBe(200);
});
