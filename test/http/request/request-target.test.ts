import { expect, testOfFile as test } from '../../support/gateway.ts';
import { ask, hear, type RawRequest } from '../../support/http.ts';
import { upgrade } from '../../support/streams.ts';

const posted: RawRequest = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ __typename }' }),
};

test.for(['gateway', 'GATEWAY.example:4000', '[::1]:4000', 'a_b'])('answers at Host %s', async (host, { gateway }) => {
  const { status, text } = await ask(gateway.url, { ...posted, headers: { ...posted.headers, host } });
  expect([status, JSON.parse(text)]).toEqual([200, { data: { __typename: 'Query' } }]);
});

const requests: readonly RawRequest[] = [
  posted,
  { ...posted, method: 'QUERY' },
  { ...posted, path: '/mcp' },
  { method: 'GET', path: '/graphql?query={__typename}' },
  { method: 'GET', headers: upgrade },
  { method: 'GET', path: '/exports/charges-breakdown.csv' },
  { method: 'GET', path: '/metrics' },
];
const badHosts: readonly (readonly [what: string, hosts: readonly string[]])[] = [
  ...['9999-12-31T23:59:59Z', '[::', 'a b', '%', 'é', 'a@b', 'a:4000b'].map((host) => [host, [host]] as const),
  ['two hosts', ['a.example', 'b.example']],
  ['three hosts', ['a.example', '', 'b.example']],
];

/** A request to the letter, with these hosts. */
function bytesOf(
  { method = 'POST', path = '/graphql', headers = {}, body = '' }: RawRequest,
  hosts: readonly string[],
) {
  const given = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const lines = [...hosts.map((host) => `Host: ${host}`), ...given, `content-length: ${body.length}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, 'connection: close', '', body].join('\r\n'), 'latin1');
}

test.for(badHosts)('refuses a request for the Host %s, on every path', async ([, hosts], { startWith, upstream }) => {
  const gateway = await startWith({ MCP: 'true' });
  for (const request of requests) {
    const [head = '', text = ''] = (await hear(gateway.url, bytesOf(request, hosts))).split('\r\n\r\n');
    expect([request, head]).toEqual([request, expect.stringMatching(/^HTTP\/1\.1 400 /)]);
    expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', retryable: false } }] });
  }
  expect(upstream.requests).toEqual([]);
});

test.for([
  '//x/metrics',
  '/./metrics',
  '/a/%2e%2e/metrics',
  '/\\x/metrics',
  '/metrics#',
  'metrics',
  'http://gateway.invalid/./metrics',
  'http://gateway.invalid//x/metrics',
  'http:///metrics',
])('the target %s, which a proxy takes for another path, is unknown', async (path, { gateway }) => {
  const { status, text } = await ask(gateway.url, { method: 'GET', path });
  expect([400, 404]).toContain(status);
  expect(text).not.toContain('switchboard_');
});

test('a target is known with any query string, and in any authority', async ({ gateway }) => {
  const paths = ['/metrics', '/metrics?', '/metrics?a=/../b', 'HTTPS://[::1]:1/metrics?x', 'http://gateway.invalid'];
  for (const path of paths) expect((await ask(gateway.url, { method: 'GET', path })).status).toBe(200);
});
