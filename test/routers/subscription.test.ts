import { createClient } from 'graphql-sse';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { expect, test } from '../support/gateway.ts';
import type { Json } from '../support/records.ts';
import { sdlOf } from '../federation/supergraph.ts';
import { startReplica } from '../fleet/haproxy.ts';
import { startGrafbase } from './grafbase.ts';
import { startHiveGateway } from './hive-gateway.ts';

const query = `subscription ($after: String) {
  deliveryFeed(after: $after) {
    __typename
    ... on DeliveryArrived { cursor delivery { id } }
    ... on FeedStateChanged { from: cursor }
  }
}`;

/** Follows a feed through a router, and comes back behind its last cursor whenever the stream has ended. */
function follow(urlOf: () => string, events: Json[]): () => void {
  let after: string | null = null;
  let leave = (): void => {};
  const begin = (): void => {
    const client = createClient({ url: urlOf(), headers: { authorization: 'Bearer a-key' }, retryAttempts: 0 });
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      client.dispose();
      const timer = setTimeout(begin, 100);
      leave = () => clearTimeout(timer);
    };
    leave = client.subscribe<Json>(
      { query, variables: { after } },
      {
        next({ data }) {
          const event = data?.deliveryFeed;
          if (event === undefined || event === null) return;
          after = event.cursor ?? event.from ?? after;
          events.push(event);
        },
        error: over,
        complete: over,
      },
    );
  };
  begin();
  return () => leave();
}

/** Routers, by how they follow the subscriptions of a subgraph. */
const routers: Readonly<Record<string, typeof startGrafbase>> = {
  'Hive Gateway over server-sent events': startHiveGateway,
  'Hive Gateway over WebSocket': (subgraphs) => startHiveGateway(subgraphs, { hasSockets: true }),
  'Grafbase over server-sent events': startGrafbase,
};

test.for(Object.entries(routers))(
  'a client of %s gets each of 200 deliveries once, though Switchboard and then the router are killed',
  async ([, startRouter], { gateway, upstream }) => {
    const deliveries = new GrowingDeliveries();
    deliveries.add([1, 2]);
    upstream.script(deliveries.answer);
    await using replica = await startReplica({ UPSTREAM_BASE_URL: upstream.baseUrl, SUBSCRIPTION_POLL_MS: '50' });
    const subgraphs = [{ name: 'switchboard', sdl: await sdlOf(gateway), url: `${replica.url}/graphql` }];
    let router = await startRouter(subgraphs);
    const events: Json[] = [];
    const leave = follow(() => router.url, events);
    const taken = (): readonly string[] => events.flatMap(({ delivery }) => delivery?.id ?? []);
    // Whatever appears before the first state is in the list, and in no stream.
    await expect.poll(() => events.length).toBe(1);
    const sent: string[] = [];
    const send = (): void => {
      sent.push(...deliveries.add(Array.from({ length: 40 }, (_, index) => 10 + (sent.length + index) / 100)));
    };
    send();
    await expect.poll(() => taken().length).toBe(40);
    await replica.end('SIGKILL');
    send();
    await replica.start();
    await expect.poll(() => taken().length).toBe(80);
    send();
    await expect.poll(() => taken().length).toBe(120);
    await router[Symbol.asyncDispose]();
    send();
    router = await startRouter(subgraphs);
    await expect.poll(() => taken().length).toBe(160);
    send();
    await expect.poll(() => taken().length).toBeGreaterThanOrEqual(200);
    expect(taken()).toEqual(sent);
    leave();
    await router[Symbol.asyncDispose]();
  },
);
