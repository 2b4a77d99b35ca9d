import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Run, type ResultPart } from '../../../src/http/run.ts';
import { addExtensions, sendRateLimit } from '../../../src/http/rules/response-rules.ts';
import type { GraphqlRequest } from '../../../src/http/request/graphql-request.ts';

const now = Date.UTC(2026, 9, 1);
const whole: ResultPart = 'whole';

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An operation whose calls were told this rate limit, and the header fields that are set for it. */
function runWith(rateLimit: Run['rateLimit'], headersSent = false) {
  const headers: Record<string, unknown> = {};
  const res = { headersSent, setHeader: (name: string, value: unknown) => void (headers[name] = value) };
  const request = { res, wantsCost: true, lastEventId: null, exchange: { record: {} } };
  const run = new Run(request as unknown as GraphqlRequest);
  run.rateLimit = rateLimit;
  return { run, headers };
}

describe('the rate limit that is sent with a response', () => {
  test.for([
    [{ limit: 100, remaining: 7, resetAt: now + 30_000 }, '"api";r=7;t=30', '"api";q=100'],
    // Whoever waits for less than that would come too early.
    [{ limit: 100, remaining: 0, resetAt: now + 30_001 }, '"api";r=0;t=31', '"api";q=100'],
    [{ limit: null, remaining: 7, resetAt: now - 5_000 }, '"api";r=7;t=0', undefined],
    [{ limit: 0, remaining: 0, resetAt: null }, '"api";r=0', '"api";q=0'],
    [null, undefined, undefined],
  ] as const)('of %j has the fields %s and %s, and is told in the body', ([told, ratelimit, policy]) => {
    const { run, headers } = runWith(told);
    const result = { data: {} };
    expect(sendRateLimit.finish?.(result, run, whole)).toBe(result);
    expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([ratelimit, policy]);
    const resetAt = told?.resetAt == null ? null : new Date(told.resetAt).toISOString();
    expect(addExtensions.finish?.(result, run, whole).extensions).toEqual({
      rateLimit: told === null ? null : { limit: told.limit, remaining: told.remaining, resetAt },
    });
  });

  test('is left out where the head has been sent, or goes with a part', () => {
    const told = { limit: 100, remaining: 7, resetAt: now };
    for (const [part, isSent] of [
      ['whole', true],
      ['followed', false],
      ['last', false],
    ] as const) {
      const { run, headers } = runWith(told, isSent);
      sendRateLimit.finish?.({ data: {} }, run, part);
      expect(headers).toEqual({});
    }
  });
});
