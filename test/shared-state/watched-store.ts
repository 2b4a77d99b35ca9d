import { onTestFinished } from 'vitest';
import type { Claim, SharedStore } from '../../src/fleet/shared-store.ts';
import { openRedisStore } from '../../src/fleet/redis/store.ts';
import { createStoreObserver } from '../../src/fleet/store-observer.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startScriptedStore, type ScriptedStore } from './scripted-store.ts';

/** A client of a store, and what it has logged and counted. */
export interface Watched {
  readonly store: SharedStore;
  readonly log: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly isUp: () => boolean;
}

/** Opens a client of the store at this address, which ends with the test. */
export function open(url: string): Watched {
  const log: string[] = [];
  const counts: Record<string, number> = {};
  let isUp = (): boolean => false;
  const metrics = {
    countStoreCommand: (feature: string, outcome: string) => {
      counts[`${feature} ${outcome}`] = (counts[`${feature} ${outcome}`] ?? 0) + 1;
    },
    watchStore: (_store: string, read: () => boolean) => void (isUp = read),
  };
  const observer = createStoreObserver(
    'redis',
    metrics,
    createLog('debug', { write: (line: string) => void log.push(line) }),
  );
  const store = openRedisStore(url, 'https://api.example.com/v2', observer);
  onTestFinished(() => store.close());
  return { store, log, counts, isUp: () => isUp() };
}

/** Starts a scripted store that ends with the test. */
export async function startStore(): Promise<ScriptedStore> {
  const scripted = await startScriptedStore();
  onTestFinished(() => scripted.close());
  return scripted;
}

export const claim: Claim = { token: 't'.repeat(22), heartbeat: Buffer.from('heartbeat'), leaseMs: 1_000 };
export const missing = Buffer.from('');

/** Asks for everything that waits for a reply. */
export async function askAll({ reports, feeds }: SharedStore): Promise<readonly unknown[]> {
  return Promise.all([
    reports.get('caller', 'report'),
    feeds.look('feed', claim, null),
    feeds.look('feed', claim, '1-1'),
    feeds.renew('feed', claim, missing),
  ]);
}
/** What comes of that without a store. */
export const nothing = [null, null, null, false];
