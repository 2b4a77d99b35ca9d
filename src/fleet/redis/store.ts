import { createFeeds } from './feeds.ts';
import { RedisLink } from './link.ts';
import { createNotices } from './notices.ts';
import { createReports } from './reports.ts';
import type { ReportStore, SharedStore } from '../shared-store.ts';
import type { StoreObserver } from '../store-observer.ts';

/** The name of this store in the metrics. */
export const storeName = 'redis';

/** A store that keeps reports too. */
export interface RedisStore extends SharedStore {
  readonly reports: ReportStore;
}

/** Redis, or what speaks its language, as the store of all replicas in front of one API; the scope names that API. */
export function openRedisStore(url: string, scope: string, observer: StoreObserver): RedisStore {
  const link = new RedisLink(url, observer);
  const store = {
    notices: createNotices(link, scope, observer),
    reports: createReports(link),
    feeds: createFeeds(link, observer),
    close: () => link.close(),
  };
  link.open();
  return store;
}
