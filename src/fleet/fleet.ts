import { LRUCache } from 'lru-cache';
import { longestRetryAfterMs } from '../bounds.ts';
import type { AppConfig } from '../config.ts';
import type { ShareFeed } from '../live/feed-share.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CallerKey } from '../upstream/credential.ts';
import type { SharedReports } from '../upstream/shared-answers.ts';
import type { SharedLimits } from '../upstream/stages/rate-limit.ts';
import { createCallerSecrets, type SecretsOf } from './caller-secrets.ts';
import { createFeedSharing } from './shared-feed.ts';
import { createSharedReports } from './shared-reports.ts';
import type { SharedStore, Notices } from './shared-store.ts';
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
  workerStore: SharedStore | null,
  metrics: Metrics,
  log: Log,
): Promise<Fleet | null> {
  const { sharedStateUrl, upstreamBaseUrl } = config;
  if (sharedStateUrl === null) return workerStore && createFleet(workerStore, config, () => {});
  // The client is loaded only where it is used.
  const { openRedisStore, storeName } = await import('./redis.ts');
  const observer = createStoreObserver(storeName, metrics, log);
  const store = openRedisStore(sharedStateUrl, upstreamBaseUrl, observer);
  return createFleet(store, config, () => observer.count('reports', 'unusable'));
}

/** Shares over a store: of callers it gets names and sealed bytes, which other keys and other APIs do not open. */
function createFleet(store: SharedStore, config: AppConfig, countUnusable: () => void): Fleet {
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

/** Limits of others that a replica remembers: some megabytes. */
const keptNotices = 10_000;

const context = 'limit';

/**
 * The used-up rate limits that other replicas have met. A notice is sealed with its caller's key, so only this caller's calls
 * open it, and a store that makes notices up stops nobody. It tells the moment of the reset by the machines' clocks.
 */
function createSharedLimits(notices: Notices, secretsOf: SecretsOf): SharedLimits {
  /** By the name that the caller's secrets give the limit: what was sealed, or, once it is known, when performance.now() resets it. */
  const limits = new LRUCache<string, string | number>({ max: keptNotices });

  notices.watch(({ kind, name, value }) => {
    if (kind === 'limit') limits.set(name, value);
  });

  function resetIn(caller: CallerKey, sealed: string): number {
    const waitMs = Number(secretsOf(caller).openText(context, sealed)) - Date.now();
    return waitMs > 0 && waitMs <= longestRetryAfterMs ? performance.now() + waitMs : 0;
  }

  /** Nobody without the key learns of which endpoint a limit is. */
  function nameOf(caller: CallerKey, endpoint: string): string {
    return secretsOf(caller).nameOf(`${context} ${endpoint}`);
  }

  return {
    waitOf(caller, endpoint) {
      // Most of the time nobody is limited, and calls cost nothing here.
      if (limits.size === 0) return 0;
      const name = nameOf(caller, endpoint);
      const limit = limits.get(name);
      if (limit === undefined) return 0;
      const reset = typeof limit === 'number' ? limit : resetIn(caller, limit);
      const waitMs = Math.max(0, reset - performance.now());
      if (waitMs === 0) limits.delete(name);
      else limits.set(name, reset);
      return waitMs;
    },
    tell(caller, endpoint, waitMs) {
      const value = secretsOf(caller).sealText(context, String(Math.ceil(Date.now() + waitMs)));
      notices.send({ kind: 'limit', name: nameOf(caller, endpoint), value });
    },
  };
}
