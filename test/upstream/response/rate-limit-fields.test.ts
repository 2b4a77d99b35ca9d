import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rateLimitIn, usedUpFor, waitIn, type RateLimit } from '../../../src/upstream/response/rate-limit-fields.ts';
import type { ResponseHeaders } from '../../../src/upstream/response/wire-response.ts';
import { runs } from '../../support/runs.ts';

const now = Date.UTC(2026, 10, 27, 8);
const seconds = now / 1000;
const read = (headers: ResponseHeaders, status = 200): RateLimit | null => rateLimitIn({ status, headers });
const wait = (headers: ResponseHeaders, status = 429): number | undefined => waitIn({ status, headers });

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => vi.restoreAllMocks());

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
    [{ 'retry-after': '5, 20' }, 20_000],
    [{ 'retry-after-ms': '500,1500' }, 1_500],
    [{ 'retry-after': 'Fri, 27 Nov 2026 08:00:20 GMT, Fri, 27 Nov 2026 08:00:05 GMT' }, 20_000],
    [{ 'retry-after': 'Friday, 27-Nov-26 08:00:05 GMT, 20' }, 20_000],
    [{ 'x-ratelimit-reset': '20' }, 20_000],
    [{ 'x-ratelimit-reset': String(seconds + 20) }, 20_000],
    // Kong/kong#3451: repeated, or joined by a proxy; the longest counts.
    [{ 'x-ratelimit-reset': ['7', '20'] }, 20_000],
    [{ 'x-ratelimit-remaining': '3, 0', 'x-ratelimit-reset': '20, 20' }, 20_000],
    [{ 'x-ratelimit-reset': 'Fri, 27 Nov 2026 08:00:20 GMT' }, 20_000],
    // productdevbook/misina#107
    [{ 'x-ratelimit-reset': '20s' }, 20_000],
    [{ 'retry-after': '1m20.5s' }, 80_500],
    // promptfoo/promptfoo#8341
    [{ 'x-ratelimit-reset': '500ms' }, 500],
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
    const usedUp = (told: ResponseHeaders): number | undefined => usedUpFor({ status: 200, headers: told }, read(told));
    expect([usedUp(headers), usedUp({ ratelimit: 'limit=9, remaining=0, reset=20' })]).toEqual([undefined, 20_000]);
  });
});

describe('the rate limit of a response', () => {
  const one = { 'x-ratelimit-remaining': '1' };
  const half = { limit: 100, remaining: 50, resetAt: now + 30_000 };

  test.for<[ResponseHeaders, RateLimit | null, number?]>([
    [{ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': '30' }, half],
    [{ 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '50', 'ratelimit-reset': '30' }, half],
    [{ ratelimit: 'limit=100, remaining=50, reset=30' }, half],
    [{ ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, half],
    [{ ratelimit: '"day";r=900;t=5, "m";r=50;t=30', 'ratelimit-policy': '"m";q=100;w=60, "day";q=1000' }, half],
    [
      { ...one, 'x-ratelimit-reset': `${seconds + 30}` },
      { ...half, limit: null, remaining: 1 },
    ],
    [
      { ...one, 'x-ratelimit-reset': '1000000000' },
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
