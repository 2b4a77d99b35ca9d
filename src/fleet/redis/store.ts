import { createFeeds } from './feeds.ts';
import { RedisLink } from './link.ts';
import { createNotices } from './notices.ts';
import { createReports } from './reports.ts';
import type { SharedStore } from '../shared-store.ts';
import type { StoreReport } from '../store-report.ts';

/** The name of this store in the metrics. */
export const storeName = 'redis';

/** Redis, or what speaks its language, as the store of all replicas in front of one API; the scope names that API. */
export function openRedisStore(url: string, scope: string, report: StoreReport): SharedStore {
  const link = new RedisLink(url, report);
  const store = {
    notices: createNotices(link, scope, report),
    reports: createReports(link),
    feeds: createFeeds(link, report),
    close: () => link.close(),
  };
  link.open();
  return store;
}
