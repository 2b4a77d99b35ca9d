import type { Registry } from 'prom-client';
import { createGauge } from './gauge.ts';
import { createPairCounter } from './tallied-counter.ts';

/** The metrics of the state that replicas share. */
export interface StoreMetrics {
  /** One command, by what it is for and by how it ended. */
  countStoreCommand(feature: string, outcome: string): void;
  /** `read` runs whenever the metrics are printed: whether the store of this name is there. */
  watchStore(store: string, read: () => boolean): void;
}

/** Creates the metrics of shared state in a registry. They have no values in a process that shares nothing. */
export function createStoreMetrics(registry: Registry): StoreMetrics {
  const watched: { readonly store: string; readonly isUp: () => boolean }[] = [];
  createGauge(
    'switchboard_shared_state_up',
    'Whether the store of shared state is there (1), or this process goes on by itself (0).',
    ['store'],
    () => watched.map(({ store, isUp }) => ({ labels: { store }, value: Number(isUp()) })),
    registry,
  );
  return {
    countStoreCommand: createPairCounter(['feature', 'outcome'], {
      name: 'switchboard_shared_state_commands_total',
      help: 'Commands to the store of shared state by feature and by how they ended; away: nothing was sent.',
      registers: [registry],
    }),
    watchStore: (store, isUp) => void watched.push({ store, isUp }),
  };
}
