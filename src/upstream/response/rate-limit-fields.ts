import { momentOf } from '../../moment.ts';
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
// A wait is met as a span and as a moment, in seconds, and by some as a moment in milliseconds: so large a number is since 1970.
const leastMoment = 1_000_000_000;
const leastMomentMs = 1_000_000_000_000;
// Dates in ISO 8601 have years of four digits.
const latest = Date.UTC(9999, 11, 31);

/** When the limit is reset, and how many calls are left of how many, by the names that APIs give them. */
const families = ['x-ratelimit', 'ratelimit'].map((family) => ({
  limit: `${family}-limit`,
  remaining: `${family}-remaining`,
  reset: `${family}-reset`,
}));

/**
 * Reads the rate limit that the headers of a response tell: `X-RateLimit-Remaining` and the like, with and without their `X-`, or
 * `RateLimit` of both of the IETF's drafts (`limit=100, remaining=50, reset=30`; `"default";r=50;t=30`). A 429 leaves none. Of several
 * limits the tightest; null where they tell nothing that can be used.
 */
export function rateLimitIn({ status, headers }: ResponseHead): RateLimit | null {
  let tightest: RateLimit | null = null;
  const present = presentOf(headers);
  const add = (limit: Told, remaining: readonly Told[], resets: readonly Told[]): void => {
    const waits = resets.flatMap((reset) => waitOf(reset ?? '', present) || []);
    const ends = waits.map((wait) => Date.now() + wait);
    const resetAt = ends.length === 0 ? null : Math.max(...ends);
    const counts = remaining.flatMap((count) => countIn(count) ?? []);
    if (counts.length === 0 && status === tooMany && resetAt !== null) counts.push(0);
    if (counts.length === 0) return;
    tightest = tighterOf(tightest, { limit: countIn(limit), remaining: Math.min(...counts), resetAt });
  };
  for (const { limit, remaining, reset } of families)
    if (headers[remaining] !== undefined || headers[reset] !== undefined)
      // The limit may have its policies behind it: `100, 100;w=60`.
      add(textsOf(headers[limit])[0]?.split(/[,;]/, 1)[0], valuesOf(headers[remaining]), valuesOf(headers[reset]));
  // Most responses tell no limit, and each is looked at.
  if (headers['ratelimit'] === undefined) return tightest;
  const quotas = new Map(itemsOf(headers['ratelimit-policy']).map(({ name, members }) => [name, members.get('q')]));
  const items = itemsOf(headers['ratelimit']);
  for (const { name, members } of items) add(quotas.get(name), [members.get('r')], [members.get('t')]);
  // The older draft has one limit, whose members are items.
  const whole = new Map(items.map(({ name }) => pairOf(name)));
  add(whole.get('limit'), [whole.get('remaining')], [whole.get('reset')]);
  return tightest;
}

/** The limit that leaves fewer calls; of two that leave as many, the one that is reset later. */
export function tighterOf(one: RateLimit | null, other: RateLimit): RateLimit {
  if (one === null || one.remaining > other.remaining) return other;
  return one.remaining === other.remaining && (other.resetAt ?? 0) > (one.resetAt ?? 0) ? other : one;
}

/**
 * How long a response asks to wait, in milliseconds, in whatever form: `retry-after-ms`, `Retry-After` (RFC 9110, section 10.2.3; also a
 * fraction), or, where these tell no time and a limit is used up, its reset. Undefined where nothing tells it that can be used; 0 for a
 * date that has passed.
 */
export function waitIn(head: ResponseHead, isUsedUp: boolean = head.status === tooMany): number | undefined {
  const told = [
    ...valuesOf(head.headers['retry-after-ms']).map((text) => `${text.trim()}ms`),
    ...valuesOf(head.headers['retry-after']),
  ]
    .map((text) => waitOf(text, presentOf(head.headers)))
    .filter((wait) => wait !== undefined);
  const longest = told.length > 0 ? Math.max(...told) : undefined;
  if (longest || !isUsedUp) return longest;
  const resetAt = rateLimitIn({ status: tooMany, headers: head.headers })?.resetAt;
  return resetAt == null ? longest : resetAt - Date.now();
}

/** For how long the limit that a response tells is used up, in milliseconds; undefined while it is not, or where nothing says how long. */
export function usedUpFor(head: ResponseHead, limit: RateLimit | null): number | undefined {
  if (head.status === tooMany) return waitIn(head);
  return limit?.remaining === 0 && limit.resetAt !== null ? limit.resetAt - Date.now() : undefined;
}

/** Of a field with several items, at most so many are read. */
const mostItems = 20;

/** The items of a field, with their parameters: `"default";r=50;t=30` has `r` and `t`. */
function itemsOf(field: ResponseHeaders[string]) {
  const items = textsOf(field).join().split(',', mostItems);
  return items.map((item) => {
    const [name = '', ...parameters] = item.split(';', mostItems).map((part) => part.trim());
    return { name, members: new Map(parameters.map(pairOf)) };
  });
}

/** The two parts of `name=value`. */
function pairOf(text: string): [name: string, value: string | undefined] {
  const [name = '', value] = text.split('=', 2);
  return [name, value];
}

function textsOf(value: ResponseHeaders[string]): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

// A date has a comma of its own, behind the day of the week.
const betweenValues = /,(?! ?\d\d?[ -][a-z]{3})/i;

/** The values of a header that should come once: a proxy may repeat it, or join what was repeated. */
function valuesOf(value: ResponseHeaders[string]): readonly string[] {
  return textsOf(value).flatMap((text) => text.split(betweenValues, mostItems));
}

type Told = string | undefined;

/** A whole number that JSON and every client can hold; null for anything else. */
function countIn(value: string | undefined): number | null {
  const text = value?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The present of who sent a response. Its `Date`, which tells it by the second, may be that of another clock than the gateway's. */
function presentOf({ date }: ResponseHeaders): () => number {
  return () => {
    const now = Date.now();
    const ahead = dateOf(String(date)) - now;
    return ahead > 0 || ahead <= -1000 ? now + ahead : now;
  };
}

// As `6m0s` or `500ms`.
const span = /^(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,7}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const decimal = /^(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;

/** The milliseconds that a span, or a moment in any of its forms, tells; 0 for a moment that has passed. */
function waitOf(value: string, present: () => number): number | undefined {
  const text = value.trim();
  if (decimal.test(text)) {
    const number = Number(text);
    if (number < leastMoment) return number * 1000;
    return waitUntil(number >= leastMomentMs ? number : number * 1000, present);
  }
  const [whole, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = span.exec(text) ?? [];
  if (whole) return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds);
  return waitUntil(dateOf(text), present);
}

function waitUntil(moment: number, present: () => number): number | undefined {
  return moment <= latest ? Math.max(0, moment - present()) : undefined;
}

// RFC 9110, section 5.6.7: the form of today, that of RFC 850, and that of C's asctime(), which is in UTC as well.
const httpDate = /^[A-Za-z]{3,9}, \d{1,2}[ -][A-Za-z]{3}[ -](?:\d{4}|\d{2}) \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})$/;
const asctime = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]?\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** The moment of an HTTP date, or one in ISO 8601; NaN for what is no date. Date.parse alone takes `-3` for a year. */
function dateOf(text: string): number {
  if (asctime.test(text)) return Date.parse(`${text} GMT`);
  return Date.parse(httpDate.test(text) ? text : (momentOf(text) ?? ''));
}
