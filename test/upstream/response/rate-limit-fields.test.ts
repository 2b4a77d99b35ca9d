import fc from 'fast-check';
import { describe } from 'vitest';
import { rateLimitIn, usedUpFor, waitIn, type RateLimit } from '../../../src/upstream/response/rate-limit-fields.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { expect, test, type GraphqlAnswer } from '../../support/gateway.ts';
import { healthyReply } from '../../support/records.ts';
import { runs } from '../../support/runs.ts';
import { pageReply, type Reply } from '../../support/scripted-upstream.ts';

const now = Date.UTC(2026, 10, 27, 8);
const seconds = now / 1000;
const read = (headers: ResponseHeaders, status = 200): RateLimit | null => rateLimitIn({ status, headers }, () => now);
const wait = (headers: ResponseHeaders, status = 429): number | undefined => waitIn({ status, headers }, () => now);

describe('a wait', () => {
  test.for<[ResponseHeaders, number | undefined]>([
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Fri, 27 Nov 2026 08:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Friday, 27-Nov-26 08:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Fri Nov 27 08:00:20 2026' }, 20_000],
    [{ 'retry-after': '2026-11-27T09:00:20+01:00' }, 20_000],
    [{ 'retry-after': 'Fri, 27 Nov 2026 07:59:00 GMT' }, 0],
    [{ 'retry-after': String(seconds + 20) }, 20_000],
    [{ 'retry-after': ['5', '20'] }, 20_000],
    [{ 'retry-after-ms': '1500.5', 'retry-after': '1' }, 1_500.5],
    [{ 'x-ratelimit-reset': '20' }, 20_000],
    [{ 'x-ratelimit-reset': String(seconds + 20) }, 20_000],
    // ivolo/express-rate#2, RocketChat/docs-old#1358: milliseconds since 1970.
    [{ 'x-ratelimit-reset': String(now + 20_000) }, 20_000],
    // anthropics/anthropic-sdk-typescript#357: a moment in ISO 8601.
    [{ 'x-ratelimit-reset': '2026-11-27T08:00:20Z' }, 20_000],
    [{ 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '0', 'ratelimit-reset': '20' }, 20_000],
    [{ ratelimit: 'limit=100, remaining=0, reset=20' }, 20_000],
    [{ ratelimit: '"minute";r=0;t=20, "day";r=900;t=9000' }, 20_000],
    // ietf-wg-httpapi/ratelimit-headers#137: several headers are one list.
    [{ ratelimit: ['"day";r=900;t=9000', '"minute";r=0;t=20'] }, 20_000],
    [{ ratelimit: '"a,b;c";r=0;t=20' }, 20_000],
    // A Retry-After that tells no time leaves it to the other forms.
    [{ 'retry-after': '0', 'x-ratelimit-reset': '20' }, 20_000],
    [{ 'retry-after': '5', 'x-ratelimit-reset': '20' }, 5_000],
    // mastra-ai/mastra#23778: Date.parse takes these for years.
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': '1e3' }, undefined],
    [{ 'retry-after': 'Fri, 99 Nov 2026 08:00:20 GMT' }, undefined],
    [{ 'retry-after': '9'.repeat(15) }, undefined],
    // openai/openai-dotnet#838
    [{ 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '0' }, undefined],
    [{ 'x-ratelimit-reset': String(seconds - 20) }, undefined],
    [{}, undefined],
  ])('is read from %j', ([headers, expected]) => {
    expect(wait(headers)).toBe(expected);
  });

  test('of a failure that is no limit is told by Retry-After alone', () => {
    const headers = { 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': '3600' };
    expect([wait(headers, 503), wait({ ...headers, 'retry-after': '2' }, 503)]).toEqual([undefined, 2_000]);
    const usedUp = (told: ResponseHeaders): number | undefined =>
      usedUpFor({ status: 200, headers: told }, read(told), () => now);
    expect([usedUp(headers), usedUp({ ratelimit: 'limit=9, remaining=0, reset=20' })]).toEqual([undefined, 20_000]);
  });
});

describe('the rate limit of a response', () => {
  const half = { limit: 100, remaining: 50, resetAt: now + 30_000 };

  test.for<[ResponseHeaders, RateLimit | null, number?]>([
    [{ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': '30' }, half],
    [{ ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, half],
    [{ ratelimit: '"day";r=900;t=5, "m";r=50;t=30', 'ratelimit-policy': '"m";q=100;w=60, "day";q=1000' }, half],
    [
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': `${seconds + 30}` },
      { ...half, limit: null, remaining: 1 },
    ],
    [
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1000000000' },
      { limit: null, remaining: 1, resetAt: null },
    ],
    // A 429 that tells its reset leaves nothing.
    [{ 'x-ratelimit-reset': '30' }, { ...half, limit: null, remaining: 0 }, 429],
    [{ 'x-ratelimit-reset': '30' }, null],
  ])('is read from %j', ([headers, expected, status]) => {
    expect(read(headers, status)).toEqual(expected);
  });

  test('is nothing, or whole numbers and a moment to come, whatever the headers hold', () => {
    const names = ['limit', 'remaining', 'reset'].map((of) => `x-ratelimit-${of}`);
    const odd = ['-1', '1e9', '1.5', ' 7 ', '', '9'.repeat(400), 'NaN', '"a";r=1', ';;==,', '"a";r=3;r=4'];
    const text = fc.oneof(fc.constantFrom(...odd), fc.integer().map(String), fc.string());
    const value = fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 }), fc.constant(undefined));
    const name = fc.constantFrom(...names, 'ratelimit', 'ratelimit-policy');
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
});

describe('a client is told the rate limit', () => {
  const cost = { 'X-Cost': '1' };
  const count = '{ missions { totalCount } }';
  const told = (reply: Reply, left: number): Reply => ({
    ...reply,
    headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': '30' },
  });
  const extensionsOf = ({ text }: GraphqlAnswer) => JSON.parse(text).extensions;

  test.for([
    ['from bytes', 'ipConnections(first: 1) { nodes { id } } missions(first: 1) { nodes { id } }'],
    [
      'by a plan',
      'ipConnections(first: 1) { nodes { webhookDeliveries(first: 1) { totalCount } } } missions { totalCount }',
    ],
    [
      'by graphql-js',
      'ipConnections(first: 1) { nodes { id } } missions { totalCount } __schema { queryType { name } }',
    ],
  ])(
    'that is the tightest of its calls, in the body and in header fields, %s',
    async ([, query], { gateway, upstream }) => {
      upstream.script((request) => told(pageReply([1], request), request.path === '/ai/missions' ? 7 : 8));
      const answer = await gateway.query(`{ ${query} }`, { headers: cost });
      const { rateLimit } = extensionsOf(answer);
      expect(rateLimit).toEqual({ limit: 100, remaining: 7, resetAt: expect.any(String) });
      expect(Date.parse(rateLimit.resetAt)).toBeGreaterThan(Date.now());
      expect(answer.headers.get('ratelimit')).toMatch(/^"api";r=7;t=\d\d$/);
      expect(answer.headers.get('ratelimit-policy')).toBe('"api";q=100');
    },
  );

  const limited = { json: { errors: [{ code: '10011', title: 'Too many requests' }] } };

  test.for<[Record<string, string>, number, number?]>([
    [{ 'x-ratelimit-reset': '20' }, 20],
    [{ 'retry-after': '19.2' }, 20],
    [{ 'retry-after-ms': '19500' }, 20],
    [{ ratelimit: '"default";r=0;t=20' }, 20],
    // It is known by its code.
    [{ 'x-ratelimit-reset': '20' }, 20, 400],
  ])(
    'from the first refusal on, and in the header of an export: %j',
    async ([headers, due, status = 429], { gateway, upstream }) => {
      upstream.script(() => ({ status, headers, ...limited }));
      const { errors } = await gateway.query(count);
      const upstreamCode = { upstream: { code: '10011' } };
      expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: due, ...upstreamCode });
      const authorization = 'Bearer test-key';
      const path = '/exports/charges-breakdown.csv?startDate=2026-10-01';
      const csv = await gateway.fetch(path, { headers: { authorization } });
      expect([csv.status, csv.headers.get('retry-after')]).toEqual([429, String(due)]);
      expect(upstream.requests).toHaveLength(2);
    },
  );

  test.for<Record<string, string>>([{ 'x-ratelimit-reset': '0.05' }, { ratelimit: '"a";r=0;t=0.02' }])(
    'only where the wait is too long for another call: not for %j',
    async (headers, { startWith, upstream }) => {
      const gateway = await startWith({ UPSTREAM_RETRIES: '1' });
      upstream.script((request) =>
        upstream.requests.length === 1 ? { status: 429, headers, ...limited } : healthyReply(request),
      );
      expect((await gateway.query('{ missions { nodes { id } } }')).errors).toEqual([]);
      expect(upstream.requests).toHaveLength(2);
    },
  );
});
