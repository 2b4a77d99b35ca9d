import { expect, test } from '../support/gateway.ts';

const preflight = (origin: string): RequestInit => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  },
});
const query = (origin: string): RequestInit => ({
  method: 'POST',
  headers: { origin, 'content-type': 'application/json' },
  body: '{"query":"{__typename}"}',
});
const corsHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const paths = ['/graphql', '/schema.graphql', '/voyager', '/exports/charges-breakdown.csv', '/health', '/metrics'];

test.for(paths)('opens %s to no other origin by default', async (path, { gateway }) => {
  for (const origin of ['https://evil.example', 'null', gateway.url]) {
    const asked = await gateway.fetch(path, preflight(origin));
    expect(asked.status).toBe(405);
    expect(corsHeaders(asked)).toEqual([]);
    expect(corsHeaders(await gateway.fetch(path, { headers: { origin } }))).toEqual([]);
  }
  expect(corsHeaders(await gateway.fetch('/graphql', query('https://evil.example')))).toEqual([]);
});

const allowed = ['https://app.example.com', 'http://localhost:5173'];

test.for(allowed)('opens to the configured origin %s, without credentials', async (origin, { startWith }) => {
  const gateway = await startWith({ CORS_ORIGINS: allowed.join(', ') });
  const asked = await gateway.fetch('/graphql', preflight(origin));
  expect(asked.ok).toBe(true);
  expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
  expect(asked.headers.get('access-control-allow-methods')).toBe('GET,POST,QUERY');
  expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  const answered = await gateway.fetch('/graphql', query(origin));
  expect(await answered.json()).toEqual({ data: { __typename: 'Query' } });
  expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
  for (const { headers } of [asked, answered]) {
    expect(headers.get('vary')).toMatch(/\borigin\b/i);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  }
});

test.for([
  'https://evil.example',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://APP.example.com',
  'null',
])('stays closed to %s where it was opened to others', async (origin, { startWith }) => {
  const gateway = await startWith({ CORS_ORIGINS: allowed.join(',') });
  for (const init of [preflight(origin), query(origin)]) {
    const { headers } = await gateway.fetch('/graphql', init);
    expect(headers.has('access-control-allow-origin')).toBe(false);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  }
});
