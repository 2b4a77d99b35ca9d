import { describe } from 'vitest';
import { rateLimitIn, usedUpFor, waitIn } from '../../../src/upstream/response/rate-limit-fields.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { expect, test } from '../../support/gateway.ts';
import { allRootFields, healthyReply } from '../../support/root-fields.ts';

const now = Date.UTC(2026, 10, 27, 8, 0, 0);
const wait = (headers: ResponseHeaders, status = 429): number | undefined => waitIn({ status, headers }, () => now);
const seconds = now / 1000;

describe('a wait', () => {
  test.for<[ResponseHeaders, number | undefined]>([
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '.25' }, 250],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Fri, 27 Nov 2026 08:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Friday, 27-Nov-26 08:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Fri Nov 27 08:00:20 2026' }, 20_000],
    [{ 'retry-after': 'Sun Nov 29 08:00:00 2026' }, 172_800_000],
    [{ 'retry-after': '2026-11-27T09:00:20+01:00' }, 20_000],
    [{ 'retry-after': 'Fri, 27 Nov 2026 07:59:00 GMT' }, 0],
    [{ 'retry-after': String(seconds + 20) }, 20_000],
    [{ 'retry-after': ['5', '20'] }, 20_000],
    [{ 'retry-after-ms': '1500.5', 'retry-after': '1' }, 1_500.5],
    [{ 'retry-after-ms': '-1', 'retry-after': '2' }, 2_000],
    [{ 'x-ratelimit-reset': '20' }, 20_000],
    [{ 'x-ratelimit-reset': '0.5' }, 500],
    [{ 'x-ratelimit-reset': String(seconds + 20) }, 20_000],
    // ivolo/express-rate#2, RocketChat/docs-old#1358: milliseconds since 1970.
    [{ 'x-ratelimit-reset': String(now + 20_000) }, 20_000],
    // anthropics/anthropic-sdk-typescript#357: a moment in ISO 8601.
    [{ 'x-ratelimit-reset': '2026-11-27T08:00:20Z' }, 20_000],
    [{ 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '0', 'ratelimit-reset': '20' }, 20_000],
    [{ ratelimit: 'limit=100, remaining=0, reset=20' }, 20_000],
    [{ ratelimit: '"default";r=0;t=20' }, 20_000],
    [{ ratelimit: '"minute";r=0;t=20, "day";r=900;t=9000' }, 20_000],
    // ietf-wg-httpapi/ratelimit-headers#137: several headers are one list.
    [{ ratelimit: ['"day";r=900;t=9000', '"minute";r=0;t=20'] }, 20_000],
    [{ ratelimit: '"a,b;c";r=0;t=20' }, 20_000],
    [{ ratelimit: '"default";t=20' }, 20_000],
    // A Retry-After that tells no time leaves it to the other forms.
    [{ 'retry-after': '0', 'x-ratelimit-reset': '20' }, 20_000],
    [{ 'retry-after': 'Fri, 27 Nov 2026 07:59:00 GMT', ratelimit: '"default";r=0;t=20' }, 20_000],
    [{ 'retry-after-ms': '0', 'retry-after': '0', ratelimit: 'limit=9, remaining=0, reset=20' }, 20_000],
    [{ 'retry-after': '0', 'x-ratelimit-reset': '0' }, 0],
    [{ 'retry-after': '5', 'x-ratelimit-reset': '20' }, 5_000],
    // mastra-ai/mastra#23778: Date.parse takes these for years.
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': '+3' }, undefined],
    [{ 'retry-after': '1e3' }, undefined],
    [{ 'retry-after': '1.5.2' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Fri, 99 Nov 2026 08:00:20 GMT' }, undefined],
    [{ 'retry-after': '9'.repeat(15) }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, undefined],
    [{ 'retry-after': '' }, undefined],
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
    const usedUp = (told: ResponseHeaders): number | undefined => {
      const head = { status: 200, headers: told };
      return usedUpFor(
        head,
        rateLimitIn(head, () => now),
        () => now,
      );
    };
    expect(usedUp(headers)).toBeUndefined();
    expect(usedUp({ ratelimit: 'limit=9, remaining=0, reset=20' })).toBe(20_000);
  });
});

const forms: readonly (readonly [Record<string, string>, number])[] = [
  [{ 'x-ratelimit-reset': '20' }, 20],
  [{ 'retry-after': '19.2' }, 20],
  [{ 'retry-after-ms': '19500' }, 20],
  [{ ratelimit: 'limit=100, remaining=0, reset=20' }, 20],
  [{ ratelimit: '"default";r=0;t=20' }, 20],
];
const limited = { json: { errors: [{ code: '10011', title: 'Too many requests' }] } };

describe('a refusal for its rate', () => {
  test.for(forms)(
    'tells the wait from the first one on, and in the header of an export: %j',
    async ([headers, due], { startWith, upstream }) => {
      const gateway = await startWith({ MCP: 'true' });
      upstream.script(() => ({ status: 429, headers, ...limited }));
      const { errors } = await gateway.query('{ missions { totalCount } }');
      expect(errors[0].extensions).toMatchObject({
        code: 'RATE_LIMITED',
        retryable: true,
        retryAfterSeconds: due,
        upstream: { code: '10011' },
      });
      const csv = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', {
        headers: { authorization: 'Bearer test-key' },
      });
      expect([csv.status, csv.headers.get('retry-after')]).toEqual([429, String(due)]);
      expect(upstream.requests).toHaveLength(2);
    },
  );

  test.for([400, 403, 200])('is known by its code under status %i', async (status, { gateway, upstream }) => {
    upstream.script(() => ({ status, headers: { 'x-ratelimit-reset': '20' }, ...limited }));
    const { errors } = await gateway.query('{ missions { totalCount } }');
    expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 20 });
    expect(upstream.requests).toHaveLength(1);
  });

  test.for<Record<string, string>>([
    { 'x-ratelimit-reset': '0.05' },
    { 'retry-after-ms': '20' },
    { ratelimit: '"a";r=0;t=0.02' },
  ])('is followed by another call where the wait is short: %j', async (headers, { startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_RETRIES: '1' });
    upstream.script((request) =>
      upstream.requests.length === 1 ? { status: 429, headers, ...limited } : healthyReply(request),
    );
    expect((await gateway.query('{ missions { nodes { id } } }')).errors).toEqual([]);
    expect(upstream.requests).toHaveLength(2);
  });

  test('of one endpoint holds its own calls back, and no others', async ({ gateway, upstream }) => {
    upstream.script((request) =>
      request.path === '/ai/missions'
        ? { status: 429, headers: { 'x-ratelimit-reset': '20' }, ...limited }
        : healthyReply(request),
    );
    for (const calls of [5, 9]) {
      const { data, errors } = await gateway.query(allRootFields);
      expect(Object.entries(data).flatMap(([name, value]) => (value === null ? [name] : []))).toEqual(['missions']);
      expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 20 });
      expect(upstream.requests).toHaveLength(calls);
    }
  });
});
