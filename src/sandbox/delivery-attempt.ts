import { microsPerSecond, timestamp } from './clock.ts';
import type { Random } from './random.ts';
import type { Targets } from './targets.ts';

type Header = [name: string, value: string];

/** Pauses before the second, third … try, in microseconds. */
const pauses = [5, 30, 120, 600, 1800].map((seconds) => seconds * microsPerSecond);
const failures = [500, 502, 503, 404, 410, 429] as const;
const badGatewayPage = '<html><head><title>Bad gateway</title></head><body>Bad gateway</body></html>';
/** The service cuts response bodies at this length (field notes). */
const bodyLimit = 10_240;

/** The tries of a delivery: their URLs in order of time, and whether the last one is accepted. */
export interface Plan {
  readonly urls: string[];
  readonly delivered: boolean;
}

/** A plan: mostly one try, else retries, else the failover URL, else failure on all of them. */
export function plan(random: Random, targets: Targets & { url: string }): Plan {
  const fate = random.int(0, 99);
  if (fate < 80) return { urls: [targets.url], delivered: true };
  const primary = Array.from({ length: random.int(1, 3) }, () => targets.url);
  if (targets.failover === null || fate < 86) return { urls: [...primary, targets.url], delivered: fate < 94 };
  return { urls: [...primary, targets.failover], delivered: fate < 94 };
}

function requestHeaders(random: Random, eventId: string): Header[] {
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'webhooks/2.0'],
    ['X-Event-Id', eventId],
    ['X-Event-Signature', random.hex(32)],
    ...(random.chance(0.4) ? [['Authorization', `Bearer made-up-${random.hex(16)}`] satisfies Header] : []),
    ...(random.chance(0.2) ? [['X-Api-Key', `made-up-${random.hex(12)}`] satisfies Header] : []),
    ...(random.chance(0.1) ? [['Cookie', `session=made-up-${random.hex(12)}`] satisfies Header] : []),
  ];
}

function bodyOf(random: Random, status: number): string {
  if (status === 502) return badGatewayPage;
  if (status >= 300) return JSON.stringify({ error: 'not accepted', reference: random.hex(8) });
  return random.chance(0.005) ? 'accepted '.repeat(2000).slice(0, bodyLimit) : random.pick(['', 'ok', '{"ok":true}']);
}

function responseOf(random: Random, status: number) {
  return {
    status,
    headers: random.orNull(0.02, [
      ['Content-Type', status === 502 ? 'text/html' : 'application/json'] satisfies Header,
      ...(status === 429 ? [['Retry-After', '30'] satisfies Header] : []),
      ...(random.chance(0.1) ? [['Set-Cookie', `visit=made-up-${random.hex(8)}; HttpOnly`] satisfies Header] : []),
    ]),
    body: random.orNull(0.05, bodyOf(random, status)),
  };
}

function outcomeOf(random: Random, delivered: boolean) {
  if (delivered) return { response: responseOf(random, random.pick([200, 200, 200, 202, 204])) };
  if (random.chance(0.6)) return { response: responseOf(random, random.pick(failures)) };
  // Without a response the key is absent, and now and then null.
  return random.chance(0.2) ? { response: null } : {};
}

function errorsOf(random: Random, delivered: boolean, status: number | undefined) {
  if (delivered) return random.chance(0.1) ? { errors: [] } : {};
  return { errors: status === undefined ? [75101, ...(random.chance(0.3) ? [75104] : [])] : [75200 + (status % 100)] };
}

/** The attempts of a plan, newest first, and when the last one ended. */
export function attempts(random: Random, tries: Plan, startedAt: number, eventId: string) {
  let time = startedAt;
  const made = tries.urls.map((url, at) => {
    const delivered = tries.delivered && at === tries.urls.length - 1;
    const started = at === 0 ? time : time + (pauses[at - 1] ?? 0);
    const http = { request: { url, headers: requestHeaders(random, eventId) }, ...outcomeOf(random, delivered) };
    const silent = http.response === undefined || http.response === null;
    time = started + (silent ? 10 * microsPerSecond : random.int(15_000, 2_000_000));
    return {
      status: delivered ? 'delivered' : 'failed',
      started_at: random.orNull(0.002, timestamp(started)),
      finished_at: random.orNull(0.005, timestamp(time)),
      http: random.orNull(0.002, http),
      ...errorsOf(random, delivered, http.response?.status),
    };
  });
  return { made: made.toReversed(), finishedAt: time };
}
