import { spawn } from 'node:child_process';
import { ApolloClient, gql, HttpLink, InMemoryCache, type ApolloLink } from '@apollo/client';
import { createFetchMultipartSubscription } from '@apollo/client/utilities/subscriptions/relay';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { type Observable as RelayObservable, type SubscribeFunction } from 'relay-runtime';
import { WebSocket } from 'ws';
import { GrowingDeliveries } from '../../../support/moving-upstream.ts';
import { expect, test } from '../../../support/gateway.ts';
import type { Json } from '../../../support/records.ts';

const query = `subscription Feed($after: String) {
  deliveryFeed(after: $after) {
    __typename
    ... on DeliveryArrived { cursor delivery { id status } }
    ... on FeedStateChanged { state from: cursor }
  }
}`;

/** What a client's own subscription tells. */
interface Listener {
  readonly next: (result: Json) => void;
  /** The stream has ended, however. */
  readonly over: () => void;
}

interface Variables {
  readonly after: string | null;
}

/** Subscribes once; returns what leaves. `url` is that of `/graphql`. */
type Subscribe = (url: string, variables: Variables, listener: Listener) => () => void;

const headers = { authorization: 'Bearer a-key' };
const sse = (url: string) => createSseClient({ url, headers, retryAttempts: 0 });
const socket = (url: string) =>
  createSocketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers,
    retryAttempts: 0,
  });

/** A client of one protocol, as graphql-sse has it. */
interface ProtocolClient {
  subscribe(
    payload: { query: string; variables?: Record<string, unknown> },
    sink: { next(value: Json): void; error(error: unknown): void; complete(): void },
  ): () => void;
}

const plainly =
  (clientOf: (url: string) => unknown): Subscribe =>
  (url, variables, { next, over }) =>
    (clientOf(url) as ProtocolClient).subscribe(
      { query, variables: { ...variables } },
      { next, error: over, complete: over },
    );

const apollo =
  (linkOf: (url: string) => ApolloLink): Subscribe =>
  (url, variables, { next, over }) => {
    const client = new ApolloClient({ link: linkOf(url), cache: new InMemoryCache() });
    const stream = client.subscribe<Json>({ query: gql(query), variables, fetchPolicy: 'no-cache' });
    const following = stream.subscribe({
      // An error of the transport is a value beside no data here.
      next: ({ data, error }) => (error === undefined ? next({ data: data ?? null }) : over()),
      error: over,
      complete: over,
    });
    return () => following.unsubscribe();
  };

const urql =
  (exchangeOf: (url: string) => Partial<ConstructorParameters<typeof Client>[0]>): Subscribe =>
  (url, variables, { next, over }) => {
    const client = new Client({ url, fetchOptions: { headers }, exchanges: [], ...exchangeOf(url) });
    let isOver = false;
    const end = (): void => {
      if (!isOver) over();
      isOver = true;
    };
    const following = client.subscription<Json>(query, { ...variables }).subscribe((result) => {
      // A result that ends the stream has the data of the one before.
      if (result.error !== undefined || !result.hasNext) end();
      else next({ data: result.data ?? null });
    });
    return () => {
      isOver = true;
      following.unsubscribe();
    };
  };

const relay =
  (functionOf: (url: string) => SubscribeFunction): Subscribe =>
  (url, variables, { next, over }) => {
    const parameters = {
      id: null,
      text: query,
      name: 'Feed',
      operationKind: 'subscription',
      metadata: {},
      cacheID: 'feed',
    };
    const stream = functionOf(url)(parameters as never, { ...variables }, {}) as RelayObservable<Json>;
    const following = stream.subscribe({ next, error: over, complete: over });
    return () => following.unsubscribe();
  };

/** `pattern` finds the results in what curl prints. */
const curl =
  (accept: string, pattern: RegExp): Subscribe =>
  (url, variables, { next, over }) => {
    const body = JSON.stringify({ query, variables });
    const sent = ['content-type: application/json', `authorization: ${headers.authorization}`, `accept: ${accept}`];
    const child = spawn('curl', ['-sN', url, ...sent.flatMap((header) => ['-H', header]), '-d', body]);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = [...text.matchAll(pattern)];
      const last = found.at(-1);
      if (last !== undefined) text = text.slice(last.index + last[0].length);
      for (const [, json = 'null'] of found) next(JSON.parse(json));
    });
    child.on('close', over);
    return () => child.kill();
  };

const multipartAccept = 'multipart/mixed;subscriptionSpec="1.0", application/json';

const clients: Readonly<Record<string, Subscribe>> = {
  'Apollo Client over multipart': apollo((uri) => new HttpLink({ uri, headers })),
  'Apollo Client over WebSocket': apollo((url) => new GraphQLWsLink(socket(url))),
  'urql over server-sent events': urql(() => ({ exchanges: [fetchExchange], fetchSubscriptions: true })),
  'Relay over multipart': relay((url) => createFetchMultipartSubscription(url, { headers })),
  'graphql-sse': plainly(sse),
  'graphql-ws': plainly(socket),
  'curl over server-sent events': curl('text/event-stream', /^data: (\{.*\})$/gm),
  'curl over multipart': curl(multipartAccept, /\{"payload":(\{.*\})\}\r\n--graphql/g),
};

test.for(Object.entries(clients))(
  '%s gets each delivery once over a restart of the gateway',
  async ([, subscribe], { startWith, upstream }) => {
    const deliveries = new GrowingDeliveries();
    deliveries.add([1, 2]);
    upstream.script(deliveries.answer);
    const settings = { SUBSCRIPTION_POLL_MS: '20' };
    const first = await startWith(settings);
    const second = await startWith(settings);
    let [url, after, states] = [`${first.url}/graphql`, null as string | null, 0];
    const taken: string[] = [];
    const restarted = Promise.withResolvers<void>();
    let leave = (): void => {};
    let hasLeft = false;
    const begin = (): void => {
      let isOver = false;
      leave = subscribe(
        url,
        { after },
        {
          next({ data }) {
            const event = data?.deliveryFeed;
            if (event === undefined) return;
            after = event.cursor ?? event.from ?? null;
            if (event.delivery === undefined) states++;
            else taken.push(event.delivery.id);
          },
          over() {
            // Some say so when they are left: to begin anew would never end.
            if (isOver || hasLeft) return;
            isOver = true;
            void restarted.promise.then(begin);
          },
        },
      );
    };
    begin();
    await expect.poll(() => states).toBe(1);
    const sent = [...deliveries.add([10, 11])];
    await expect.poll(() => taken).toEqual(sent);
    await first.close();
    sent.push(...deliveries.add([9, 12]));
    url = `${second.url}/graphql`;
    restarted.resolve();
    await expect.poll(() => taken).toEqual(sent);
    expect(states).toBe(2);
    sent.push(...deliveries.add([13]));
    await expect.poll(() => taken).toEqual(sent);
    hasLeft = true;
    leave();
  },
);
