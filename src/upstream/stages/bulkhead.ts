import type { UpstreamMetrics } from '../../telemetry/upstream-metrics.ts';
import type { ResponseHead } from '../response/wire-response.ts';
import type { CallerCount } from './caller-counts.ts';
import type { Check, Passage } from './checks.ts';
import { SlotPool, type SlotPoolOptions } from './slot-pool.ts';

/** How many calls may be under way and wait; see `SlotPoolOptions`. */
export type BulkheadOptions = Omit<SlotPoolOptions, 'leavesRoom' | 'observeWait'>;

/**
 * Lets a bounded number of calls through at once. The others wait, in a queue that is bounded in length and time. A call that
 * cannot wait fails with UPSTREAM_UNAVAILABLE at once, and the error says when to come back.
 *
 * A free slot goes to the caller who holds the fewest, and a full queue makes room at the cost of the caller who fills it, so
 * that one busy caller does not shut out the others. Callers whose keys may be made up share a quarter of all slots. A streamed
 * response holds its slot until its body has ended.
 */
export function limitConcurrency(
  options: BulkheadOptions,
  metrics?: Pick<UpstreamMetrics, 'watchSlots' | 'observeWait'>,
): readonly Check[] {
  const { most } = options;
  const poolOf = (pool: 'calls' | 'downloads', ofPool: Partial<SlotPoolOptions> = {}): SlotPool =>
    new SlotPool({
      ...options,
      ...ofPool,
      observeWait: (outcome, seconds) => metrics?.observeWait(pool, outcome, seconds),
    });
  const slots = poolOf('calls');
  // A download takes as long as its reader likes: slow readers must not hold all slots, so downloads have half of them. Nor may
  // a few callers hold all of those: the first caller gets half, the next half of what is left, and a caller without any gets
  // what there is.
  const downloadSlots = poolOf('downloads', { most: Math.max(1, Math.floor(most / 2)), leavesRoom: true });
  metrics?.watchSlots(() => ({ calls: slots.reading, downloads: downloadSlots.reading }));
  const enterDownload = takeSlot(downloadSlots);
  return [(request, now) => (request.isStreamed ? enterDownload(request, now) : null), takeSlot(slots)];
}

function takeSlot(slots: SlotPool): Check {
  return ({ caller: { identity }, signal }) => {
    const held = signal.aborted ? null : slots.tryAcquire(identity);
    if (held !== null) return new SlotPassage(slots, held);
    return slots.acquire(identity, signal).then((later) => new SlotPassage(slots, later));
  };
}

class SlotPassage implements Passage {
  readonly #slots: SlotPool;
  readonly #held: CallerCount;

  constructor(slots: SlotPool, held: CallerCount) {
    this.#slots = slots;
    this.#held = held;
  }

  answered({ whenClosed }: ResponseHead): void {
    if (whenClosed === undefined) this.#release();
    else whenClosed(() => this.#release());
  }

  failed(): void {
    this.#release();
  }

  #release(): void {
    this.#slots.release(this.#held);
  }
}
