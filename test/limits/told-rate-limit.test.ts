import { afterEach, beforeEach, vi } from 'vitest';
import { downloadReport, expect, test, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply, refusal, type Reply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

type Told = Readonly<Record<string, string>>;

const now = Date.UTC(2026, 9, 1) + 999;
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A moment some seconds from the beginning of the present second, as the API tells it and as a client reads it. */
const momentIn = (seconds: number) => {
  const moment = Math.floor(now / 1000) + seconds;
  return { told: String(moment), shown: new Date(moment * 1000).toISOString() };
};
const toldBy = (remaining: number, limit: number, seconds: number): Told => ({
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-reset': momentIn(seconds).told,
});

/** Has each list tell its own limit. */
function tell(upstream: ScriptedUpstream, [missions, connections]: readonly Told[], status = 200): void {
  upstream.script((request): Reply => {
    const headers = request.path === '/ai/missions' ? missions : connections;
    const reply = status === 200 ? pageReply([missionRecord()], request) : refusal(status, '10011', 'Too many');
    return { ...reply, headers: { date: new Date(now).toUTCString(), ...headers } };
  });
}

const lists = '{ missions { totalCount } ipConnections { totalCount } }';
const costs = { 'x-cost': '1' };

async function ask(gateway: Gateway, query = lists, headers: Told = costs) {
  const answer = await gateway.query(query, { headers });
  const shown = JSON.parse(answer.text).extensions?.rateLimit;
  return [shown, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')];
}

const five = { limit: 20, remaining: 5, resetAt: momentIn(600).shown };
const toldFive = [five, '"api";r=5;t=600', '"api";q=20'] as const;

test.for<readonly [what: string, told: readonly Told[], shown: readonly (object | string | null)[]]>([
  ['the tightest', [toldBy(5, 20, 600), toldBy(6, 6, 10)], toldFive],
  ['the tightest, which comes second', [toldBy(6, 6, 10), toldBy(5, 20, 600)], toldFive],
  // Whoever waits for less than t would come too early.
  ['of two that leave as many calls, the later', [toldBy(5, 30, 60), toldBy(5, 20, 600)], toldFive],
  ['of two that leave as many calls, the later first', [toldBy(5, 20, 600), toldBy(5, 30, 60)], toldFive],
  [
    'null for what was not told',
    [{ 'x-ratelimit-remaining': '7' }],
    [{ limit: null, remaining: 7, resetAt: null }, '"api";r=7', null],
  ],
  [
    'without a reset that has passed',
    [toldBy(0, 0, -100)],
    [{ limit: 0, remaining: 0, resetAt: null }, '"api";r=0', '"api";q=0'],
  ],
  [
    'by the clock of the API',
    [{ ...toldBy(5, 20, 600 - 3_600), date: new Date(now - 3_600_000).toUTCString() }],
    [{ ...five, resetAt: new Date(now + 600_000).toISOString() }, ...toldFive.slice(1)],
  ],
  ['null where none was told', [], [null, null, null]],
])('the rate limit that an operation tells is %s', async ([, told, shown], { gateway, upstream }) => {
  tell(upstream, told);
  expect(await ask(gateway)).toEqual(shown);
});

test.for([
  // From bytes, by a plan, and by graphql-js.
  'ipConnections(first: 1) { nodes { id } } missions(first: 1) { nodes { id } }',
  'ipConnections(first: 1) { nodes { webhookDeliveries(first: 1) { totalCount } } } missions { totalCount }',
  'ipConnections(first: 1) { nodes { id } } missions { totalCount } __schema { description }',
])('the tightest rate limit is told of { %s }', async (selection, { gateway, upstream }) => {
  tell(upstream, [toldBy(5, 20, 600), toldBy(6, 6, 10)]);
  expect(await ask(gateway, `{ ${selection} }`)).toEqual(toldFive);
});

test('the rate limit stands in headers unasked, but in none of a response in pieces', async ({ gateway, upstream }) => {
  tell(upstream, [toldBy(7, 9, 60)]);
  expect(await ask(gateway, lists, {})).toEqual([undefined, '"api";r=7;t=60', '"api";q=9']);
  const query = '{ ... @defer { missions { totalCount } } }';
  const response = await gateway.post({ query }, { accept: 'multipart/mixed' });
  expect(response.headers.has('ratelimit')).toBe(false);
  expect(await response.text()).toContain('totalCount');
});

test('the rate limit is told by a refusal, and by what cannot be read', async ({ startWith, upstream }) => {
  const { 'x-ratelimit-remaining': _remaining, ...refused } = toldBy(0, 9, 60);
  tell(upstream, [refused, refused], 429);
  const limit = { limit: 9, remaining: 0, resetAt: momentIn(60).shown };
  expect((await ask(await startWith({})))[0]).toEqual(limit);
  upstream.script(() => ({ headers: { 'x-ratelimit-remaining': '7' }, text: 'no JSON' }));
  expect((await ask(await startWith({})))[0]).toMatchObject({ remaining: 7 });
});

// In which forms the wait is told: rate-limit-fields.test.ts.
test('a refusal that is known by its code says when to come back', async ({ gateway, upstream }) => {
  upstream.script(() => ({ ...refusal(400, '10011', 'Too many'), headers: { 'x-ratelimit-reset': '20' } }));
  const { errors } = await gateway.query('{ missions { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 20 } }]);
  const report = await downloadReport(gateway);
  expect([report.status, report.headers.get('retry-after')]).toEqual([429, '20']);
  expect(upstream.requests).toHaveLength(2);
});
