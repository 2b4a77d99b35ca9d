import type { ResponseHead, ResponseHeaders } from './wire-response.ts';

/** What a response says of the rate limit of its caller. */
export interface RateLimit {
  /** Calls in a window; null where it is not told. */
  readonly limit: number | null;
  /** Calls that are left in this window. */
  readonly remaining: number;
  /** When it ends, in milliseconds since 1970; null where that is not told, or has passed. */
  readonly resetAt: number | null;
}

const tooMany = 429;
// A reset is met as a span and as a moment, both in seconds: so large a number is since 1970.
const leastMoment = 1_000_000_000;
// Dates in ISO 8601 have years of four digits.
const latest = Date.UTC(9999, 11, 31);

/**
 * Reads the rate limit that the headers of a response tell: `X-RateLimit-Remaining` and the like, or `RateLimit` of the IETF's draft
 * (`"default";r=50;t=30`). A 429 leaves none. Of several limits the tightest; null where they tell nothing that can be used.
 */
export function rateLimitIn({ status, headers }: ResponseHead, now: () => number): RateLimit | null {
  const resetAt = momentIn(headers['x-ratelimit-reset'], now);
  const remaining = countIn(headers['x-ratelimit-remaining']) ?? (status === tooMany && resetAt !== null ? 0 : null);
  if (remaining !== null) return { limit: countIn(headers['x-ratelimit-limit']), remaining, resetAt };
  const field = headers['ratelimit'];
  return typeof field === 'string' ? limitInField(field, headers['ratelimit-policy'], now) : null;
}

/** The limit that leaves fewer calls; of two that leave as many, the one that is reset later. */
export function tighterOf(one: RateLimit | null, other: RateLimit): RateLimit {
  if (one === null || one.remaining > other.remaining) return other;
  return one.remaining === other.remaining && (other.resetAt ?? 0) > (one.resetAt ?? 0) ? other : one;
}

/** Of a field with several items, at most so many are read. */
const mostItems = 20;

function limitInField(field: string, policy: ResponseHeaders[string], now: () => number): RateLimit | null {
  const quotas = new Map(
    itemsOf(typeof policy === 'string' ? policy : '').map(({ name, members }) => [name, members.get('q')]),
  );
  let tightest: RateLimit | null = null;
  for (const { name, members } of itemsOf(field)) {
    const remaining = countIn(members.get('r'));
    if (remaining === null) continue;
    const found = { limit: countIn(quotas.get(name)), remaining, resetAt: momentIn(members.get('t'), now) };
    tightest = tighterOf(tightest, found);
  }
  return tightest;
}

/** The items of a field, with their parameters: `"default";r=50;t=30` has `r` and `t`. */
function itemsOf(field: string) {
  return field.split(',', mostItems).map((item) => {
    const [name = '', ...parameters] = item.split(';', mostItems).map((part) => part.trim());
    const members = new Map<string, string | undefined>();
    for (const [key = '', value] of parameters.map((part) => part.split('='))) members.set(key, value);
    return { name, members };
  });
}

/** A whole number that JSON and every client can hold; null for anything else, and for a header that comes twice. */
function countIn(value: ResponseHeaders[string]): number | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The moment of a reset. */
function momentIn(value: ResponseHeaders[string], clock: () => number): number | null {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!/^\d{1,13}(?:\.\d{1,9})?$/.test(text)) return null;
  const now = clock();
  const seconds = Number(text);
  const moment = seconds >= leastMoment ? seconds * 1000 : now + seconds * 1000;
  return moment > now && moment <= latest ? moment : null;
}
