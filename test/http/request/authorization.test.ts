import { expect, type Gateway, test as base } from '../../support/gateway.ts';
import { ask, queryBytes, type RawRequest, talk } from '../../support/http.ts';
import { pageReply, refusal } from '../../support/scripted-upstream.ts';

const test = base.extend<{ readonly whole: Gateway }>({
  whole: async ({ startWith }, use) => use(await startWith({ MCP: 'true', MCP_QUERIES: 'true' })),
});

const query = '{ missions { totalCount } }';
const json = { 'content-type': 'application/json' };
const post = (body: object): RawRequest => ({ headers: json, body: JSON.stringify(body) });
const call = { name: 'query', arguments: { query } };

const requests: Readonly<Record<string, RawRequest>> = {
  'a POST': post({ query }),
  'a POST that is no JSON': { headers: json, body: '{' },
  'a subscription': post({ query: 'subscription { webhookDeliveries { id } }' }),
  'a GET': { method: 'GET', path: `/graphql?query=${encodeURIComponent(query)}` },
  'an export': { method: 'GET', path: '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-10-02' },
  'a tool call': { ...post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }), path: '/mcp' },
};

const pairs: readonly (readonly [string, string])[] = [
  ['Bearer first-key', 'Bearer second-key'],
  ['Bearer first-key', 'Bearer first-key'],
  ['', 'Bearer second-key'],
];

test.for(Object.entries(requests))('%s with two keys is 400', async ([, request], { whole, upstream }) => {
  upstream.script((seen) => pageReply([], seen));
  for (const pair of pairs) {
    const { status, text, headers } = await ask(whole.url, {
      ...request,
      headers: { ...request.headers, Authorization: pair },
    });
    expect([pair, status]).toEqual([pair, 400]);
    expect(headers.join()).toMatch(/cache-control: [^,]*(private, )?no-store/);
    expect(text).toContain('BAD_USER_INPUT');
  }
  expect(upstream.requests).toEqual([]);
});

test('two Authorization headers are two in any case of letters, and apart', async ({ gateway, upstream }) => {
  upstream.script((seen) => pageReply([], seen));
  const statuses: (number | undefined)[] = [];
  for (const lines of [
    ['AUTHORIZATION: Bearer a-good-key'],
    ['authorization: Bearer a-good-key', 'Authorization: Bearer another-key'],
    ['AUTHORIZATION: Bearer a-good-key', 'x-authorization: b', 'accept: */*', 'authorizatioN:'],
    ['authorization: Digest username="a", realm="b"'],
  ]) {
    const { responses } = await talk(gateway.url, { pieces: [queryBytes(query, ...lines)], waitMs: 30_000 });
    statuses.push(responses[0]?.status);
  }
  expect(statuses).toEqual([200, 400, 400, 200]);
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-good-key']);
});

test('no key of two is logged, wherever else the request has it', async ({ gateway }) => {
  const keys = ['Bearer first-secret-key', 'Bearer second-secret-key'];
  const spoken = 'first-secret-key/second-secret-key';
  await ask(gateway.url, {
    ...post({ query }),
    headers: { ...json, authorization: keys, 'x-request-id': spoken, 'user-agent': spoken },
  });
  await expect.poll(() => gateway.log.length).toBeGreaterThan(0);
  expect(gateway.log.join('')).not.toContain('secret');
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const forbidden = refusal(403, '10010', 'Forbidden', 'No.');

const kept = ['a', '7f3c9a52-4d5e-4a51-8d6b-0f3b3d3c2a11', '01J8Z.trace:span=1+2/3_x', 'x'.repeat(128)];
const replaced = ['', 'a b', 'a,b', 'é', '"', 'x'.repeat(129), 'test-key', 'id-test-key-1', 'dGVzdC1rZXk='];

test.for([...kept, ...replaced])(
  'the request id %j, or a new one, is that of the answer, the error, the upstream call and the log',
  async (requestId, { gateway, upstream }) => {
    upstream.script(() => forbidden);
    const { headers, errors } = await gateway.query('{ missions { totalCount } }', {
      headers: { 'x-request-id': requestId },
    });
    const id = headers.get('x-request-id');
    expect(id).toEqual(kept.includes(requestId) ? requestId : expect.stringMatching(uuid));
    expect(errors.map(({ extensions }) => extensions.requestId)).toEqual([id]);
    expect(upstream.requests.map((request) => request.headers['x-request-id'])).toEqual([id]);
    await expect.poll(() => gateway.log.map((line) => JSON.parse(line).requestId)).toEqual([id]);
  },
);
