import { describe } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { StagedClient } from '../../../src/upstream/client.ts';
import { UnansweredError } from '../../../src/upstream/response/wire-response.ts';
import { breakCircuit } from '../../../src/upstream/stages/breaker.ts';
import { createKnownCallers, type KnownCallers } from '../../../src/upstream/stages/known-callers.ts';
import { expect, test } from '../../support/gateway.ts';
import { healthyReply, rootFields } from '../../support/records.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from '../client-harness.ts';

/** A client with a breaker alone, before a wire and a clock that the test decides on. */
function setUp(decide: (call: WireCall) => void, known?: KnownCallers) {
  const world = { time: 0, decide };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const breaker = breakCircuit({ openMs: 5_000, now: () => world.time, ...(known && { known }) });
  const client = new StagedClient(transport, [breaker]);
  let calls = 0;

  /** Calls, and tells what came of it: a status, or the code of the error, and `open` where the breaker refused. */
  async function call(key = 'a', signal = new AbortController().signal): Promise<string> {
    try {
      // Every call is another one: single flight has tests of its own.
      await client.get(thing(calls++), callerOf(key, { signal }));
      return '200';
    } catch (error) {
      if (!(error instanceof GatewayError)) return 'left';
      return error.retryAfterSeconds === undefined ? String(error.upstream?.status ?? error.code) : 'open';
    }
  }

  async function times(count: number, key?: string): Promise<string[]> {
    const outcomes = [];
    for (let n = 0; n < count; n++) outcomes.push(await call(key));
    return outcomes;
  }

  return { transport, world, call, times };
}

