import type { Exchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { cacheSettings } from '../../client/src/urql.ts';

/** A cache that appends pages, and finds a row by `id` in the lists that it has read. */
export const createCacheExchange = (): Exchange => cacheExchange(cacheSettings(relayPagination));
