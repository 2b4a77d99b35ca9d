import { expect, test } from '../../support/gateway.ts';
import { all } from '../../live/subscription.ts';
import { refusal, type Script, type SeenRequest } from '../../support/scripted-upstream.ts';

const missions = '{ missions { totalCount } }';
const two = '{ missions { totalCount } ipConnections { totalCount } }';
const report = '/exports/charges-breakdown.csv?startDate=2026-10-01';

test.for([
  ['without a key', {}],
  ['with a key that is no bearer key', { headers: { authorization: 'Basic eDp5' } }],
  ['with a key that the API does not take', { headers: { authorization: 'Bearer test-key' } }],
] as const)('HTTP 401 for a report %s says which scheme is expected', async ([, init], { gateway, upstream }) => {
  upstream.script(() => refusal(401, '10009', 'Authentication failed'));
  const response = await gateway.fetch(report, init);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Bearer\b/),
  ]);
});

test('HTTP 401 for a subscription says which scheme is expected, and 200 does not', async ({ gateway }) => {
  const headers = { authorization: '', accept: 'application/graphql-response+json, text/event-stream;q=0.1' };
  const refused = await gateway.post({ query: all }, headers);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer\b/)]);
  const answer = await gateway.query(missions, { key: null });
  expect([answer.status, answer.errors[0].extensions.code]).toEqual([200, 'UNAUTHENTICATED']);
  expect(answer.headers.has('www-authenticate')).toBe(false);
});

const limited = (wait: string | null) => ({
  ...refusal(429, '10011', 'Too many requests'),
  headers: wait === null ? {} : { 'retry-after': wait },
});
const healthy = { json: { data: [], meta: { total_results: 0 } } };
const ofMissions = ({ path }: SeenRequest): boolean => path.includes('missions');

test.for(['known', 'new'])(
  'what is RATE_LIMITED as a whole says when to come back: a %s query',
  async (kind, { gateway, upstream }) => {
    upstream.script(() => healthy);
    if (kind === 'known') await gateway.query(two);
    upstream.script((request) => limited(ofMissions(request) ? '7' : '11'));
    const answer = await gateway.query(two);
    expect(answer.errors.map(({ extensions }) => extensions.code)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(answer.headers.get('retry-after')).toBe('11');
  },
);

test.for<[when: string, script: Script, codes: readonly string[]]>([
  ['with data', (request) => (ofMissions(request) ? limited('7') : healthy), ['RATE_LIMITED']],
  ['without a known wait', () => limited(null), ['RATE_LIMITED', 'RATE_LIMITED']],
  [
    'that failed otherwise too',
    (request) => (ofMissions(request) ? limited('7') : { status: 503, text: '' }),
    ['RATE_LIMITED', 'UPSTREAM_ERROR'],
  ],
])('an answer %s has no Retry-After', async ([, script, codes], { gateway, upstream }) => {
  upstream.script(script);
  const { errors, headers } = await gateway.query(two);
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(codes);
  expect(headers.has('retry-after')).toBe(false);
});
