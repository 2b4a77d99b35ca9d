import { expect, test } from 'vitest';
import { subscribe } from '../../support/streams.ts';
import { startReplicas } from '../../fleet/haproxy.ts';

const query = '{ ipConnections(first: 20) { totalCount nodes { connectionName } } missions(first: 20) { totalCount } }';
// Deliveries come every quarter of a second.
const haste = 20;
// So long, some deliveries come and all health checks of HAProxy have been made.
const pauseMs = 1_500;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves to `served`, or to how an attempt failed: a status, a code, or that of a connection. */
async function send(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    if (response.status !== 200) return String(response.status);
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return errors?.[0]?.extensions.code ?? 'served';
  } catch (error) {
    return String((error as { cause?: { code?: string } }).cause?.code);
  }
}

/** Callers who send one query after another over connections that are kept, and repeat what fails: a query changes nothing. */
function startLoad(url: string, callers: number) {
  const tally = { lost: 0, repeated: {} as Record<string, number> };
  const over = new AbortController();

  async function serve(key: string): Promise<void> {
    for (let attempt = 0; attempt <= 20; attempt++) {
      const outcome = await send(url, key);
      if (outcome === 'served') return;
      tally.repeated[outcome] = (tally.repeated[outcome] ?? 0) + 1;
      await pause(100);
    }
    tally.lost += 1;
  }

  const loops = Array.from({ length: callers }, async (_, index) => {
    while (!over.signal.aborted) await serve(`caller-${index}`);
  });
  return {
    tally,
    async stop() {
      over.abort();
      await Promise.all(loops);
    },
  };
}

/** Follows live deliveries as the client guide says: after a stream has ended, on from its last event. Resolves when the first is there. */
async function startFollower(url: string, key: string) {
  const followed = { ids: [] as string[], endings: 0 };
  const over = new AbortController();
  let lastEventId = '';
  let leave = (): void => {};
  const begun = Promise.withResolvers<void>();

  async function follow(): Promise<void> {
    const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const stream = await subscribe({ url }, 'subscription { webhookDeliveries { id } }', { key, headers });
    leave = () => stream.close();
    if (over.signal.aborted) leave();
    if (stream.status === 200) await Promise.race([stream.begun, stream.ended]);
    begun.resolve();
    await stream.ended;
    lastEventId = stream.lastEventId || lastEventId;
    for (const { data } of stream.events)
      if (data?.data?.webhookDeliveries != null) followed.ids.push(data.data.webhookDeliveries.id);
  }

  const loop = (async () => {
    while (!over.signal.aborted) {
      await follow().catch(() => {});
      followed.endings += 1;
      await pause(100);
    }
  })();
  await begun.promise;
  return {
    followed,
    async stop() {
      over.abort();
      leave();
      await loop;
    },
  };
}

test.for(['SIGKILL', 'SIGTERM'] as const)(
  'replicas that are ended by %s one after the other, and replaced under load, lose no request and no event of a stream',
  async (signal) => {
    const started = performance.now();
    await using fleet = await startReplicas(
      { SUBSCRIPTION_POLL_MS: '100' },
      { uptime: () => (performance.now() - started) * haste },
    );
    const load = startLoad(fleet.url, 8);
    const followers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => startFollower(fleet.url, `follower-${n}`)));
    await pause(pauseMs);
    for (const replica of fleet.replicas) {
      await replica.end(signal);
      if (signal === 'SIGKILL') await pause(pauseMs);
      await replica.start();
      await pause(pauseMs);
    }
    await pause(pauseMs);
    await load.stop();
    await Promise.all(followers.map((follower) => follower.stop()));
    expect(load.tally.lost).toBe(0);
    // A rolling restart costs not even repetitions.
    if (signal === 'SIGTERM') expect(load.tally.repeated).toEqual({});
    // As many as a slow machine may take the time for.
    const pages = [1, 2, 3, 4].map(async (page) => {
      const list = `${fleet.sandbox.baseUrl}/webhook_deliveries?page[size]=250&page[number]=${page}`;
      const response = await fetch(list, { headers: { authorization: 'Bearer reader' } });
      return ((await response.json()) as { data: { id: string }[] }).data;
    });
    const all = [...new Set((await Promise.all(pages)).flat().map(({ id }) => id))].toReversed();
    for (const { ids } of followers.map(({ followed }) => followed)) {
      const first = all.indexOf(ids[0] ?? '');
      expect(ids.length).toBeGreaterThan(5);
      expect(ids).toEqual(all.slice(first, first + ids.length));
    }
    // Their last endings are their own.
    const endings = followers.reduce((sum, { followed }) => sum + followed.endings - 1, 0);
    expect(endings).toBeGreaterThanOrEqual(followers.length);
  },
);
