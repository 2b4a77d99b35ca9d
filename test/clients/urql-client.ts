import { Client, fetchExchange, type Exchange } from '@urql/core';
import type { Gateway } from '../support/gateway.ts';

/** An urql client in front of a gateway, with the cache of your choice. */
export function createClient({ url }: Gateway, cache: Exchange): Client {
  return new Client({
    url: `${url}/graphql`,
    fetchOptions: { headers: { authorization: 'Bearer urql-key' } },
    exchanges: [cache, fetchExchange],
  });
}
