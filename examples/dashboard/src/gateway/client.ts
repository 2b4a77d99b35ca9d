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

/** The context of a subscription. */
export interface StreamContext {
  /** Called whenever the stream begins, even after an interruption: deliveries from before are not in it. */
  readonly onConnected: () => void;
}

/** Subscriptions over server-sent events, a connection for each, which the library opens again when it breaks. */
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
