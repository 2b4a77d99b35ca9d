import { afterEach, beforeEach, vi } from 'vitest';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

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
    const { json } = pageReply([missionRecord()], request);
    const body = status === 200 ? json : { errors: [{ code: '10011', title: 'Too many' }] };
    const headers = request.path === '/ai/missions' ? missions : connections;
    return { status, json: body, ...(headers && { headers }) };
  });
}

const lists = '{ missions { totalCount } ipConnections { totalCount } }';

async function ask(gateway: Gateway, headers: Told = { 'x-cost': '1' }) {
  const answer = await gateway.query(lists, { headers });
  const shown = JSON.parse(answer.text.slice(answer.text.indexOf('{'))).extensions?.rateLimit;
  return [shown, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')];
}

const later = momentIn(600).shown;
const five = { limit: 20, remaining: 5, resetAt: later };

test.for<readonly [what: string, told: readonly Told[], shown: object | null, field: string | null, policy?: string]>([
  ['the tightest', [toldBy(5, 20, 600), toldBy(6, 6, 10)], five, '"api";r=5;t=600', '"api";q=20'],
  ['the tightest, which comes second', [toldBy(6, 6, 10), toldBy(5, 20, 600)], five, '"api";r=5;t=600', '"api";q=20'],
  // Whoever waits for less than t would come too early.
  [
    'of two that leave as many calls, the later',
    [toldBy(5, 30, 60), toldBy(5, 20, 600)],
    five,
    '"api";r=5;t=600',
    '"api";q=20',
  ],
  [
    'of two that leave as many calls, the later first',
    [toldBy(5, 20, 600), toldBy(5, 30, 60)],
    five,
    '"api";r=5;t=600',
    '"api";q=20',
  ],
  [
    'null for what was not told',
    [{ 'x-ratelimit-remaining': '7' }],
    { limit: null, remaining: 7, resetAt: null },
    '"api";r=7',
  ],
  [
    'without a reset that has passed',
    [toldBy(0, 0, -100)],
    { limit: 0, remaining: 0, resetAt: null },
    '"api";r=0',
    '"api";q=0',
  ],
  ['null where none was told', [], null, null],
])(
  'the rate limit that an operation tells is %s',
  async ([, told, shown, field, policy = null], { gateway, upstream }) => {
    tell(upstream, told);
    expect(await ask(gateway)).toEqual([shown, field, policy]);
  },
);

test('the rate limit stands in the headers where the client does not ask for costs, and in none of a response in pieces', async ({
  gateway,
  upstream,
}) => {
  tell(upstream, [toldBy(7, 9, 60)]);
  expect(await ask(gateway, {})).toEqual([undefined, '"api";r=7;t=60', '"api";q=9']);
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', accept: 'multipart/mixed' },
    body: JSON.stringify({ query: '{ ... @defer { missions { totalCount } } }' }),
  });
  expect(response.headers.has('ratelimit')).toBe(false);
  expect(await response.text()).toContain('totalCount');
});

test('the rate limit is told by a refusal too, and by a response that cannot be read', async ({
  startWith,
  upstream,
}) => {
  const { 'x-ratelimit-remaining': _remaining, ...refused } = toldBy(0, 9, 60);
  tell(upstream, [refused, refused], 429);
  const limit = { limit: 9, remaining: 0, resetAt: momentIn(60).shown };
  expect((await ask(await startWith({})))[0]).toEqual(limit);
  upstream.script(() => ({ headers: { 'x-ratelimit-remaining': '7' }, text: 'no JSON' }));
  expect((await ask(await startWith({})))[0]).toMatchObject({ remaining: 7 });
});
