import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { StagedClient } from '../../../src/upstream/client.ts';
import { UnansweredError } from '../../../src/upstream/response/wire-response.ts';
import { breakCircuit } from '../../../src/upstream/stages/breaker.ts';
import { createKnownCallers, type KnownCallers } from '../../../src/upstream/stages/known-callers.ts';
import { callerOf, createScriptedTransport, everybodyKnown, get, thing, type WireCall } from '../client-harness.ts';

// What a client is told of an open breaker: telemetry/metrics.test.ts.

/** A client with a breaker alone, before a wire and a clock that the test decides on. */
function setUp(decide: (call: WireCall) => void, known: KnownCallers = everybodyKnown) {
  const world = { time: 0, decide };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const breaker = breakCircuit({ upstreamBreakerOpenMs: 5_000, now: () => world.time, known });
  const client = new StagedClient(transport, [breaker]);
  let calls = 0;

  /** Calls, and tells what came of it: a status, or the code of the error, and `open` where the breaker refused. */
  async function call(key = 'a', signal = new AbortController().signal): Promise<string> {
    try {
      // Every call is another one: single flight has tests of its own.
      await get(client, thing(calls++), callerOf(key, { signal }));
      return '200';
    } catch (error) {
      if (!(error instanceof GatewayError)) return 'left';
      const { retryAfterSeconds, upstream } = error.details;
      return retryAfterSeconds === undefined ? String(upstream?.status ?? error.code) : 'open';
    }
  }

  /** Calls so many times, with another key each time where it has a `#`, and tells of each outcome how often it came. */
  async function times(count: number, key = 'a'): Promise<Readonly<Record<string, number>>> {
    const outcomes: Record<string, number> = {};
    for (let n = 0; n < count; n++) {
      const outcome = await call(key.replace('#', String(n)));
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    return outcomes;
  }

  return { transport, world, call, times };
}

const status = (code: number) => (call: WireCall) => call.answer(code);
const well = status(200);
const hold = (): void => {};
/** Answers with a server error where the key begins so. */
const sickForBad = (call: WireCall) => call.answer(call.key.startsWith('bad') ? 500 : 200);

describe('a breaker', () => {
  test.for<[string, (call: WireCall) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['no answer', (call) => call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'))],
    ['no answer in time', (call) => call.fail(new GatewayError('UPSTREAM_TIMEOUT'))],
  ])('opens when half of twenty calls have failed, and then fails at once: %s', async ([, fault]) => {
    const { times, world, transport } = setUp(well);
    expect(await times(10)).toEqual({ 200: 10 });
    world.decide = fault;
    expect(await times(10)).not.toHaveProperty('open');
    world.time = 4_999;
    expect(await times(100)).toEqual({ open: 100 });
    expect(transport.paths).toHaveLength(20);
  });

  test('stays closed while fewer than half of the calls fail, or there are too few', async () => {
    const { times, world, transport } = setUp(status(500));
    expect(await times(19)).toEqual({ 500: 19 });
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
    expect(await times(10)).toEqual({ open: 10 });
    for (const pending of transport.pending) pending.answer(404);
    expect(await probe).toBe('404');
    expect(transport.paths).toHaveLength(24);
    // It counts anew.
    world.decide = status(500);
    expect(await times(19)).toEqual({ 500: 19 });
  });

  test('is neither opened nor probed by calls that are refused at the edge of the API, or left by their callers', async () => {
    const { call, times, world } = setUp(well);
    async function askInVain(codes: readonly number[]): Promise<void> {
      for (const code of codes) {
        world.decide = status(code);
        expect(await call()).toBe(String(code));
      }
      world.decide = hold;
      for (const [reason, outcome] of [
        [new Error('gone'), 'left'],
        [new GatewayError('UPSTREAM_TIMEOUT'), 'UPSTREAM_TIMEOUT'],
      ] as const) {
        const leaving = new AbortController();
        const left = call('a', leaving.signal);
        leaving.abort(reason);
        expect(await left).toBe(outcome);
      }
    }
    for (let n = 0; n < 30; n++) await askInVain([400, 401, 403, 404, 422, 429]);
    world.time = 10_000;
    world.decide = status(500);
    await times(20);
    world.time = 15_000;
    await askInVain([401, 429]);
    world.decide = status(500);
    expect(await times(2)).toEqual({ 500: 1, open: 1 });
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
  test('opens for a few callers by their calls alone, and for nobody else', async () => {
    const { call, times, world } = setUp(sickForBad);
    for (let n = 0; n < 4; n++) {
      world.time = n;
      expect(await times(100, `bad ${n}`)).toEqual(n === 0 ? { 500: 20, open: 80 } : { 500: 1, open: 99 });
    }
    for (const time of [4, 9_999, 10_004, 60_000]) {
      world.time = time;
      expect(await call(`new at ${time}`)).toBe('200');
    }
  });

  test('opens for all when the calls of several fail, and closes with an answer to one', async () => {
    const { call, times, world, transport } = setUp(status(503));
    expect(await times(20, 'key #')).toEqual({ 503: 20 });
    // The last one is new.
    expect(await times(21, 'key #')).toEqual({ open: 21 });
    expect(transport.paths).toHaveLength(20);
    world.time = 5_000;
    world.decide = well;
    expect(await call('newer')).toBe('200');
    expect(await times(20, 'key #')).toEqual({ 200: 20 });
  });

  test('stays closed while fewer than half of the callers fail', async () => {
    const { call, times } = setUp(sickForBad);
    await times(21, 'good #');
    for (let n = 0; n < 20; n++) await times(5, `bad ${n}`);
    expect(await call('new')).toBe('200');
  });

  test('is opened by strangers for strangers alone, and by known callers for all', async () => {
    const known = createKnownCallers();
    const learn = (key: string): void => known.learn(callerOf(key).identity, 200);
    learn('good');
    const { call, times, world } = setUp(status(503), known);
    await times(1_100, 'made up #');
    expect(await call('made up new')).toBe('open');
    world.decide = well;
    expect(await call('good')).toBe('200');
    const other = setUp(status(503), known);
    for (let n = 0; n < 20; n++) learn(`known ${n}`);
    for (const keys of ['made up #', 'known #']) expect(await other.times(20, keys)).toEqual({ 503: 20 });
    for (const key of ['known 1', 'good', 'made up']) expect(await other.call(key)).toBe('open');
    // Strangers whom the API refuses do not keep known callers from looking, nor do they close it.
    other.world.time = 5_000;
    other.world.decide = status(403);
    expect(await other.times(3, 'made up #')).toEqual({ 403: 1, open: 2 });
    other.world.decide = well;
    for (const key of ['good', 'made up 2']) expect(await other.call(key)).toBe('200');
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
    // The API takes the key, and the attempt says so before the breaker hears of the answer.
    world.decide = (wireCall) => (known.learn(callerOf('new').identity, 200), wireCall.answer(200));
    for (const key of ['new', 'newer', 'old']) expect(await call(key)).toBe('200');
  });

  test('refuses no caller whose last call was answered, although it is open', async () => {
    const { call, times } = setUp(sickForBad);
    await call('good');
    await times(20, 'bad #');
    expect([await call('new'), await call('bad 1'), await call('good')]).toEqual(['open', 'open', '200']);
  });
});