const status = (code: number) => (call: WireCall) => call.answer(code);
const well = status(200);
const hold = (): void => {};
const keysOf = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name} ${n}`);

describe('a breaker', () => {
  test.for<[string, (call: WireCall) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['no answer', (call) => call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'))],
    ['no answer in time', (call) => call.fail(new GatewayError('UPSTREAM_TIMEOUT'))],
  ])('opens when half of twenty calls have failed, and then fails at once: %s', async ([, fault]) => {
    const { times, world, transport } = setUp(well);
    expect(await times(10)).toEqual(Array(10).fill('200'));
    world.decide = fault;
    expect(await times(10)).not.toContain('open');
    world.time = 4_999;
    expect(await times(100)).toEqual(Array(100).fill('open'));
    expect(transport.paths).toHaveLength(20);
  });

  test('stays closed while fewer than half of the calls fail, or there are too few', async () => {
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

  test('lets one probe through after a while, opens again when it fails, and closes when it is answered', async () => {
    const { call, times, world, transport } = setUp(status(500));
    await times(20);
    for (const time of [5_000, 10_000, 15_000]) {
      world.time = time;
      expect(await call()).toBe('500');
      world.time = time + 4_999;
      expect(await call()).toBe('open');
    }
    world.time = 20_000;
    world.decide = hold;
    const probe = call();
    expect(await times(10)).toEqual(Array(10).fill('open'));
    for (const pending of transport.pending) pending.answer(404);
    expect(await probe).toBe('404');
    expect(transport.paths).toHaveLength(24);
    // It counts anew.
    world.decide = status(500);
    expect(await times(19)).toEqual(Array(19).fill('500'));
  });

  /** Calls that say nothing of the API: refused at its edge, or left by their callers. */
  async function* askInVain({ call, world }: ReturnType<typeof setUp>, codes: readonly number[]) {
    for (const code of codes) {
      world.decide = status(code);
      yield [await call(), String(code)];
    }
    world.decide = hold;
    for (const reason of [new Error('gone'), new GatewayError('UPSTREAM_TIMEOUT')]) {
      const leaving = new AbortController();
      const left = call('a', leaving.signal);
      leaving.abort(reason);
      yield [await left, reason instanceof GatewayError ? reason.code : 'left'];
    }
  }

  test('is not opened by refused or aborted calls', async () => {
    const all = setUp(well);
    for (let n = 0; n < 30; n++)
      for await (const [outcome, expected] of askInVain(all, [400, 401, 403, 404, 422, 429]))
        expect(outcome).toBe(expected);
  });

  test('lets another probe through when one is aborted, or refused at the edge', async () => {
    const all = setUp(status(500));
    await all.times(20);
    all.world.time = 5_000;
    for await (const [outcome, expected] of askInVain(all, [401, 429])) expect(outcome).toBe(expected);
    all.world.decide = status(500);
    expect(await all.times(2)).toEqual(['500', 'open']);
  });

  test('is not kept open by calls that were under way when it opened', async () => {
    const { call, times, world, transport } = setUp(hold);
    const slow = Array.from({ length: 25 }, () => call());
    world.decide = status(503);
    await times(20);
    world.time = 4_000;
    for (const straggler of transport.pending) straggler.answer(503);
    await Promise.all(slow);
    world.time = 5_000;
    world.decide = well;
    expect(await call()).toBe('200');
  });
});

describe('the breaker of several callers', () => {
  /** Answers with a server error where the key says so. */
  const sickFor = (bad: readonly string[]) => (call: WireCall) => call.answer(bad.includes(call.key) ? 500 : 200);

  test('opens for a few callers by their calls alone, and for nobody else', async () => {
    const bad = keysOf('bad', 4);
    const { call, times, world } = setUp(sickFor(bad));
    for (const [index, key] of bad.entries()) {
      world.time = index;
      const sent = index === 0 ? 20 : 1;
      expect(await times(100, key)).toEqual([...Array(sent).fill('500'), ...Array(100 - sent).fill('open')]);
    }
    for (const time of [4, 9_999, 10_004, 60_000]) {
      world.time = time;
      expect(await call(`new at ${time}`)).toBe('200');
    }
  });

  test('opens for all when the calls of several fail, and closes with an answer to one', async () => {
    const { call, world, transport } = setUp(status(503));
    const keys = keysOf('key', 20);
    for (const key of keys) expect(await call(key)).toBe('503');
    for (const key of [...keys, 'new']) expect(await call(key)).toBe('open');
    expect(transport.paths).toHaveLength(20);
    world.time = 5_000;
    world.decide = well;
    for (const key of ['new', ...keys]) expect(await call(key)).toBe('200');
  });

  test('stays closed while fewer than half of the callers fail', async () => {
    const bad = keysOf('bad', 20);
    const { call, times } = setUp(sickFor(bad));
    for (const key of keysOf('good', 21)) expect(await call(key)).toBe('200');
    for (const key of bad) await times(5, key);
    expect(await call('new')).toBe('200');
  });

  test('is opened by strangers for strangers alone, and by known callers for all', async () => {
    const known = createKnownCallers();
    const learn = (key: string): void => known.learn(callerOf(key).identity, 200);
    learn('good');
    const { call, world } = setUp(status(503), known);
    for (const key of keysOf('made up', 1_100)) await call(key);
    expect(await call('made up new')).toBe('open');
    world.decide = well;
    expect(await call('good')).toBe('200');
    const other = setUp(status(503), known);
    for (const key of keysOf('known', 20)) {
      learn(key);
      await other.call(key);
    }
    for (const key of ['known 1', 'good', 'made up']) expect(await other.call(key)).toBe('open');
    // Strangers whom the API refuses do not keep known callers from looking, nor do they close it.
    other.world.time = 5_000;
    other.world.decide = status(403);
    expect(await other.call('made up 0')).toBe('403');
    expect(await other.call('made up 1')).toBe('open');
    expect(await other.call('made up 2')).toBe('open');
    other.world.decide = well;
    expect(await other.call('good')).toBe('200');
    expect(await other.call('made up 2')).toBe('200');
  });

  test('that known callers have opened lets a new key look, even if no known caller calls any more', async () => {
    const known = createKnownCallers();
    known.learn(callerOf('old').identity, 200);
    const { call, times, world } = setUp(status(503), known);
    await times(20, 'old');
    world.time = 60_000;
    world.decide = well;
    expect(await call('new')).toBe('open');
    world.time = 65_000;
    // The API takes the key, and `learnCallers` says so before the breaker hears of the answer.
    world.decide = (wireCall) => (known.learn(callerOf('new').identity, 200), wireCall.answer(200));
    expect(await call('new')).toBe('200');
    for (const key of ['newer', 'old']) expect(await call(key)).toBe('200');
  });

  test('refuses no caller whose last call was answered, although it is open', async () => {
    const bad = keysOf('bad', 20);
    const { call } = setUp(sickFor(bad));
    for (const key of ['good', ...bad]) await call(key);
    expect([await call('new'), await call('bad 1'), await call('good')]).toEqual(['open', 'open', '200']);
  });
});

test('a breaker stops calls to a sick endpoint, fails them at once, and finds the endpoint well again by itself', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith({ UPSTREAM_BREAKER_OPEN_MS: '500' });
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
  const { operation } = summary;
  const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, retryAfterSeconds: 1, upstream: { operation } };
  expect(errors).toMatchObject([{ path: ['chargesSummary'], extensions }]);
  expect(calls()).toBe(20);
  isSick = false;
  await expect.poll(async () => (await gateway.query(`{ ${summary.selection} }`)).errors).toEqual([]);
  expect(calls()).toBe(21);
});
