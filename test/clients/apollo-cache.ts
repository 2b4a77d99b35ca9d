import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { cachePolicies } from '../../client/src/apollo.ts';

/** A cache that appends pages, and finds a row by `id` in the lists that it has read. */
export const createCache = (): InMemoryCache => new InMemoryCache(cachePolicies(relayStylePagination));
