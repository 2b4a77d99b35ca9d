import { cacheExchange, Client, fetchExchange, mapExchange, type Exchange } from 'urql';
import { fetchExactly } from './exact-numbers.ts';
import { failuresOf, isRefusal } from './failure.ts';

/** Whether a response shows that the platform takes the key; not called for one that shows neither. */
type OnAnswer = (isRefused: boolean) => void;

/**
 * A client for one key, which lives in this closure and nowhere else. A new key gets a new client, so that no cache ever
 * shows one account's data to another. Requests are POSTs: nothing of them gets into an address.
 */
export function createClient(key: string, onAnswer: OnAnswer): Client {
  const headers = { authorization: `Bearer ${key}` };
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    exchanges: [cacheExchange, answerExchange(onAnswer), fetchExchange],
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
