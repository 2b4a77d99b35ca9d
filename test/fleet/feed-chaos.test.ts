import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pollMs, startLiveFleet, type LiveFleet } from './live-fleet.ts';

/** What befalls the fleet. Nothing of it ends a stream of a replica that lives. */
const faults: Readonly<Record<string, (fleet: LiveFleet) => Promise<void>>> = {
  'is killed': ({ redis }) => redis.kill(),
  async 'is killed and comes back empty, three times'({ redis }) {
    for (let time = 0; time < 3; time++) {
      await redis.kill();
      await sleep(time * pollMs);
      await redis.start();
      await sleep(2 * pollMs);
    }
  },
  async 'stands still, and goes on'({ redis }) {
    redis.pause();
    await sleep(4 * pollMs);
    redis.resume();
  },
  async 'stands still and goes on again and again'({ redis }) {
    for (let time = 0; time < 10; time++) {
      redis.pause();
      await sleep(pollMs / 4);
      redis.resume();
      await sleep(pollMs / 4);
    }
  },
  async 'is full, and then is not'({ redis }) {
    await redis.send('CONFIG', 'SET', 'maxmemory', '1');
    await sleep(4 * pollMs);
    await redis.send('CONFIG', 'SET', 'maxmemory', '0');
  },
  async 'cuts all connections again and again'({ redis }) {
    for (let time = 0; time < 6; time++) {
      await redis.send('CLIENT', 'KILL', 'TYPE', time % 2 === 0 ? 'pubsub' : 'normal');
      await sleep(pollMs / 2);
    }
  },
  async 'becomes a replica that may not be written to, and a primary again'({ redis }) {
    await redis.send('REPLICAOF', '127.0.0.1', '1');
    await sleep(4 * pollMs);
    await redis.send('REPLICAOF', 'NO', 'ONE');
  },
  async 'is slow'({ redis }) {
    for (let time = 0; time < 20; time++) {
      await redis.send('CLIENT', 'PAUSE', '120', 'ALL');
      await sleep(150);
    }
  },
};

/** What befalls a replica. */
const replicaFaults: Readonly<Record<string, (fleet: LiveFleet) => Promise<void>>> = {
  async 'is killed, and then the next one'(fleet) {
    for (let time = 0; time < 2; time++) {
      fleet.poller().program.kill('SIGKILL');
      await sleep(3 * pollMs);
    }
  },
  async 'is stopped in order'(fleet) {
    fleet.poller().program.kill('SIGTERM');
    await sleep(3 * pollMs);
  },
  async 'stands still for longer than the others wait, and wakes'(fleet) {
    for (let time = 0; time < 2; time++) {
      const { program } = fleet.poller();
      program.kill('SIGSTOP');
      await sleep(4 * pollMs);
      program.kill('SIGCONT');
      await fleet.polls(2);
    }
  },
};

/** What is wrong with the streams, which should have brought all that has come, once and in its order. */
async function faultsOf(fleet: LiveFleet): Promise<readonly string[]> {
  const { length, streams } = await fleet.brought();
  const gap = fleet.longestGap();
  const wrong = streams.filter((ids) => ids.length < length || ids.some((id, n) => id !== fleet.sent[n]));
  return [
    ...(streams.length === 0 ? ['no replica lives'] : []),
    ...wrong.map((ids) => `a stream has ${ids.length} deliveries instead of ${length}, or others`),
    // Another process goes on within two intervals; the rest is for a busy machine.
    ...(gap > 3 * pollMs ? [`nobody polled for ${gap} ms`] : []),
  ];
}

describe('no stream loses or doubles a delivery when the store', () => {
  let fleet: LiveFleet;
  beforeAll(async () => {
    fleet = await startLiveFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  test.for(Object.keys(faults))('%s', async (fault) => {
    await faults[fault]?.(fleet);
    await sleep(2 * pollMs);
    expect(await faultsOf(fleet)).toEqual([]);
    // For the next one: the replicas follow each other again.
    await fleet.redis.kill();
    await fleet.redis.start();
    await fleet.connected();
    await fleet.polls(3);
  });

  test('is there again: one process polls for all', async () => {
    let callsOfInterval = Infinity;
    for (let time = 0; time < 12 && callsOfInterval > 1.3; time++) {
      fleet.calls();
      const started = performance.now();
      await sleep(6 * pollMs);
      callsOfInterval = (fleet.calls() * pollMs) / (performance.now() - started);
    }
    expect(callsOfInterval).toBeLessThanOrEqual(1.3);
    expect(await faultsOf(fleet)).toEqual([]);
  });
});

test.for(Object.keys(replicaFaults))(
  'no stream loses or doubles a delivery when a replica that polls %s',
  async (fault) => {
    await using fleet = await startLiveFleet();
    await replicaFaults[fault]?.(fleet);
    await sleep(2 * pollMs);
    expect(await faultsOf(fleet)).toEqual([]);
  },
);
