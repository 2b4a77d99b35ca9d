import { expect, test } from 'vitest';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startHaproxy } from './haproxy.ts';
import { startFollower, startLoad } from './load.ts';
import { startReplica } from './replica.ts';

const loadCallers = 8;
const followers = 6;
const query = '{ ipConnections(first: 20) { totalCount nodes { connectionName } } missions(first: 20) { totalCount } }';
// Deliveries come every quarter of a second.
const haste = 20;
// So long, some deliveries come and all health checks of HAProxy have been made.
const pauseMs = 1_500;

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Three replicas behind HAProxy under load, with streams. */
async function startFleet(cleanups: AsyncDisposableStack) {
  const started = performance.now();
  const uptime = (): number => (performance.now() - started) * haste;
  const sandbox = await startFixedSandbox(uptime);
  cleanups.defer(() => sandbox.close());
  const env = { UPSTREAM_BASE_URL: sandbox.baseUrl, SUBSCRIPTION_POLL_MS: '100' };
  const replicas = await Promise.all(Array.from({ length: 3 }, () => startReplica(env)));
  for (const replica of replicas) cleanups.use(replica);
  const { url } = cleanups.use(await startHaproxy({ replicas: replicas.map(({ address }) => address) }));
  const load = startLoad(url, loadCallers, query);
  const streams = await Promise.all(
    Array.from({ length: followers }, (_, index) => startFollower(url, `follower-${index}`)),
  );
  return { sandbox, replicas, load, streams };
}

/** The identifiers of all deliveries, the oldest first. */
async function listDeliveries(baseUrl: string): Promise<readonly string[]> {
  const headers = { authorization: 'Bearer reader' };
  const response = await fetch(`${baseUrl}/webhook_deliveries?page[size]=250`, { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id).toReversed();
}

type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** Ends the load and the streams, and finds no request lost, and no event lost or doubled. */
async function expectNothingLost({ sandbox, load, streams }: Fleet, what: string): Promise<void> {
  await pause();
  await load.stop();
  await Promise.all(streams.map((stream) => stream.stop()));
  const all = await listDeliveries(sandbox.baseUrl);
  const endings = streams.reduce((sum, stream) => sum + stream.endings(), 0);
  const events = streams.reduce((sum, { ids }) => sum + ids.length, 0);
  console.log(`${what}: ${JSON.stringify(load.tally())}; ${events} events over ${followers + endings} streams.`);
  expect(load.tally().lost).toBe(0);
  for (const { ids } of streams) {
    const first = all.indexOf(ids[0] ?? '');
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toEqual(all.slice(first, first + ids.length));
  }
}

test('a replica that is killed and replaced under load costs repetitions alone, and no event of a stream', async () => {
  await using cleanups = new AsyncDisposableStack();
  const fleet = await startFleet(cleanups);
  await pause();
  for (const replica of fleet.replicas) {
    await replica.end('SIGKILL');
    await pause();
    await replica.start();
    await pause();
  }
  const endings = fleet.streams.reduce((sum, stream) => sum + stream.endings(), 0);
  expect(endings).toBeGreaterThanOrEqual(followers);
  await expectNothingLost(fleet, 'Each replica killed and replaced');
});

test('a rolling restart of all replicas under load costs no request and no event of a stream', async () => {
  await using cleanups = new AsyncDisposableStack();
  const fleet = await startFleet(cleanups);
  await pause();
  for (const replica of fleet.replicas) {
    await replica.end('SIGTERM');
    await replica.start();
    await pause();
  }
  await expectNothingLost(fleet, 'A rolling restart');
  expect(fleet.load.tally().repeated).toEqual({});
});
