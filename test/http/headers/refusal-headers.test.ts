import { expect, test } from '../../support/gateway.ts';
import { all } from '../../live/subscription.ts';
import type { Script } from '../../support/scripted-upstream.ts';

const json = { 'content-type': 'application/json' };
const missions = '{ missions { totalCount } }';
const two = '{ missions { totalCount } ipConnections { totalCount } }';
const report = '/exports/charges-breakdown.csv?startDate=2026-10-01';

test.for([
  ['a report without a key', report, {}],
  ['a report with a key that is no bearer key', report, { headers: { authorization: 'Basic eDp5' } }],
  ['a key that the API does not take', report, { headers: { authorization: 'Bearer test-key' } }],
  [
    'a subscription without a key',
    '/graphql',
    {
      method: 'POST',
      headers: { ...json, accept: 'application/graphql-response+json, text/event-stream;q=0.1' },
      body: JSON.stringify({ query: all }),
    },
  ],
] as const)('HTTP 401 for %s says which scheme is expected', async ([, path, init], { gateway, upstream }) => {
  upstream.script(() => ({ status: 401, json: { errors: [{ code: '10009', title: 'Authentication failed' }] } }));
  const response = await gateway.fetch(path, init);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
});

test('a response of another status asks for no key', async ({ gateway }) => {
  const response = await gateway.query(missions, { key: null });
  expect(response.status).toBe(200);
  expect(response.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  expect(response.headers.has('www-authenticate')).toBe(false);
});

const limited =
  (seconds: string | null): Script =>
  () => ({
    status: 429,
    headers: seconds === null ? {} : { 'retry-after': seconds },
    json: { errors: [{ code: '10011', title: 'Too many requests' }] },
  });
const healthy = { json: { data: [], meta: { total_results: 0 } } };

test.for(['known', 'new'])(
  'an answer that is RATE_LIMITED as a whole says when to come back: a %s query',
  async (kind, { gateway, upstream }) => {
    upstream.script(() => healthy);
    if (kind === 'known') await gateway.query(two);
    upstream.script((request) => limited(request.path.includes('missions') ? '7' : '11')(request));
    const answer = await gateway.query(two);
    expect(answer.errors.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(answer.headers.get('retry-after')).toBe('11');
  },
);

test('an answer with data, or without a known wait, has no Retry-After', async ({ startWith, upstream }) => {
  const half = await startWith({});
  upstream.script((request) => (request.path.includes('missions') ? limited('7')(request) : healthy));
  const partial = await half.query(two);
  expect(partial.errors.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED']);
  expect(partial.headers.has('retry-after')).toBe(false);
  const unknown = await startWith({});
  upstream.script(limited(null));
  const vague = await unknown.query(missions);
  expect(vague.errors.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED']);
  expect(vague.headers.has('retry-after')).toBe(false);
  const mixed = await startWith({});
  upstream.script((request) => (request.path.includes('missions') ? limited('7')(request) : { status: 503, text: '' }));
  expect((await mixed.query(two)).headers.has('retry-after')).toBe(false);
});
