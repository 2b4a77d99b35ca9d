import { onTestFinished } from 'vitest';
import type { SharedStore } from '../../src/fleet/shared-store.ts';
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
export function open(url: string, now?: () => number): Watched {
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
    now,
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

/** Asks for everything that waits for a reply. */
export async function askAll({ reports }: SharedStore): Promise<readonly unknown[]> {
  return Promise.all(['a', 'b', 'c', 'd'].map((report) => reports.get('caller', report)));
}
/** What comes of that without a store. */
export const nothing = [null, null, null, null];
