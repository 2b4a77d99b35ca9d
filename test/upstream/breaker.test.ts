import { describe } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { breakCircuit } from '../../src/upstream/breaker.ts';
import { createClient } from '../../src/upstream/client.ts';
import { UnansweredError } from '../../src/upstream/wire-answer.ts';
import { expect, test } from '../support/gateway.ts';
import { healthyReply, rootFields } from '../support/root-fields.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from './client-harness.ts';

/** A client with a breaker alone, before a wire and a clock that the test decides on. */
function setUp(decide: (call: WireCall) => void) {
  const world = { time: 0, decide };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const stage = breakCircuit({ openMs: 5_000, now: () => world.time });
  const client = createClient(transport, [stage]);
  let calls = 0;

  /** Calls, and tells what came of it: a status, or the code of the error, and `open` where the breaker refused. */
  async function call(key = 'a', name?: `GET /${string}`, signal = new AbortController().signal): Promise<string> {
    try {
      // Every call is another one: single flight has tests of its own.
      await client.get(thing(calls++, name), callerOf(key, { signal }));
      return '200';
    } catch (error) {
      if (!(error instanceof GatewayError)) return 'left';
      return error.retryAfterSeconds === undefined ? String(error.upstream?.status ?? error.code) : 'open';
    }
  }

  async function times(count: number, key?: string, name?: `GET /${string}`): Promise<string[]> {
    const outcomes = [];
    for (let n = 0; n < count; n++) outcomes.push(await call(key, name));
    return outcomes;
  }

  return { transport, world, call, times };
}

const status = (code: number) => (call: WireCall) => call.answer(code);
const well = status(200);
const hold = (): void => {};

describe('a breaker', () => {
  test.for<[string, (call: WireCall) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['no answer', (call) => call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'))],
    ['no answer in time', (call) => call.fail(new GatewayError('UPSTREAM_TIMEOUT'))],
  ])('opens when half of twenty calls have failed, and then answers at once: %s', async ([, fault]) => {
    const { call, times, world, transport } = setUp(well);
    expect(await times(10)).toEqual(Array(10).fill('200'));
    world.decide = fault;
    for (const outcome of await times(10)) expect(outcome).not.toBe('open');
    expect(await times(100)).toEqual(Array(100).fill('open'));
    expect(transport.paths).toHaveLength(20);
    world.time = 4_999;
    expect(await call()).toBe('open');
  });

  test('stays closed while fewer than half fail, or too few are known', async () => {
    const { times, world, transport } = setUp(status(500));
    expect(await times(19)).toEqual(Array(19).fill('500'));
    // The count begins anew after ten seconds.
    world.time = 10_000;
    for (let round = 0; round < 40; round++) {
      world.decide = well;
      await times(3);
      world.decide = status(500);
      await times(2);
    }
    expect(transport.paths).toHaveLength(19 + 200);
  });

  test('lets one call through after a while, and closes when it is answered', async () => {
    const { call, times, world, transport } = setUp(status(500));
    await times(20);
    world.time = 5_000;
    world.decide = hold;
    const probe = call();
    expect(await times(10)).toEqual(Array(10).fill('open'));
    expect(transport.paths).toHaveLength(21);
    for (const pending of transport.pending) pending.answer(404);
    expect(await probe).toBe('404');
    world.decide = well;
    expect(await times(5)).toEqual(Array(5).fill('200'));
  });

  test('opens again for as long when that call fails, and begins to count anew when it does not', async () => {
    const { call, times, world, transport } = setUp(status(500));
    await times(20);
    for (const time of [5_000, 10_000, 15_000]) {
      world.time = time;
      expect(await call()).toBe('500');
      expect(await call()).toBe('open');
      world.time = time + 4_999;
      expect(await call()).toBe('open');
    }
    expect(transport.paths).toHaveLength(23);
    world.time = 20_000;
    world.decide = well;
    expect(await call()).toBe('200');
    world.decide = status(500);
    expect(await times(19)).toEqual(Array(19).fill('500'));
  });

  test('is not stuck when that call is given up, or its caller is refused at the edge', async () => {
    const { call, times, world, transport } = setUp(status(500));
    await times(20);
    world.time = 5_000;
    world.decide = hold;
    for (const reason of [new Error('gone'), new GatewayError('UPSTREAM_TIMEOUT')]) {
      const leaving = new AbortController();
      const probe = call('a', undefined, leaving.signal);
      leaving.abort(reason);
      expect(await probe).toMatch(/left|UPSTREAM_TIMEOUT/);
    }
    for (const code of [401, 429]) {
      world.decide = status(code);
      expect(await call()).toBe(String(code));
    }
    world.decide = well;
    expect(await call()).toBe('200');
    expect(transport.pending.size).toBe(0);
  });

  test('is not opened by what callers do: refusals, and calls that are given up', async () => {
    const { call, world, transport } = setUp(well);
    for (const code of [400, 401, 403, 404, 422, 429])
      for (let n = 0; n < 30; n++) {
        world.decide = status(code);
        expect(await call()).toBe(String(code));
      }
    world.decide = hold;
    for (const reason of [new Error('gone'), new GatewayError('UPSTREAM_TIMEOUT')])
      for (let n = 0; n < 30; n++) {
        const leaving = new AbortController();
        const left = call('a', undefined, leaving.signal);
        leaving.abort(reason);
        await left;
      }
    world.decide = well;
    expect(await call()).toBe('200');
    expect(transport.paths).toHaveLength(241);
  });

  test('is one for each operation', async () => {
    const { times, world, transport } = setUp(status(500));
    await times(25, 'a', 'GET /sick');
    world.decide = well;
    expect(await times(25, 'a', 'GET /sound')).toEqual(Array(25).fill('200'));
    expect(transport.paths).toHaveLength(45);
  });

  test('is not kept open by what was under way when it opened', async () => {
    const { call, times, world, transport } = setUp(hold);
    const slow = Array.from({ length: 50 }, () => call());
    world.decide = status(503);
    await times(20);
    expect(await call()).toBe('open');
    world.time = 4_000;
    const stragglers = [...transport.pending];
    for (const straggler of stragglers.slice(0, 25)) straggler.answer(503);
    world.time = 5_000;
    world.decide = well;
    expect(await call()).toBe('200');
    for (const straggler of stragglers.slice(25)) straggler.answer(200);
    await Promise.all(slow);
    expect(await times(30)).toEqual(Array(30).fill('200'));
  });
});

