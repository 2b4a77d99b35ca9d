import fc from 'fast-check';
import { describe } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { breakCircuit } from '../../../src/upstream/stages/breaker.ts';
import { createClient } from '../../../src/upstream/client.ts';
import { createKnownCallers, type KnownCallers } from '../../../src/upstream/stages/known-callers.ts';
import { UnansweredError } from '../../../src/upstream/response/wire-response.ts';
import { expect, test } from '../../support/gateway.ts';
import { healthyReply, rootFields } from '../../support/root-fields.ts';
import { callerOf, createScriptedTransport, thing, type WireCall } from '../client-harness.ts';
import { runs } from '../../support/runs.ts';

/** A client with a breaker alone, before a wire and a clock that the test decides on. */
function setUp(decide: (call: WireCall) => void, known?: KnownCallers) {
  const world = { time: 0, decide };
  const transport = createScriptedTransport((wireCall) => world.decide(wireCall));
  const now = (): number => world.time;
  const breaker = breakCircuit({ openMs: 5_000, now, ...(known && { known }) });
  const client = createClient(transport, [breaker]);
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
const identityOf = (key: string): string => callerOf(key).identity;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a breaker', () => {
  test.for<[string, (call: WireCall) => void]>([
    ['500', status(500)],
    ['503', status(503)],
    ['no answer', (call) => call.fail(new UnansweredError('UPSTREAM_UNAVAILABLE'))],
    ['no answer in time', (call) => call.fail(new GatewayError('UPSTREAM_TIMEOUT'))],
  ])('opens when half of twenty calls have failed, and then fails at once: %s', async ([, fault]) => {
    const { call, times, world, transport } = setUp(well);
    expect(await times(10)).toEqual(Array(10).fill('200'));
    world.decide = fault;
    for (const outcome of await times(10)) expect(outcome).not.toBe('open');
    expect(await times(100)).toEqual(Array(100).fill('open'));
    expect(transport.paths).toHaveLength(20);
    world.time = 4_999;
    expect(await call()).toBe('open');
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

  test('lets one probe through after a while, and closes when it is answered', async () => {
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

  test('opens again for as long when the probe fails, and counts anew when it does not', async () => {
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

  test('lets another probe through when one is aborted, or refused at the edge', async () => {
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

  test('is not opened by refused or aborted calls', async () => {
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

  test('is separate for each endpoint', async () => {
    const { times, world, transport } = setUp(status(500));
    await times(25, 'a', 'GET /sick');
    world.decide = well;
    expect(await times(25, 'a', 'GET /sound')).toEqual(Array(25).fill('200'));
    expect(transport.paths).toHaveLength(45);
  });

  test('is not kept open by calls that were under way when it opened', async () => {
    const { call, times, world, transport } = setUp(hold);
    const slow = Array.from({ length: 50 }, () => call());
    world.decide = status(503);
    await times(20);
    expect(await call()).toBe('open');
    world.time = 4_000;
    const stragglers = [...transport.pending];
    for (const straggler of stragglers.slice(0, 25)) straggler.answer(503);
    await Promise.all(slow.slice(0, 25));
    world.time = 5_000;
    world.decide = well;
    expect(await call()).toBe('200');
    for (const straggler of stragglers.slice(25)) straggler.answer(200);
    await Promise.all(slow);
    expect(await times(30)).toEqual(Array(30).fill('200'));
  });
});

describe('the breaker of several callers', () => {
  /** Answers with a server error where the key says so. */
  const sickFor =
    (...keys: readonly string[]) =>
    (call: WireCall): void =>
      call.answer(keys.includes(call.key) ? 500 : 200);

  test('opens for one caller alone by the calls of that caller', async () => {
    const { times, transport } = setUp(sickFor('bad'));
    expect(await times(100, 'bad')).toEqual([...Array(20).fill('500'), ...Array(80).fill('open')]);
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

  test('is not kept open for others by one caller whose calls keep failing', async () => {
    const { call, world } = setUp(status(503));
    for (let n = 0; n < 20; n++) await call(`key ${n}`);
    world.decide = sickFor('bad');
    world.time = 5_000;
    expect(await call('bad')).toBe('500');
    world.time = 6_000;
    expect(await call('bad')).toBe('open');
    expect(await call('good')).toBe('200');
    expect(await call('other')).toBe('200');
  });

  test('lets one call look each second, and no caller whose call has failed within five', async () => {
    const { call, world } = setUp(status(503));
    for (let n = 0; n < 20; n++) await call(`key ${n}`);
    world.time = 5_000;
    expect(await call('a')).toBe('503');
    world.time = 5_999;
    expect(await call('b')).toBe('open');
    world.time = 6_000;
    expect(await call('a')).toBe('open');
    expect(await call('b')).toBe('503');
    expect(await call('c')).toBe('open');
    world.time = 9_999;
    expect(await call('a')).toBe('open');
    world.time = 10_000;
    expect(await call('a')).toBe('503');
  });

  test('counts callers, not calls: a few callers open it for themselves alone', async () => {
    const bad = ['bad 1', 'bad 2', 'bad 3', 'bad 4'];
    const { call, times, world } = setUp(sickFor(...bad));
    for (const key of bad) await times(100, key);
    for (const key of bad) expect(await call(key)).toBe('open');
    for (const time of [0, 1, 9_999, 10_001, 60_000]) {
      world.time = time;
      expect(await call(`new at ${time}`)).toBe('200');
    }
  });

  test('stays closed while fewer than half of the callers fail', async () => {
    const bad = Array.from({ length: 20 }, (_, n) => `bad ${n}`);
    const { call, times } = setUp(sickFor(...bad));
    for (let n = 0; n < 21; n++) expect(await call(`good ${n}`)).toBe('200');
    for (const key of bad) await times(5, key);
    expect(await call('new')).toBe('200');
  });

  test('never refuses a caller whose last call was answered, and closes with the next answer', async () => {
    const bad = Array.from({ length: 20 }, (_, n) => `bad ${n}`);
    const { call, times, world } = setUp(sickFor(...bad));
    expect(await times(2, 'good')).toEqual(['200', '200']);
    for (let round = 0; round < 25; round++) {
      world.time = round * 2_000;
      for (const key of bad) await call(key);
      if (round === 0) expect(await call('new')).toBe('open');
      expect(await call('good')).toBe('200');
      expect(await call(`new ${round}`)).toBe('200');
    }
  });

  test('lets one caller who has not called lately probe each second, while failing callers wait', async () => {
    const { call, world, transport } = setUp(status(503));
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);
    for (const key of keys) await call(key);
    world.time = 1_000;
    world.decide = hold;
    const look = call('new 1');
    for (const key of [...keys, 'new 2']) expect(await call(key)).toBe('open');
    // One that never comes back does not keep the others from looking.
    world.time = 2_000;
    world.decide = well;
    expect(await call('new 3')).toBe('200');
    for (const key of keys) expect(await call(key)).toBe('200');
    for (const { answer } of transport.pending) answer(503);
    expect(await look).toBe('503');
    expect(await call('new 4')).toBe('200');
  });

  test('forgets an answer with the window', async () => {
    const { call, world } = setUp(well);
    expect(await call('early')).toBe('200');
    world.time = 9_999;
    world.decide = status(503);
    for (let n = 0; n < 20; n++) await call(`key ${n}`);
    expect(await call('early')).toBe('503');
    expect(await call('early')).toBe('open');
    const late = setUp(well);
    expect(await late.call('early')).toBe('200');
    late.world.time = 10_000;
    late.world.decide = status(503);
    for (let n = 0; n < 20; n++) await late.call(`key ${n}`);
    expect(await late.call('early')).toBe('open');
  });

  test('makes few calls to a failing upstream, however many callers there are', async () => {
    const { call, world, transport } = setUp(status(503));
    for (let step = 0; step < 20_000; step += 5) {
      world.time = step;
      await call(`key ${(step * 7) % 501}`);
    }
    // Twenty until it opens; then two different callers, who must both have failed, each second.
    expect(transport.paths.length).toBeLessThan(20 + 3 * 20);
    world.decide = well;
    world.time += 1_000;
    const outcomes: string[] = [];
    for (let n = 0; n < 500; n++) outcomes.push(await call(`key ${n}`));
    // One has looked alone and failed, which may have been its own fault.
    expect(outcomes.filter((outcome) => outcome === 'open').length).toBeLessThanOrEqual(1);
  });

  test('is opened by strangers for strangers alone, and by known callers for all', async () => {
    const known = createKnownCallers();
    known.learn(identityOf('good'), 200);
    const { call, world } = setUp(status(503), known);
    for (let n = 0; n < 1_100; n++) await call(`made up ${n}`);
    expect(await call('made up new')).toBe('open');
    world.decide = well;
    expect(await call('good')).toBe('200');
    const other = setUp(status(503), known);
    for (let n = 0; n < 20; n++) {
      known.learn(identityOf(`known ${n}`), 200);
      await other.call(`known ${n}`);
    }
    for (const key of ['known 1', 'good', 'made up']) expect(await other.call(key)).toBe('open');
    // Those whom the API refuses do not keep known callers from looking, nor do they close it.
    other.world.decide = status(403);
    other.world.time = 1_000;
    expect(await other.call('made up 0')).toBe('403');
    expect(await other.call('known 1')).toBe('open');
    other.world.time = 2_000;
    other.world.decide = hold;
    void other.call('made up');
    expect(await other.call('made up 2')).toBe('open');
    other.world.decide = well;
    expect(await other.call('good')).toBe('200');
    for (const { answer } of other.transport.pending) answer(401);
    expect(await other.call('made up 2')).toBe('200');
  });

  /** A call of a random history. */
  const anyCall = fc.record({
    key: fc.nat({ max: 30 }).map((n) => `key ${n}`),
    outcome: fc.constantFrom('well', 'failed', 'failed', 'failed', 'refused', 'left'),
    /** How long after the call before it begins. */
    pauseMs: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.nat({ max: 3_000 })),
    /** How many calls begin before it ends. */
    takes: fc.nat({ max: 6 }),
  });
  type AnyCall = typeof anyCall extends fc.Arbitrary<infer Drawn> ? Drawn : never;
  const fewKeys: ReadonlySet<string> = new Set(['key 0', 'key 1', 'key 2', 'key 3']);

  function finish(pending: WireCall | undefined, outcome: AnyCall['outcome']): void {
    if (outcome === 'left') pending?.fail(new Error('gone'));
    else pending?.answer({ well: 200, failed: 500, refused: 429 }[outcome]);
  }

  /** Plays calls that overlap, of which all may fail, or those of a few callers only; returns how many were refused. */
  async function play(calls: readonly AnyCall[], areFew: boolean): Promise<number> {
    const { call, world, transport } = setUp(hold);
    let refusals = 0;
    let underWay: readonly (AnyCall & { readonly until: number })[] = [];
    const answeredAt = new Map<string, number>();
    const failed = new Set<string>();
    for (const [index, drawn] of calls.entries()) {
      const { key } = drawn;
      const outcome = areFew && drawn.outcome === 'failed' && !fewKeys.has(key) ? 'well' : drawn.outcome;
      world.time += drawn.pauseMs;
      const begun = transport.paths.length;
      const told = call(key);
      await tick();
      if (transport.paths.length > begun) underWay = [...underWay, { ...drawn, outcome, until: index + drawn.takes }];
      else {
        refusals++;
        expect(await told).toBe('open');
        // An answer counts for ten seconds, unless a failure comes behind it.
        expect(world.time - (answeredAt.get(key) ?? -Infinity)).toBeGreaterThanOrEqual(10_000);
        if (areFew) expect(failed).toContain(key);
      }
      for (const ending of underWay.filter(({ until }) => until <= index)) {
        finish(
          [...transport.pending].find((one) => one.key === ending.key),
          ending.outcome,
        );
        if (ending.outcome === 'well') answeredAt.set(ending.key, world.time);
        if (ending.outcome === 'failed') {
          answeredAt.delete(ending.key);
          failed.add(ending.key);
        }
        await tick();
      }
      underWay = underWay.filter(({ until }) => until > index);
    }
    return refusals;
  }

  test('refuses no caller whose last call was answered, and only failing ones where they are few', async () => {
    let refusals = 0;
    const history = fc.array(anyCall, { minLength: 50, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (calls, areFew) => {
        refusals += await play(calls, areFew);
      }),
      { numRuns: runs(10) },
    );
    expect(refusals).toBeGreaterThan(50);
  });

  test('judges a bounded number of callers, and others do not open it', async () => {
    const { call, times, transport } = setUp(sickFor('bad'));
    for (let n = 0; n < 1_100; n++) expect(await call(`key ${n}`)).toBe('200');
    expect(await times(3_000, 'bad')).toEqual(Array(3_000).fill('500'));
    for (const key of ['key 0', 'key 1099', 'new']) expect(await call(key)).toBe('200');
    expect(transport.paths).toHaveLength(4_103);
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
  expect(errors[0].extensions.retryAfterSeconds).toBe(1);
  expect(calls()).toBe(20);
  isSick = false;
  await expect.poll(async () => (await gateway.query(`{ ${summary.selection} }`)).errors).toEqual([]);
  expect(calls()).toBe(21);
});

test('a breaker admits answered callers while two others fail', async ({ startWith, upstream }) => {
  const gateway = await startWith({ UPSTREAM_BREAKER_OPEN_MS: '10000' });
  const document = (name: string): string => `{ ipConnections(filter: { fqdn: "${name}" }) { nodes { id } } }`;
  upstream.script(({ headers }) =>
    headers.authorization?.startsWith('Bearer bad') === true
      ? { status: 500 }
      : { json: { data: [], meta: { total_results: 0 } } },
  );
  for (let round = 0; round < 14; round++) {
    const bad = ['bad-1', 'bad-2'].flatMap((key) =>
      [0, 1].map((n) => gateway.query(document(`${round} ${n}`), { key })),
    );
    const good = [0, 1].map((n) => gateway.query(document(`${round} ${n}`), { key: `good-${n * round}` }));
    expect((await Promise.all(good)).flatMap(({ errors }) => errors)).toEqual([]);
    await Promise.all(bad);
  }
  // Each is refused itself after twenty calls.
  const ofBad = upstream.requests.filter(({ headers }) => headers.authorization?.startsWith('Bearer bad') === true);
  expect(ofBad.length).toBeLessThan(2 * 25);
});
