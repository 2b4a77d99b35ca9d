import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, idsOf } from '../../live/subscription.ts';
import { subscribe } from '../../support/streams.ts';
import { GrowingDeliveries } from '../../support/moving-upstream.ts';
import { startGatewayProgram } from '../../support/process.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';
import { connected } from '../../fleet/fleet.ts';
import { startRedis } from '../../fleet/redis.ts';

/** Milliseconds from one poll to the next: long beside the hiccups of a busy machine. */
const pollMs = 400;

/** One gateway in a process of its own, and a stream from it. */
async function startReplica(name: string, env: Readonly<Record<string, string>>) {
  const { program, url } = await startGatewayProgram({ ...env, SUBSCRIPTION_POLL_MS: String(pollMs) });
  await connected({ url });
  const stream = await subscribe({ url }, all, { headers: { 'x-request-id': name } });
  await stream.begun;
  const replica = { name, url, program, stream, isAlive: true };
  void program.ending.then(() => (replica.isAlive = false));
  return replica;
}
type Replica = Awaited<ReturnType<typeof startReplica>>;

/**
 * Starts three gateways with one Redis and an upstream to which deliveries come all the time, each with a stream of all of them; resolves
 * when one of them polls and the others follow it.
 */
async function startLiveFleet() {
  const redis = await startRedis();
  const upstream = await startScriptedUpstream();
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2, 3]);
  const polled: { readonly by: string; readonly at: number }[] = [];
  upstream.script((request) => {
    // A poll reads several pages.
    if (request.query['page[number]'] === '1')
      polled.push({ by: String(request.headers['x-request-id']), at: performance.now() });
    return deliveries.answer(request);
  });
  const sent: string[] = [];
  let second = 10;
  const path = process.env['PATH'] ?? '';
  const env = { UPSTREAM_BASE_URL: upstream.baseUrl, SHARED_STATE_URL: redis.url, LOG_LEVEL: 'warn', PATH: path };
  const replicas = await Promise.all([0, 1, 2].map((n) => startReplica(`replica-${n}`, env)));
  const coming = setInterval(() => sent.push(...deliveries.add([(second += 0.1)])), 40);
  const living = (): Replica[] => replicas.filter(({ isAlive }) => isAlive);

  /** Waits until the upstream has been polled so often again. */
  async function polls(count: number): Promise<void> {
    const before = polled.length;
    while (polled.length < before + count) await sleep(10);
  }
  await polls(3);
  let from = polled.length;
  return {
    redis,
    polls,
    /** The replica that polls. */
    poller() {
      // When another one begins to poll, all read the list once.
      const last = polled.slice(-5).map(({ by }) => by);
      const timesOf = ({ name }: Replica): number => last.filter((by) => by === name).length;
      return replicas.reduce((one, other) => (timesOf(other) > timesOf(one) ? other : one));
    },
    /** How often the upstream is polled in an interval. */
    async pollsOfInterval() {
      const before = polled.length;
      const started = performance.now();
      await sleep(6 * pollMs);
      return ((polled.length - before) * pollMs) / (performance.now() - started);
    },
    /** Has the store start anew, and the replicas follow each other again. */
    async recover() {
      await redis.kill();
      await redis.start();
      for (const replica of living()) await connected(replica);
      await polls(3);
    },
    /** What is wrong with the streams, which bring all that has come, once and in its order, within twenty seconds. */
    async faults(): Promise<readonly string[]> {
      const streams = living().map(({ stream }) => stream);
      const { length } = sent;
      const deadline = performance.now() + 20_000;
      while (streams.some((stream) => idsOf(stream).length < length) && performance.now() < deadline) await sleep(20);
      const times = [...polled.slice(Math.max(0, from - 1)).map(({ at }) => at), performance.now()];
      from = polled.length;
      const gap = Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
      const wrong = streams.map(idsOf).filter((ids) => ids.length < length || ids.some((id, n) => id !== sent[n]));
      return [
        ...(streams.length === 0 ? ['no replica lives'] : []),
        ...wrong.map((ids) => `a stream has ${ids.length} deliveries instead of ${length}, or others`),
        // Another process goes on within two intervals; the rest is for a busy machine.
        ...(gap > 2 * pollMs + 1_600 ? [`nobody polled for ${gap} ms`] : []),
      ];
    },
    async [Symbol.asyncDispose]() {
      clearInterval(coming);
      for (const { stream } of replicas) stream.close();
      await Promise.all(replicas.map(({ program }) => program[Symbol.asyncDispose]()));
      await redis[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}
type LiveFleet = Awaited<ReturnType<typeof startLiveFleet>>;

/** Has the replica that polls, and then the next one, get a signal. */
async function signalPollers(fleet: LiveFleet, signal: NodeJS.Signals, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { program } = fleet.poller();
    program.kill(signal);
    await sleep(4 * pollMs);
    if (signal !== 'SIGSTOP') continue;
    program.kill('SIGCONT');
    await fleet.polls(2);
  }
}

/** What befalls the store, and at last the replicas. Nothing of it ends a stream of a replica that lives. */
const faults: Readonly<Record<string, (fleet: LiveFleet) => Promise<unknown>>> = {
  async 'the store is killed and comes back empty, twice'({ redis }) {
    for (let time = 0; time < 2; time++) {
      await redis.kill();
      await sleep(2 * time * pollMs);
      await redis.start();
      await sleep(2 * pollMs);
    }
  },
  async 'the store stands still and goes on, for long and again and again'({ redis }) {
    for (const pauseMs of [4 * pollMs, ...Array<number>(6).fill(pollMs / 4)]) {
      redis.pause();
      await sleep(pauseMs);
      redis.resume();
      await sleep(pollMs / 4);
    }
  },
  async 'the store cuts all connections again and again'({ redis }) {
    for (let time = 0; time < 6; time++) {
      await redis.send('CLIENT', 'KILL', 'TYPE', time % 2 === 0 ? 'pubsub' : 'normal');
      await sleep(pollMs / 2);
    }
  },
  async 'the store becomes a replica that may not be written to, and a primary again'({ redis }) {
    await redis.send('REPLICAOF', '127.0.0.1', '1');
    await sleep(4 * pollMs);
    await redis.send('REPLICAOF', 'NO', 'ONE');
  },
  async 'the store is slow'({ redis }) {
    for (let time = 0; time < 10; time++) {
      await redis.send('CLIENT', 'PAUSE', '120', 'ALL');
      await sleep(150);
    }
  },
  'the replica that polls, and then the next one, gets SIGSTOP': (fleet) => signalPollers(fleet, 'SIGSTOP', 2),
  'the replica that polls gets SIGTERM': (fleet) => signalPollers(fleet, 'SIGTERM', 1),
  'the replica that polls gets SIGKILL': (fleet) => signalPollers(fleet, 'SIGKILL', 1),
};

describe('no stream loses or doubles a delivery when', () => {
  let fleet: LiveFleet;
  beforeAll(async () => {
    fleet = await startLiveFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  test.for(Object.keys(faults))('%s', async (fault) => {
    const befallsStore = fault.startsWith('the store');
    // One process polls for all, whatever has befallen the store before.
    let ofInterval = befallsStore ? 0 : Infinity;
    for (let time = 0; time < 12 && ofInterval > 1.3; time++) ofInterval = await fleet.pollsOfInterval();
    expect(ofInterval).toBeLessThanOrEqual(1.3);
    await faults[fault]?.(fleet);
    await sleep(2 * pollMs);
    expect(await fleet.faults()).toEqual([]);
    if (befallsStore) await fleet.recover();
  });
});
