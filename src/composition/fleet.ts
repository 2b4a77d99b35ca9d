import type { AppConfig } from '../config.ts';
import { createCallerSecrets } from '../fleet/caller-secrets.ts';
import { createFeedSharing } from '../fleet/shared-feed.ts';
import { createSharedBreakers } from '../fleet/shared-breakers.ts';
import { createSharedLimits } from '../fleet/shared-limits.ts';
import { createSharedReports } from '../fleet/shared-reports.ts';
import type { SharedStore, WorkerStore } from '../fleet/shared-store.ts';
import { createStoreObserver } from '../fleet/store-observer.ts';
import type { ShareFeed } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { SharedReports } from '../upstream/shared-reports.ts';
import type { SharedBreakers } from '../upstream/stages/breaker.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';

/** What this process shares with the others. */
export interface Fleet {
  readonly limits: SharedLimits;
  /** Undefined where reports are not kept. */
  readonly reports: SharedReports | undefined;
  /** Undefined where each process polls for itself. */
  readonly shareFeed: ShareFeed | undefined;
  /** Those of the workers of this process, also where replicas share a store. Undefined where there is one worker. */
  readonly breakers: SharedBreakers | undefined;
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
  const breakers = breakersOver(workerStore);
  if (sharedStateUrl === null) return workerStore && { ...createFleet(workerStore, config, () => {}), breakers };
  // The client is loaded only where it is used.
  const { openRedisStore, storeName } = await import('../fleet/redis/store.ts');
  const observer = createStoreObserver(storeName, metrics, log);
  const store = openRedisStore(sharedStateUrl, upstreamBaseUrl, observer);
  return { ...createFleet(store, config, () => observer.count('reports', 'unusable')), breakers };
}

/** Workers reach the API in the same way, and replicas perhaps not: each replica judges for itself. */
function breakersOver(workerStore: WorkerStore | null): SharedBreakers | undefined {
  return workerStore === null ? undefined : createSharedBreakers(workerStore.notices);
}

/** Shares over a store: of callers it gets names and sealed bytes, which other keys and other APIs do not open. */
function createFleet(
  store: SharedStore | WorkerStore,
  config: AppConfig,
  countUnusable: () => void,
): Omit<Fleet, 'breakers'> {
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
