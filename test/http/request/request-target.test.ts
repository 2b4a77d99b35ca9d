import fc from 'fast-check';
import { offFastPath } from '../../support/fast-path.ts';
import { expect, test } from '../../support/gateway.ts';
import { units } from '../../support/odd-text.ts';
import { ask } from '../../support/raw-client.ts';
import { runs } from '../../support/runs.ts';

const bodyOf = (query: string): string => JSON.stringify({ query, extensions: offFastPath });
const body = bodyOf('{ __typename }');
const answer = { data: { __typename: 'Query' } };
const hosts = ['9999-12-31T23:59:59Z', 'a:b:c', '256.256.256.256', '[::', 'a b', '%', 'gateway:99999', 'é', '/'];

test.for(hosts)('answers a query whose Host header says "%s"', async (host, { gateway }) => {
  const { status, text } = await ask(gateway.url, { headers: { host, 'content-type': 'application/json' }, body });
  expect([status, JSON.parse(text)]).toEqual([200, answer]);
});

test('responds to a query whatever its Host header is', async ({ gateway }) => {
  // oxlint-disable-next-line no-control-regex
  const fit = units.map((unit) => unit.replace(/[^\t\x20-\x7E\x80-\xFF]/g, ''));
  let asked = 0;
  const unknown = (): string => bodyOf(`{ __typename } # ${asked++}`);
  const host = fc.array(fc.constantFrom(...fit), { maxLength: 5 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(host, async (text) => {
      const response = await ask(gateway.url, {
        headers: { host: text, 'content-type': 'application/json' },
        body: unknown(),
      });
      expect([response.status, JSON.parse(response.text)]).toEqual([200, answer]);
    }),
    { numRuns: runs(10) },
  );
});

test('responds to a query whose target is an absolute URL', async ({ gateway }) => {
  const target = 'http://elsewhere.invalid/graphql';
  const posted = await ask(gateway.url, { path: target, headers: { 'content-type': 'application/json' }, body });
  expect([posted.status, JSON.parse(posted.text)]).toEqual([200, answer]);
  const got = await ask(gateway.url, { method: 'GET', path: `${target}?query={__typename}` });
  expect([got.status, JSON.parse(got.text)]).toEqual([200, answer]);
});

const resolved = [
  '//x/metrics',
  '//metrics',
  '/./metrics',
  '/%2e/metrics',
  '/a/../metrics',
  '/a/%2e%2e/metrics',
  '/\\x/metrics',
  '/metrics#',
  '/metrics#?',
  'metrics',
  'http://gateway.invalid/./metrics',
  'http://gateway.invalid//x/metrics',
  'http:metrics',
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
