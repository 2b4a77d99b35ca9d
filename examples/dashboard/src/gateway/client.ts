import { createClient as createStreamClient } from 'graphql-sse';
import { cacheExchange, Client, fetchExchange, subscriptionExchange, type Exchange } from 'urql';
import { fetchExactly } from './exact-numbers.ts';

const url = '/graphql';

/**
 * A client for one key, which lives in this closure and nowhere else. A new key gets a new client, so that no cache ever
 * shows one account's data to another. Requests are POSTs: nothing of them gets into an address.
 */
export function createClient(key: string): Client {
  const headers = { authorization: `Bearer ${key}` };
  return new Client({
    url,
    preferGetMethod: false,
    exchanges: [cacheExchange, streamExchange(headers), fetchExchange],
    fetch: fetchExactly,
    fetchOptions: () => ({ headers, credentials: 'omit', cache: 'no-store' }),
  });
}

/** What a subscription may be given as its context. */
export interface StreamContext {
  /** Told whenever the stream begins, also after it was interrupted: what appeared before is not in it. */
  readonly onConnected: () => void;
}

/** Subscriptions over server-sent events, a connection for each, which the library begins again where it breaks off. */
function streamExchange(headers: Record<string, string>): Exchange {
  const streams = createStreamClient({ url, headers, credentials: 'omit' });
  return subscriptionExchange({
    forwardSubscription: ({ query = '', variables = {} }, { context }) => {
      const { onConnected: connected } = context as Partial<StreamContext>;
      return {
        subscribe: (sink) => ({
          unsubscribe: streams.subscribe({ query, variables }, sink, { ...(connected && { connected }) }),
        }),
      };
    },
  });
}
