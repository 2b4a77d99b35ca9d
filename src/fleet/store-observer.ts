import { stableStoreMs } from '../bounds.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Milliseconds without refusals after which the store counts as up again, and the next refusal of a kind as another outage. */
export const refusalsApartMs = 300_000;

/** What a command is for; `link` for the connection itself. */
export type StoreFeature = 'notices' | 'reports' | 'feeds' | 'link';

/** How a command ended. `unusable`: the reply was none that a replica has written. */
type StoreOutcome = 'answered' | 'late' | 'refused' | 'away' | 'full' | 'unusable';

/** Learns how the store does: every command is counted, and an outage is logged once, at its beginning and at its end. */
export interface StoreObserver {
  count(feature: StoreFeature, outcome: StoreOutcome): void;
  up(): void;
  /** `reason` is a word of a closed set. */
  down(reason: string): void;
  /** The store has answered with an error of this kind, such as OOM or READONLY; `nonsense`: with what no replica has written. */
  refused(kind: string): void;
}

/** An observer that takes the store for away at first. `store` names it in the metrics; `now` is in milliseconds. */
export function createStoreObserver(
  store: string,
  metrics: Pick<Metrics, 'countStoreCommand' | 'watch'>,
  log: Log,
  now = (): number => performance.now(),
): StoreObserver {
  /** When the last refusal of each kind came. */
  const refusals = new Map<string, number>();
  let isUp = false;
  let isLoggedAway = false;
  let backAgain: NodeJS.Timeout | undefined;
  // One that is full, or lies, is not there for whoever needs it.
  metrics.watch('storeUp', () => [[Number(isUp && !refusals.values().some(isRecent)), store]]);

  function refused(kind: string): void {
    const isNew = !isRecent(refusals.get(kind) ?? -Infinity);
    refusals.set(kind, now());
    if (isNew)
      log.warn({ reason: kind }, 'shared state refuses commands: this process does what they are for by itself');
  }

  function isRecent(moment: number): boolean {
    return now() - moment < refusalsApartMs;
  }

  return {
    count(feature, outcome) {
      metrics.countStoreCommand(feature, outcome);
      if (outcome === 'unusable') refused('nonsense');
    },
    up() {
      isUp = true;
      if (!isLoggedAway) return;
      // A store that comes and goes is one outage.
      backAgain = setTimeout(() => {
        isLoggedAway = false;
        log.info('shared state is back');
      }, stableStoreMs);
      backAgain.unref();
    },
    down(reason) {
      isUp = false;
      clearTimeout(backAgain);
      if (isLoggedAway) return;
      isLoggedAway = true;
      log.warn({ reason }, 'shared state is away: this process goes on by itself');
    },
    refused,
  };
}
