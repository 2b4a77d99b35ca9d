import { expect, type Gateway, testOfFile as test } from '../../support/gateway.ts';
import { growing, all } from '../../live/subscription.ts';
import { healthyReply } from '../../support/records.ts';

const key = { authorization: 'Bearer test-key' };
const json = { 'content-type': 'application/json' };
const post = (query: string, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...key, ...headers },
  body: JSON.stringify({ query }),
});
const missions = '{ missions { totalCount } }';
const report = '/exports/charges-breakdown.csv';
const pieces = '{ ... @defer { missions { totalCount } } }';

/** Sends a request, and reads the head of its response alone. */
async function headersOf(gateway: Gateway, path: string, init: RequestInit = {}): Promise<Headers> {
  const leaving = new AbortController();
  const response = await gateway.fetch(path, { ...init, signal: leaving.signal });
  leaving.abort();
  return response.headers;
}

test.for<[what: string, path: string, init?: RequestInit]>([
  ['an answer', '/graphql', post(missions)],
  ['an answer to a GET', `/graphql?query=${encodeURIComponent(missions)}`, { headers: key }],
  ['an answer as an event', '/graphql', post(missions, { accept: 'text/event-stream' })],
  ['a body that is no JSON', '/graphql', { method: 'POST', headers: json, body: '{' }],
  ['a method that there is not', '/graphql', { method: 'DELETE' }],
  ['an answer in pieces', '/graphql', post(pieces, { accept: 'multipart/mixed' })],
  ['a stream', '/graphql', post(all, { accept: 'text/event-stream' })],
  ['a stream that is refused', '/graphql', post(all, { accept: 'text/event-stream', authorization: '' })],
  ['a report', `${report}?startDate=2026-10-01`, { headers: key }],
  ['a report without a key', `${report}?startDate=2026-10-01`],
])('no cache keeps %s, and none gives it to another caller', async ([, path, init], { gateway, upstream }) => {
  growing(upstream);
  if (path.startsWith(report)) upstream.script(() => ({ text: 'tn,cost\n', headers: { 'content-type': 'text/csv' } }));
  const found = await headersOf(gateway, path, init);
  expect(found.get('cache-control')).toMatch(/^private, no-store(?:, no-transform)?$/);
  expect(found.get('vary')).toBe('Authorization, Accept, Accept-Encoding');
});

test('a gateway that is open to an origin names it in Vary too', async ({ startWith, upstream }) => {
  upstream.script(healthyReply);
  const gateway = await startWith({ CORS_ORIGINS: 'https://app.example.com, https://other.example.com' });
  for (const origin of ['https://app.example.com', 'https://evil.example']) {
    const found = await headersOf(gateway, '/graphql', post(missions, { origin }));
    expect(found.get('vary')).toBe('Origin, Authorization, Accept, Accept-Encoding');
  }
});

test.for(['/health', '/ready', '/metrics', '/nothing'])('no cache keeps %s', async (path, { gateway }) => {
  expect((await gateway.fetch(path)).headers.get('cache-control')).toBe('no-store');
});

test('caches may keep the schema, and ask by its entity tag', async ({ gateway }) => {
  const first = await gateway.fetch('/schema.graphql');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/);
  expect(first.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  expect(first.headers.get('vary')).toBe('Accept, Accept-Encoding');
  const ask = (tags: string, method = 'GET'): Promise<Response> =>
    gateway.fetch('/schema.graphql', { method, headers: { 'if-none-match': tags } });
  const strong = etag.replace(/^W\//, '');
  for (const known of [etag, strong, `W/${strong}`, `"a", ${etag}`, `"a,b" ,W/"c",${strong} , "d"`, '*', ' * '])
    for (const method of ['GET', 'HEAD']) {
      const again = await ask(known, method);
      expect([known, again.status, await again.text()]).toEqual([known, 304, '']);
      for (const name of ['etag', 'cache-control', 'vary'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
  const cut = [strong.slice(1, -1), strong.slice(0, -2), `"a ${strong.slice(1)}`];
  for (const other of ['W/"other"', '"*"', '', '"', ...cut, ','.repeat(9_000)])
    expect([other, (await ask(other)).status]).toEqual([other, 200]);
});
