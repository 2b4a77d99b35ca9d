import { describe } from 'vitest';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type ScriptedUpstream } from '../support/scripted-upstream.ts';

type Told = Readonly<Record<string, string>>;

/** A moment some seconds from now, as the API tells it and as a client reads it. */
function momentIn(seconds: number): { readonly told: string; readonly shown: string } {
  const moment = Math.ceil(Date.now() / 1000) + seconds;
  return { told: String(moment), shown: new Date(moment * 1000).toISOString() };
}

const toldBy = (remaining: number, limit: number, reset: string): Told => ({
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-reset': reset,
});

/** Has each list tell its own limit. */
function tell(upstream: ScriptedUpstream, byPath: Readonly<Record<string, Told>>, status = 200): void {
  upstream.script((request): Reply => {
    const { json } = pageReply([missionRecord()], request);
    const body = status === 200 ? json : { errors: [{ code: '10011', title: 'Too many' }] };
    return { status, headers: { ...byPath[request.path] }, json: body };
  });
}

async function ask(gateway: Gateway, document: string, cost = '1') {
  const { headers, text } = await gateway.query(document, { headers: { 'x-cost': cost } });
  return {
    shown: JSON.parse(text).extensions?.rateLimit,
    field: headers.get('ratelimit'),
    policy: headers.get('ratelimit-policy'),
  };
}

const [lists, missions, connections] = [
  '{ missions { totalCount } ipConnections { totalCount } }',
  '/ai/missions',
  '/ip_connections',
];

describe('the rate limit that an operation tells', () => {
  test('is the tightest that its calls were told, in the body and in headers', async ({ gateway, upstream }) => {
    const reset = momentIn(3_600);
    const tight = toldBy(5, 20, reset.told);
    for (const told of [
      { [missions]: tight, [connections]: toldBy(6, 6, momentIn(10).told) },
      { [missions]: toldBy(6, 6, momentIn(10).told), [connections]: tight },
    ]) {
      tell(upstream, told);
      const { shown, field, policy } = await ask(gateway, lists);
      expect(shown).toEqual({ limit: 20, remaining: 5, resetAt: reset.shown });
      expect(field).toMatch(/^"api";r=5;t=3[56]\d\d$/);
      expect(policy).toBe('"api";q=20');
    }
  });

  test('is, of two that leave as many calls, the one that is reset later', async ({ gateway, upstream }) => {
    const [sooner, later] = [momentIn(60), momentIn(600)];
    for (const [first, second] of [
      [sooner, later],
      [later, sooner],
    ] as const) {
      tell(upstream, { [missions]: toldBy(5, 20, first.told), [connections]: toldBy(5, 30, second.told) });
      expect((await ask(gateway, lists)).shown).toMatchObject({ remaining: 5, resetAt: later.shown });
    }
  });

  test('has null for what was not told, and leaves it out of the headers', async ({ gateway, upstream }) => {
    tell(upstream, { [missions]: { 'x-ratelimit-remaining': '7' } });
    expect(await ask(gateway, lists)).toEqual({
      shown: { limit: null, remaining: 7, resetAt: null },
      field: '"api";r=7',
      policy: null,
    });
  });

  test('has no reset where its moment has passed', async ({ gateway, upstream }) => {
    tell(upstream, { [missions]: toldBy(7, 9, momentIn(-100).told) });
    expect(await ask(gateway, lists)).toMatchObject({ shown: { remaining: 7, resetAt: null }, field: '"api";r=7' });
  });

  test('is told by a refusal too', async ({ gateway, upstream }) => {
    const reset = momentIn(60);
    tell(upstream, { [missions]: { 'x-ratelimit-limit': '9', 'x-ratelimit-reset': reset.told } }, 429);
    expect((await ask(gateway, '{ missions { totalCount } }')).shown).toEqual({
      limit: 9,
      remaining: 0,
      resetAt: reset.shown,
    });
  });

  test('is told by a response that cannot be read', async ({ gateway, upstream }) => {
    upstream.script(() => ({ headers: { 'x-ratelimit-remaining': '7' }, text: 'no JSON' }));
    expect(await ask(gateway, lists)).toMatchObject({ shown: { remaining: 7 }, field: '"api";r=7' });
  });

  test('stands in the headers alone where the client does not ask for costs', async ({ gateway, upstream }) => {
    tell(upstream, { [missions]: { 'x-ratelimit-remaining': '7' } });
    expect(await ask(gateway, lists, '0')).toEqual({ shown: undefined, field: '"api";r=7', policy: null });
  });

  test('is null, and in no header, where no call was told one', async ({ gateway, upstream }) => {
    tell(upstream, {});
    expect(await ask(gateway, lists)).toEqual({ shown: null, field: null, policy: null });
  });
});
