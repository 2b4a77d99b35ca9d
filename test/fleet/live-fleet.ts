import { startGatewayProgram, type Program } from '../support/process.ts';
import { subscribe, type EventStream } from '../support/event-stream.ts';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { all, idsOf } from '../live/subscription.ts';
import { startRedis, type Redis } from './redis.ts';
import { connected } from './fleet.ts';

/** Milliseconds from one poll to the next: long beside the hiccups of a busy machine. */
export const pollMs = 800;

/** One gateway in a process of its own, and a stream from it. */
export interface Replica {
  readonly name: string;
  readonly url: string;
  readonly program: Program;
  readonly stream: EventStream;
  /** False once its process has ended. */
  isAlive: boolean;
}

/** Three gateways with one Redis and an upstream to which deliveries come all the time, each with a stream of all of them. */
export interface LiveFleet {
  readonly redis: Redis;
  readonly replicas: readonly Replica[];
  /** The deliveries that have come so far. */
  readonly sent: readonly string[];
  /** The replica that polls. */
  poller(): Replica;
  /** Waits until the upstream has been polled so often again. */
  polls(count: number): Promise<void>;
  /** The longest time between two polls since the last call, in milliseconds, up to now. */
  longestGap(): number;
  /** How often the upstream has been called since the last call. */
  calls(): number;
  /** Waits until all replicas that live have found the store. */
  connected(): Promise<void>;
  /** What the streams of living replicas have brought as soon as all have brought as many as have come so far, or 20 s later. */
  brought(): Promise<{ readonly length: number; readonly streams: readonly (readonly unknown[])[] }>;
  [Symbol.asyncDispose](): Promise<void>;
}

const gatewayAt = (url: string) => ({ fetch: (path: string, init?: RequestInit) => fetch(url + path, init) });
const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts the fleet; resolves when one of the replicas polls and the others follow it. */
export async function startLiveFleet(...settings: readonly string[]): Promise<LiveFleet> {
  const redis = await startRedis(...settings);
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
  const replicas: Replica[] = [];
  for (let n = 0; n < 3; n++) {
    const { program, url } = await startGatewayProgram({
      UPSTREAM_BASE_URL: upstream.baseUrl,
      SHARED_STATE_URL: redis.url,
      SUBSCRIPTION_POLL_MS: String(pollMs),
      LOG_LEVEL: 'warn',
      PATH: process.env['PATH'] ?? '',
    });
    await connected(gatewayAt(url));
    const name = `replica-${n}`;
    const stream = await subscribe({ url }, all, { headers: { 'x-request-id': name } });
    await stream.begun;
    const replica = { name, url, program, stream, isAlive: true };
    void program.ending.then(() => (replica.isAlive = false));
    replicas.push(replica);
  }
  const coming = setInterval(() => sent.push(...deliveries.add([(second += 0.1)])), 40);
  let [from, counted] = [polled.length, polled.length];
  const fleet: LiveFleet = {
    redis,
    replicas,
    sent,
    poller() {
      // When another one begins to poll, all read the list once.
      const last = polled.slice(-5).map(({ by }) => by);
      const timesOf = ({ name }: Replica): number => last.filter((by) => by === name).length;
      return replicas.reduce((one, other) => (timesOf(other) > timesOf(one) ? other : one));
    },
    async polls(count) {
      const before = polled.length;
      while (polled.length < before + count) await sleep(10);
    },
    longestGap() {
      const times = [...polled.slice(Math.max(0, from - 1)).map(({ at }) => at), performance.now()];
      from = polled.length;
      return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
    },
    calls() {
      const made = polled.length - counted;
      counted = polled.length;
      return made;
    },
    async connected() {
      for (const { url } of replicas.filter(({ isAlive }) => isAlive)) await connected(gatewayAt(url));
    },
    async brought() {
      const streams = replicas.filter(({ isAlive }) => isAlive).map(({ stream }) => stream);
      const { length } = sent;
      const deadline = performance.now() + 20_000;
      while (streams.some((stream) => idsOf(stream).length < length) && performance.now() < deadline) await sleep(20);
      return { length, streams: streams.map(idsOf) };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(coming);
      for (const { stream } of replicas) stream.close();
      await Promise.all(replicas.map(({ program }) => program[Symbol.asyncDispose]()));
      await redis[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
  await fleet.polls(3);
  fleet.calls();
  fleet.longestGap();
  return fleet;
}
