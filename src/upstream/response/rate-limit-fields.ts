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
const prefixes = ['x-ratelimit-', 'ratelimit-', 'x-rate-limit-'] as const;
// A reset is met as a span and as a moment: so large a number is one, in seconds since 1970, and a larger one in milliseconds.
const leastMoment = 1_000_000_000;
const leastMillisecondMoment = 100_000_000_000;
// Dates in ISO 8601 have years of four digits.
const latest = Date.UTC(9999, 11, 31);
const plainNumber = /^\d{1,13}(?:\.\d{1,9})?$/;

/**
 * Reads the rate limit that the headers of a response tell, in any of its common spellings: `X-RateLimit-Remaining`,
 * `RateLimit-Remaining`, `X-Rate-Limit-Remaining`, and `RateLimit` in both forms of the IETF's drafts
 * (`"default";r=50;t=30`, `limit=100, remaining=50, reset=30`). A 429 leaves none. Of several limits the tightest; null where they tell
 * nothing that can be used.
 */
export function rateLimitIn({ status, headers }: ResponseHead, now: () => number): RateLimit | null {
  for (const prefix of prefixes) {
    const resetAt = momentIn(headers[`${prefix}reset`], now);
    const remaining = countIn(headers[`${prefix}remaining`]) ?? (status === tooMany && resetAt !== null ? 0 : null);
    if (remaining === null) continue;
    const limit = countIn(textOf(headers[`${prefix}limit`])?.split(/[,;]/, 1)[0]);
    return { limit, remaining, resetAt };
  }
  const field = textOf(headers['ratelimit']);
  return field === null ? null : limitInField(field, textOf(headers['ratelimit-policy']) ?? '', now);
}

/** The limit that leaves fewer calls; of two that leave as many, the one that is reset later. */
export function tighterOf(one: RateLimit | null, other: RateLimit): RateLimit {
  if (one === null || one.remaining > other.remaining) return other;
  return one.remaining === other.remaining && (other.resetAt ?? 0) > (one.resetAt ?? 0) ? other : one;
}

/** Of a field with several items, at most so many are read. */
const mostItems = 20;

function limitInField(field: string, policy: string, now: () => number): RateLimit | null {
  const older = membersOf(field.replaceAll(',', ';'));
  if (older.has('remaining'))
    return limitOf({ remaining: older.get('remaining'), limit: older.get('limit'), reset: older.get('reset') }, now);
  const quotas = new Map(itemsOf(policy).map((item) => [nameOf(item), membersOf(item).get('q')]));
  let tightest: RateLimit | null = null;
  for (const item of itemsOf(field)) {
    const members = membersOf(item);
    const found = limitOf(
      { remaining: members.get('r'), limit: quotas.get(nameOf(item)), reset: members.get('t') },
      now,
    );
    if (found !== null) tightest = tighterOf(tightest, found);
  }
  return tightest;
}

interface Members {
  readonly remaining: string | undefined;
  readonly limit: string | undefined;
  readonly reset: string | undefined;
}

function limitOf({ remaining, limit, reset }: Members, now: () => number): RateLimit | null {
  const left = countIn(remaining);
  return left === null ? null : { limit: countIn(limit), remaining: left, resetAt: momentIn(reset, now) };
}

function itemsOf(field: string): readonly string[] {
  return field.split(',', mostItems);
}

function nameOf(item: string): string {
  return (item.split(';', 1)[0] ?? '').trim();
}

/** The parameters of an item: `"default";r=50;t=30` has `r` and `t`. */
function membersOf(item: string): ReadonlyMap<string, string> {
  const pairs = item.split(';', mostItems).map((part) => part.trim().split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]));
}

/** A header that comes twice contradicts itself. */
function textOf(value: ResponseHeaders[string]): string | null {
  return typeof value === 'string' ? value : null;
}

/** A whole number that JSON and every client can hold; null for anything else. */
function countIn(value: ResponseHeaders[string]): number | null {
  const text = textOf(value)?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The moment of a reset, told as a span in seconds, as a moment in seconds or milliseconds, or as a date. */
function momentIn(value: ResponseHeaders[string], clock: () => number): number | null {
  const text = textOf(value)?.trim() ?? '';
  if (text === '') return null;
  const now = clock();
  const moment = plainNumber.test(text) ? momentOf(Number(text), now) : dateIn(text);
  return moment > now && moment <= latest ? moment : null;
}

function momentOf(number: number, now: number): number {
  if (number >= leastMillisecondMoment) return number;
  return number >= leastMoment ? number * 1000 : now + number * 1000;
}

/** Date.parse would also make dates of "-5" and "in 5 minutes". */
function dateIn(text: string): number {
  return /^(?:[A-Z][a-z]{2}, |\d{4}-\d\d-\d\dT)/.test(text) ? Date.parse(text) : NaN;
}
