import { describe, expect, test } from 'vitest';
import { startSandbox, startSwitchboard, type Part } from '../../src/testing.ts';
import { askGraphql } from '../support/gateway.ts';

const ask = (url: string, query: string, key = 'any-key') => askGraphql(url, query, { key });

const count = '{ missions { totalCount } }';
const newest = '{ webhookDeliveries(first: 1) { totalCount nodes { id status startedAt webhook { eventType } } } }';

describe('a gateway for tests of other projects', () => {
  test('fails as it is told, for calls of every key, until it is told otherwise', async () => {
    await using gateway = await startSwitchboard();
    const { graphqlUrl, sandbox } = gateway;
    sandbox.use('rate-limited=7', 'only=missions');
    const query = '{ missions { totalCount } ipConnections { totalCount } }';
    expect(await ask(graphqlUrl, query, 'small')).toMatchObject({
      data: { missions: null, ipConnections: { totalCount: 24 } },
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 7 } }],
    });
    sandbox.use();
    const data = { missions: { totalCount: 230 }, ipConnections: { totalCount: 604 } };
    expect(await ask(graphqlUrl, query, 'other-key')).toMatchObject({ data, errors: [] });
  });

  test('answers as soon as a fault is over, however often it has failed before', async () => {
    await using gateway = await startSwitchboard();
    for (const part of ['failing', 'down', 'cut', 'rate-limited=3600', 'invalid'] as const) {
      gateway.sandbox.use(part);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) => ask(gateway.graphqlUrl, count, `key-${at % 5}`)),
      );
      expect(answers.every(({ errors }) => errors.length === 1)).toBe(true);
      gateway.sandbox.use();
      await expect
        .poll(async () => (await ask(gateway.graphqlUrl, count, 'key-0')).data.missions)
        .toEqual({ totalCount: 230 });
    }
  });

  test('makes deliveries and moves its clock', async () => {
    await using gateway = await startSwitchboard({ now: '2027-02-03T04:05:06Z' });
    const { id } = gateway.sandbox.deliver({ type: 'call_answered', status: 'failed', attempts: 2 });
    const newestOf = async (key?: string) =>
      (await ask(gateway.graphqlUrl, newest, key)).data.webhookDeliveries.nodes[0];
    const startedAt = '2027-02-03T04:05:06.000000Z';
    expect(await newestOf()).toEqual({ id, status: 'failed', startedAt, webhook: { eventType: 'call_answered' } });
    const clock = { headers: { 'content-type': 'application/json' }, body: '{ "now": "2027-02-04T00:00:00Z" }' };
    await fetch(`${gateway.url}/sandbox/clock`, { method: 'POST', ...clock });
    gateway.sandbox.advance(60);
    gateway.sandbox.deliver({}, 'small');
    expect(await newestOf('small')).toMatchObject({ status: 'delivered', startedAt: '2027-02-04T00:01:00.000000Z' });
    gateway.sandbox.advance(-60);
    const { id: last } = gateway.sandbox.deliver();
    expect((await newestOf()).id).toBe(last);
    gateway.sandbox.setNow('2026-11-01T00:00:00Z');
    expect((await newestOf()).startedAt < '2026-11-01').toBe(true);
  });

  test('takes settings, and names one that cannot be used', async () => {
    await using gateway = await startSwitchboard({ env: { LIMIT_COST: '1', SANDBOX_NOW: '2027-02-03T04:05Z' } });
    expect(gateway.sandbox.deliver().started_at).toBe('2027-02-03T04:05:00.000000Z');
    const { errors } = await ask(gateway.graphqlUrl, count);
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
    await expect(startSwitchboard({ env: { LIMIT_COST: 'much' } })).rejects.toThrow('LIMIT_COST');
  });

  test('names what it cannot do', async () => {
    await using sandbox = await startSandbox();
    expect(() => sandbox.use('rate-limit' as Part)).toThrow(/^"rate-limit" is no part of it: large, .*only= are\.$/);
    expect(() => sandbox.deliver({ connection: 'none' })).toThrow(/^connection must be/);
    expect(() => sandbox.setNow('tomorrow')).toThrow(/^The present must be/);
    expect(() => sandbox.advance(Number.NaN)).toThrow(/^The present must be/);
    await expect(startSandbox({ now: '1999-01-01T00:00:00Z' })).rejects.toThrow(/^The present must be/);
  });

  test('stands beside others of one process, and ends', async () => {
    const [one, other] = [await startSwitchboard(), await startSwitchboard()];
    one.sandbox.use('failing');
    await Promise.all([one.close(), one.close()]);
    await one.sandbox.close();
    await expect(fetch(one.url)).rejects.toThrow('fetch failed');
    expect((await ask(other.graphqlUrl, count)).data.missions).toEqual({ totalCount: 230 });
    await other.close();
    await expect(fetch(other.sandbox.baseUrl)).rejects.toThrow('fetch failed');
  });
});
