import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { cachePolicies } from '@switchboard-gateway/client/apollo';

// Types follow the policy of errors.
declare module '@apollo/client' {
  namespace ApolloClient.DeclareDefaultOptions {
    interface WatchQuery {
      errorPolicy: 'all';
    }
  }
}

/** A client for one key. Queries have errors beside their data, and ask again for what is shown from the cache. */
export const createClient = (uri: string, key: string): ApolloClient =>
  new ApolloClient({
    link: new HttpLink({ uri, headers: { authorization: `Bearer ${key}` } }),
    cache: new InMemoryCache(cachePolicies(relayStylePagination)),
    defaultOptions: { watchQuery: { errorPolicy: 'all', fetchPolicy: 'cache-and-network' } },
  });

/** The gateway, behind the origin of the page (`vite.config.ts`). */
export const url = '/graphql';
