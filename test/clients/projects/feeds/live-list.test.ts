import { ApolloClient, gql, HttpLink, type ApolloCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { describe } from 'vitest';
import { liveRows } from '../../../../client/src/index.ts';
import { GrowingDeliveries } from '../../../support/moving-upstream.ts';
import { expect, test, type Gateway } from '../../../support/gateway.ts';
import { createCache } from '../../apollo-cache.ts';
import { createCacheExchange } from '../../urql-cache.ts';

const list =
  'query Live { webhookDeliveries(first: 50) { edges { node { __typename id nodeId status } } pageInfo { endCursor hasNextPage } } }';
const feed = `subscription Live {
  deliveryFeed { __typename ... on DeliveryArrived { delivery { __typename id nodeId status } } ... on FeedStateChanged { state missed } }
}`;

interface Row {
  readonly id: string | null;
}

interface FeedData {
  readonly deliveryFeed: { readonly delivery?: Row; readonly state?: string; readonly missed?: boolean };
}

interface ListData {
  readonly webhookDeliveries: { readonly edges: readonly { readonly node: Row }[] };
}

/** A client's own ways to follow a feed and to read the list from the network. */
interface ListClient {
  readonly follow: (take: (data: FeedData) => void) => () => void;
  readonly read: () => Promise<ListData | null | undefined>;
}

const headers = { authorization: 'Bearer a-key' };

const clients: Readonly<Record<string, (gateway: Gateway) => ListClient>> = {
  'Apollo Client'({ url }) {
    // It comes from another copy of the same version, whose private members are others to TypeScript.
    const cache = createCache() as object as ApolloCache;
    const client = new ApolloClient({ link: new HttpLink({ uri: `${url}/graphql`, headers }), cache });
    return {
      follow(take) {
        const following = client
          .subscribe<FeedData>({ query: gql(feed) })
          .subscribe(({ data }) => data != null && take(data));
        return () => {
          following.unsubscribe();
          client.stop();
        };
      },
      read: async () => (await client.query<ListData>({ query: gql(list), fetchPolicy: 'network-only' })).data,
    };
  },
  urql({ url }) {
    const exchanges = [createCacheExchange(), fetchExchange];
    const client = new Client({
      url: `${url}/graphql`,
      fetchOptions: { headers },
      exchanges,
      fetchSubscriptions: true,
    });
    return {
      follow(take) {
        const stream = client.subscription<FeedData>(feed, {});
        const following = stream.subscribe(({ data }) => data != null && take(data));
        return () => following.unsubscribe();
      },
      read: async () => (await client.query<ListData>(list, {}, { requestPolicy: 'network-only' })).data,
    };
  },
};

describe('a list that is live', () => {
  test.for(Object.entries(clients))(
    'has each delivery once in %s, and none is lost between list and feed',
    async ([, clientOf], { startWith, upstream }) => {
      const deliveries = new GrowingDeliveries();
      deliveries.add(Array.from({ length: 30 }, (_, index) => index));
      upstream.script(deliveries.answer);
      const { follow, read } = clientOf(await startWith({ SUBSCRIPTION_POLL_MS: '20' }));
      let [arrived, listed]: (readonly Row[])[] = [[], []];
      const reading: Promise<void>[] = [];
      const readAgain = async (): Promise<void> => {
        // Both have these.
        deliveries.add([40, 41]);
        listed = (await read())?.webhookDeliveries.edges.map(({ node }) => node) ?? [];
      };
      const leave = follow(({ deliveryFeed: { delivery, state, missed } }) => {
        if (delivery !== undefined) arrived = [...(arrived ?? []), delivery];
        if (state === 'LIVE' && (reading.length === 0 || missed === true)) reading.push(readAgain());
      });
      await expect.poll(() => reading.length).toBe(1);
      await Promise.all(reading);
      deliveries.add([42, 43, 44]);
      await expect.poll(() => arrived).toHaveLength(5);
      const shown = liveRows(arrived ?? [], listed ?? []).map(({ id }) => id);
      expect(shown).toEqual(deliveries.rows.map((row) => row['id']));
      leave();
    },
  );
});
