import type { AppConfig } from '../config.ts';
import type { ShareFeed } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { SharedReports } from '../upstream/answers.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import { createCallerSecrets } from './caller-secrets.ts';
import { createFeedSharing } from './shared-feed.ts';
import { createSharedLimits } from './shared-notices.ts';
import { createSharedReports } from './shared-reports.ts';
import type { SharedStore, WorkerStore } from './shared-store.ts';
import { createStoreObserver } from './store-observer.ts';

/** What this process shares with the others. */
export interface Fleet {
  readonly limits: SharedLimits;
  /** Undefined where reports are not kept. */
  readonly reports: SharedReports | undefined;
  /** Undefined where each process polls for itself. */
  readonly shareFeed: ShareFeed | undefined;
  close(): Promise<void>;
}

/** Opens the shared state that is configured, else that of the workers; null where there is none. Does not wait for the store. */
export async function openFleet(
  config: AppConfig,
  workerStore: WorkerStore | null,
  metrics: Metrics,
  log: Log,
): Promise<Fleet | null> {
  const { sharedStateUrl, upstreamBaseUrl } = config;
  if (sharedStateUrl === null) return workerStore && createFleet(workerStore, config, () => {});
  // The client is loaded only where it is used.
  const { openRedisStore, storeName } = await import('./redis/store.ts');
  const observer = createStoreObserver(storeName, metrics, log);
  const store = openRedisStore(sharedStateUrl, upstreamBaseUrl, observer);
  return createFleet(store, config, () => observer.count('reports', 'unusable'));
}

/** Shares over a store: of callers it gets names and sealed bytes, which other keys and other APIs do not open. */
function createFleet(store: SharedStore | WorkerStore, config: AppConfig, countUnusable: () => void): Fleet {
  const { upstreamBaseUrl, reportCacheMs, reportCacheBytes } = config;
  const secretsOf = createCallerSecrets(upstreamBaseUrl);
  const isKeeping = reportCacheMs > 0 && reportCacheBytes > 0;
  return {
    limits: createSharedLimits(store.notices, secretsOf),
    reports: isKeeping ? createSharedReports(store, secretsOf, reportCacheMs, countUnusable) : undefined,
    shareFeed: store.feeds === null ? undefined : createFeedSharing(store.feeds, secretsOf),
    close: () => store.close(),
  };
}
