import { availableParallelism } from 'node:os';
import type { AppConfig, Config } from '../config.ts';

/** How many workers serve. Each has at least one of the calls that may be under way at once. */
export function workerCount({ workers, upstreamMaxConcurrency }: Config): number {
  return workers === 'auto' ? Math.min(availableParallelism(), upstreamMaxConcurrency) : workers;
}

/** What the whole process may have, and each worker a part of. */
const divided = [
  'upstreamMaxConcurrency',
  'upstreamQueueSize',
  'upstreamMaxHeldBytes',
  'reportCacheBytes',
  'subscriptionMaxFeeds',
  'subscriptionMaxStreams',
  'subscriptionBufferBytes',
] as const;

/** The settings of one worker of several: its part of what the process may have. All parts together are the whole. */
export function configOfWorker(config: AppConfig, index: number, count: number): AppConfig {
  const parts = divided.map((name) => [name, Math.floor((config[name] + index) / count)] as const);
  return { ...config, workerCount: count, ...Object.fromEntries(parts) };
}