describe('between callers, a breaker', () => {
  /** Answers with a server error where the key says so. */
  const sickFor =
    (...keys: readonly string[]) =>
    (call: WireCall): void =>
      call.answer(keys.includes(call.key) ? 500 : 200);

  test('is opened by one for that one alone', async () => {
    const { times, transport } = setUp(sickFor('bad'));
    expect(await times(1_000, 'bad')).toEqual([...Array(20).fill('500'), ...Array(980).fill('open')]);
    expect(await times(100, 'good')).toEqual(Array(100).fill('200'));
    expect(transport.paths).toHaveLength(120);
  });

  test('opens for all when the calls of several fail', async () => {
    const { call, world, transport } = setUp(status(503));
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);
    for (const key of keys) expect(await call(key)).toBe('503');
    for (const key of [...keys, 'new']) expect(await call(key)).toBe('open');
    expect(transport.paths).toHaveLength(20);
    world.time = 5_000;
    world.decide = well;
    expect(await call('new')).toBe('200');
    for (const key of keys) expect(await call(key)).toBe('200');
  });

  test('is not kept open for others by one whose calls keep failing', async () => {
    const { call, world } = setUp(status(503));
    for (let n = 0; n < 20; n++) await call(`key ${n}`);
    world.decide = sickFor('bad');
    world.time = 5_000;
    expect(await call('bad')).toBe('500');
    expect(await call('bad')).toBe('open');
    expect(await call('good')).toBe('200');
    expect(await call('other')).toBe('200');
    expect(await call('bad')).toBe('open');
  });

  test('opens again for all when the calls of two have seen and failed', async () => {
    const { call, world } = setUp(status(503));
    for (let n = 0; n < 20; n++) await call(`key ${n}`);
    world.time = 5_000;
    expect(await call('a')).toBe('503');
    expect(await call('b')).toBe('503');
    expect(await call('c')).toBe('open');
    world.time = 9_999;
    expect(await call('d')).toBe('open');
  });

  test('knows a bounded number of callers, and those beyond it open it for nobody', async () => {
    const { call, times, transport } = setUp(sickFor('bad'));
    for (let n = 0; n < 1_100; n++) expect(await call(`key ${n}`)).toBe('200');
    expect(await times(3_000, 'bad')).toEqual(Array(3_000).fill('500'));
    for (const key of ['key 0', 'key 1099', 'new']) expect(await call(key)).toBe('200');
    expect(transport.paths).toHaveLength(4_103);
  });
});

test('a sick operation is left alone, its callers are told at once, and it is found well again by itself', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith({ UPSTREAM_BREAKER_OPEN_MS: '1500' });
  const [summary, , connections] = rootFields;
  if (summary === undefined || connections === undefined) throw new Error('There are five root fields.');
  let isSick = true;
  upstream.script((request) =>
    isSick && request.path === summary.path ? { status: 503, text: 'sick' } : healthyReply(request),
  );
  const calls = (): number => upstream.requests.filter(({ path }) => path === summary.path).length;
  for (let n = 0; n < 20; n++) await gateway.query(`{ ${summary.selection} }`);
  expect(calls()).toBe(20);
  const { data, errors } = await gateway.query(`{ ${summary.selection} ${connections.selection} }`);
  expect(data).toMatchObject({ chargesSummary: null, ipConnections: { nodes: [{}] } });
  expect(errors).toMatchObject([
    {
      path: ['chargesSummary'],
      extensions: {
        code: 'UPSTREAM_UNAVAILABLE',
        retryable: true,
        upstream: { operation: summary.operation },
      },
    },
  ]);
  expect([1, 2]).toContain(errors[0].extensions.retryAfterSeconds);
  expect(calls()).toBe(20);
  isSick = false;
  await expect
    .poll(async () => (await gateway.query(`{ ${summary.selection} }`)).errors, { timeout: 10_000 })
    .toEqual([]);
  expect(calls()).toBe(21);
});
