import { cacheExchange, Client, fetchExchange } from 'urql';
import { fetchExactly } from './exact-numbers.ts';

/**
 * A client for one key, which lives in this closure and nowhere else. A new key gets a new client, so that no cache ever
 * shows one account's data to another. Requests are POSTs: nothing of them gets into an address.
 */
export function createClient(key: string): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    exchanges: [cacheExchange, fetchExchange],
    fetch: fetchExactly,
    fetchOptions: () => ({ headers: { authorization: `Bearer ${key}` }, credentials: 'omit', cache: 'no-store' }),
  });
}
