import { createClient as createStreamClient } from 'graphql-sse';
import { cacheExchange, Client, fetchExchange, mapExchange, subscriptionExchange, type Exchange } from 'urql';
import { fetchExactly } from './exact-numbers.ts';
import { failuresOf, isRefusal } from './failure.ts';

const url = '/graphql';

/** Whether a response shows that the platform takes the key; not called for one that shows neither. */
type OnAnswer = (isRefused: boolean) => void;

/**
 * A client for one key, which lives in this closure and nowhere else. A new key gets a new client, so that no cache ever
 * shows one account's data to another. Requests are POSTs: nothing of them gets into an address.
 */
export function createClient(key: string, onAnswer: OnAnswer): Client {
  const headers = { authorization: `Bearer ${key}` };
  return new Client({
    url,
    preferGetMethod: false,
    exchanges: [cacheExchange, answerExchange(onAnswer), streamExchange(headers), fetchExchange],
    fetch: fetchExactly,
    fetchOptions: () => ({ headers, credentials: 'omit', cache: 'no-store' }),
  });
}

function answerExchange(onAnswer: OnAnswer): Exchange {
  return mapExchange({
    onResult({ data, error }: { data?: unknown; error?: Parameters<typeof failuresOf>[0] }) {
      if (failuresOf(error).some(isRefusal)) onAnswer(true);
      else if (data != null && error === undefined) onAnswer(false);
    },
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
