import fc from 'fast-check';
import { describe } from 'vitest';
import { rateLimitIn, tighterOf, type RateLimit } from '../../../src/upstream/response/rate-limit-fields.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { expect, test, type GraphqlAnswer } from '../../support/gateway.ts';
import { pageReply, type Reply } from '../../support/scripted-upstream.ts';
import { runs } from '../../support/runs.ts';

const now = Date.UTC(2026, 10, 1);
const read = (headers: ResponseHeaders, status = 200): RateLimit | null => rateLimitIn({ status, headers }, () => now);

describe('the rate limit of a response', () => {
  const half = { limit: 100, remaining: 50, resetAt: now + 30_000 };

  test.for<[string, ResponseHeaders, RateLimit]>([
    ['X-RateLimit', { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': '30' }, half],
    ['RateLimit', { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, half],
    [
      'the tightest of several items',
      { ratelimit: '"day";r=900;t=5, "minute";r=50;t=30', 'ratelimit-policy': '"minute";q=100;w=60, "day";q=1000' },
      half,
    ],
    [
      'seconds since 1970',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': `${now / 1000 + 30}` },
      { limit: null, remaining: 1, resetAt: now + 30_000 },
    ],
    [
      'a moment that has passed',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1000000000' },
      { limit: null, remaining: 1, resetAt: null },
    ],
  ])('is read from %s', ([, headers, expected]) => {
    expect(read(headers)).toEqual(expected);
  });

  test('leaves nothing with a 429 that tells its reset', () => {
    expect(read({ 'x-ratelimit-reset': '30' }, 429)).toEqual({ limit: null, remaining: 0, resetAt: now + 30_000 });
    expect(read({ 'x-ratelimit-reset': '30' })).toBeNull();
  });

  test('is nothing, or whole numbers and a moment to come, whatever the headers hold', () => {
    const name = fc.constantFrom(
      ...['limit', 'remaining', 'reset'].map((of) => `x-ratelimit-${of}`),
      'ratelimit',
      'ratelimit-policy',
    );
    const text = fc.oneof(
      fc.constantFrom('-1', '1e9', '1.5', ' 7 ', '', '9'.repeat(400), 'NaN', '"a";r=1', ';;==,', '"a";r=3;r=4'),
      fc.integer().map(String),
      fc.string(),
    );
    const value = fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 }), fc.constant(undefined));
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.constantFrom(200, 429, 500), (headers, status) => {
        const told = read(headers, status);
        if (told === null) return;
        for (const count of [told.remaining, told.limit ?? 0])
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        if (told.resetAt !== null)
          expect(new Date(told.resetAt).toISOString() > new Date(now).toISOString()).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  test('is the tighter of two', () => {
    const one = { limit: 10, remaining: 3, resetAt: now + 1 };
    expect(tighterOf(null, one)).toBe(one);
    expect(tighterOf(one, { ...one, remaining: 4 })).toBe(one);
    expect(tighterOf(one, { ...one, resetAt: now + 2 }).resetAt).toBe(now + 2);
    expect(tighterOf(one, { ...one, resetAt: null })).toBe(one);
  });
});

const told = (reply: Reply, remaining: number): Reply => ({
  ...reply,
  headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': '30' },
});

/** What stands beside the data of an answer. */
const extensionsOf = ({ text }: GraphqlAnswer) => JSON.parse(text).extensions;

describe('a client is told the rate limit', () => {
  const cost = { 'X-Cost': '1' };

  for (const [path, query] of [
    ['from bytes', '{ ipConnections(first: 1) { nodes { id } } missions(first: 1) { nodes { id } } }'],
    [
      'by a plan',
      '{ ipConnections(first: 1) { nodes { id webhookDeliveries(first: 1) { totalCount } } } missions { totalCount } }',
    ],
    [
      'by graphql-js',
      '{ ipConnections(first: 1) { nodes { id } } missions(first: 1) { nodes { id } } __schema { queryType { name } } }',
    ],
  ] as const)
    test(`that is the tightest of its calls, in the body and in header fields, ${path}`, async ({
      gateway,
      upstream,
    }) => {
      upstream.script((request) => told(pageReply([1], request), request.path === '/ai/missions' ? 7 : 8));
      const response = await gateway.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...cost },
        body: JSON.stringify({ query }),
      });
      const { extensions } = (await response.json()) as { extensions: { rateLimit: { resetAt: string } } };
      expect(extensions.rateLimit).toEqual({ limit: 100, remaining: 7, resetAt: expect.any(String) });
      expect(Date.parse(extensions.rateLimit.resetAt)).toBeGreaterThan(Date.now());
      expect(response.headers.get('ratelimit')).toMatch(/^"api";r=7;t=\d\d$/);
      expect(response.headers.get('ratelimit-policy')).toBe('"api";q=100');
    });

  test('with a refusal too, and nothing where no call was made or told', async ({ gateway, upstream }) => {
    upstream.script(() => told({ status: 429, json: {} }, 0));
    const refused = await gateway.query('{ missions { totalCount } }', { headers: cost });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(extensionsOf(refused)).toMatchObject({ rateLimit: { limit: 100, remaining: 0 } });
    // The limit is known now, so this one is not sent.
    const unsent = await gateway.query('{ missions { totalCount } }', { headers: cost });
    expect(extensionsOf(unsent)).toMatchObject({ rateLimit: null });
    upstream.script((request) => pageReply([1], request));
    const untold = await gateway.query('{ missions { totalCount } }', { key: 'another', headers: cost });
    expect(extensionsOf(untold)).toMatchObject({ cost: { upstreamCalls: 1 }, rateLimit: null });
    expect(extensionsOf(await gateway.query('{ missions { totalCount } }', { key: 'another' }))).toBeUndefined();
  });

  test('of its own key, also where many ask for the same at once', async ({ gateway, upstream }) => {
    upstream.script((request) => {
      const number = Number(/\d+$/.exec(request.headers.authorization ?? '')?.[0]);
      return told(pageReply([1], request), number);
    });
    const tenants = Array.from({ length: 400 }, (_, index) => 1 + (index % 20));
    const answers = await Promise.all(
      tenants.map((tenant) => gateway.query('{ missions { totalCount } }', { key: `tenant-${tenant}`, headers: cost })),
    );
    expect(answers.map((answer) => extensionsOf(answer).rateLimit.remaining)).toEqual(tenants);
  });
});
