import type { ServerResponse } from 'node:http';
import { describe } from 'vitest';
import { StagedClient } from '../../../src/upstream/client.ts';
import { createKnownCallers, learnCallers } from '../../../src/upstream/stages/known-callers.ts';
import { RateLimits } from '../../../src/upstream/stages/rate-limit.ts';
import { subscribe } from '../../support/streams.ts';
import { downloadReport, expect, test } from '../../support/gateway.ts';
import type { Reply, ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { callerOf, createScriptedTransport, thing } from '../client-harness.ts';

const list: Reply = { json: { data: [], meta: { total_results: 0 } } };
const named = (name: string | number): string => `{ ipConnections(filter: { fqdn: "${name}" }) { nodes { id } } }`;
// A machine may be busy with other things too.
const soon = { timeout: 20_000 };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** An upstream that answers good keys at once, and holds its 401 for made-up ones until it is told to give it. */
function holdStrangers(upstream: ScriptedUpstream): { readonly held: ServerResponse[]; readonly refuse: () => void } {
  const held: ServerResponse[] = [];
  upstream.script(({ headers, path }) => {
    if (headers.authorization?.startsWith('Bearer good') === true)
      return path === '/charges_breakdown' ? { text: 'tn\n', headers: { 'content-type': 'text/csv' } } : list;
    return { act: (res) => void held.push(res) };
  });
  return {
    held,
    refuse: () => {
      for (const res of held.splice(0)) res.writeHead(401).end();
    },
  };
}

describe('callers whose key the API has not accepted', () => {
  test('share a quarter of the slots and of the queue', async ({ startWith, upstream }) => {
    const gateway = await startWith({ UPSTREAM_MAX_CONCURRENCY: '8', UPSTREAM_QUEUE_SIZE: '8' });
    const { held, refuse } = holdStrangers(upstream);
    await gateway.query(named('hello'), { key: 'good' });
    const codes: string[] = [];
    const asked = numbers(40).map(async (n) => {
      const { errors } = await gateway.query(named(n), { key: `made-up-${n}` });
      codes.push(errors[0]?.extensions.code);
    });
    await expect.poll(() => [held.length, codes.length], soon).toEqual([2, 36]);
    expect(codes).toEqual(Array(36).fill('UPSTREAM_UNAVAILABLE'));
    const answers = await Promise.all(numbers(11).map((n) => gateway.query(named(n), { key: 'good' })));
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    expect((await downloadReport(gateway, 'good')).status).toBe(200);
    refuse();
    await expect.poll(() => held.length, soon).toBe(2);
    refuse();
    await Promise.all(asked);
    expect(codes.slice(36)).toEqual(Array(4).fill('UNAUTHENTICATED'));
  });

  test('share a quarter of the polled lists and of the streams', async ({ startWith, upstream }) => {
    const gateway = await startWith({
      SUBSCRIPTION_MAX_FEEDS: '8',
      SUBSCRIPTION_MAX_STREAMS: '16',
      SUBSCRIPTION_POLL_MS: '600000',
    });
    const { held, refuse } = holdStrangers(upstream);
    for (const key of ['good-1', 'good-2', 'good-3']) await gateway.query(named('hello'), { key });
    const follow = (key: string) => subscribe(gateway, 'subscription { webhookDeliveries { id } }', { key });
    const first = [follow('made-up-1'), follow('made-up-2')];
    await expect.poll(() => held.length, soon).toBe(2);
    const third = await follow('made-up-3');
    await third.ended;
    expect(third.events[0]?.data.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    // Four streams are the share of one caller and that of all strangers.
    const more = [follow('made-up-1'), follow('made-up-1')];
    await expect.poll(async () => (await gateway.fetch('/metrics')).text(), soon).toContain('switchboard_streams 4');
    const fifth = await follow('made-up-2');
    await fifth.ended;
    expect(fifth.events[0]?.data.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    for (const key of ['good-1', 'good-2', 'good-3']) {
      const stream = await follow(key);
      await stream.begun;
      stream.close();
    }
    refuse();
    for (const stream of await Promise.all([...first, ...more])) await stream.ended;
  });
});

test('ten thousand strangers with used-up rate limits make the gateway forget no known caller’s', async () => {
  const known = createKnownCallers();
  const transport = createScriptedTransport(({ key, answer }) =>
    answer(key === 'good' && transport.paths.length === 1 ? 200 : 429, {}, { 'retry-after': '60' }),
  );
  const client = new StagedClient(transport, [
    new RateLimits({ known, now: () => 1, date: () => 1 }).respect,
    learnCallers(known),
  ]);
  const call = (key: string) =>
    client.get(thing(transport.paths.length), callerOf(key)).catch((error: unknown) => error);
  await call('good');
  await call('good');
  for (let n = 0; n < 10_000; n++) await call(`made-up-${n}`);
  const sent = transport.paths.length;
  expect(await call('good')).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
  expect(await call('made-up-9999')).toMatchObject({ code: 'RATE_LIMITED' });
  expect(transport.paths).toHaveLength(sent);
  // No more of them are remembered than their share.
  await call('made-up-0');
  expect(transport.paths).toHaveLength(sent + 1);
});

test('a caller is known after a success, a stranger again after a 401, and the same as before after anything else', () => {
  for (const accepting of [200, 204]) {
    const known = createKnownCallers();
    const others = [302, 400, 403, 404, 422, 429, 500, 503];
    const states = [401, ...others, accepting, ...others, 401].map((status) => {
      known.learn('a', status);
      known.learn('b', 401);
      return [known.has('a'), known.has('b')].join();
    });
    expect(states).toEqual([...Array(9).fill('false,false'), ...Array(9).fill('true,false'), 'false,false']);
  }
});
