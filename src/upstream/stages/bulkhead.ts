import { runAfter, type CancelSignal } from '../../cancellation.ts';
import type { Config } from '../../config.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { TransientMap } from '../transient-map.ts';
import { type ResponseHead, UnsentError } from '../response/wire-response.ts';
import { unknownShare, type KnownCallers } from './known-callers.ts';
import type { Send, Stage } from '../call.ts';

/** The part of the slots, one in so many, that a caller leaves to others: sixteen of 128 serve hundreds of short calls a second. */
const spareSlots = 8;

/** A caller who holds one slot leaves this part free, and one slot more for each that it holds: half of the above. */
const leastSpareSlots = 16;

type BulkheadOptions = Pick<Config, 'upstreamMaxConcurrency' | 'upstreamQueueSize' | 'upstreamQueueTimeoutMs'>;

/**
 * Lets a bounded number of calls through at once. The others wait, in a queue that is bounded in length and time. A call that
 * cannot wait fails with UPSTREAM_UNAVAILABLE at once, and the error says when to come back.
 *
 * However long calls last, no caller holds the slots that others need: the more a caller holds, the more it leaves free. A free
 * slot goes to the caller who holds the fewest, and a full queue makes room at the cost of the caller who fills it. Unknown callers,
 * whose keys may be made up, first need one of a quarter of the slots. A streamed response holds its slot until its body has ended.
 */
export function limitConcurrency(
  options: BulkheadOptions,
  known: KnownCallers,
  metrics?: Pick<Metrics, 'watch' | 'observeWait'>,
): Stage {
  const { upstreamMaxConcurrency: most, upstreamQueueSize: queueSize } = options;
  const poolOf = (pool: 'calls' | 'downloads', own: Partial<SlotPoolOptions>): SlotPool =>
    new SlotPool({
      most,
      queueSize,
      queueTimeoutMs: options.upstreamQueueTimeoutMs,
      sparePart: spareSlots,
      observeWait: (outcome, seconds) => metrics?.observeWait(pool, outcome, seconds),
      ...own,
    });
  const unknownQueue = Math.min(queueSize, unknownShare(queueSize));
  const unknownSlots = poolOf('calls', { most: unknownShare(most), queueSize: unknownQueue });
  // A download takes as long as its reader likes: slow readers must not hold all slots, so downloads have half of them. Nor may
  // a few callers hold all of those: the first caller gets half, the next half of what is left.
  const downloadSlots = poolOf('downloads', { most: Math.max(1, Math.floor(most / 2)), sparePart: 1 });
  const slots = poolOf('calls', {});
  const watch = (gauge: 'slots' | 'callsInFlight' | 'callsQueued', read: (pool: SlotPool['reading']) => number) =>
    metrics?.watch(gauge, () => [
      [read({ ...slots.reading, queued: slots.reading.queued + unknownSlots.reading.queued }), 'calls'],
      [read(downloadSlots.reading), 'downloads'],
    ]);
  watch('slots', (reading) => reading.most);
  watch('callsInFlight', (reading) => reading.held);
  watch('callsQueued', (reading) => reading.queued);
  return <A extends ResponseHead>(next: Send<A>): Send<A> => {
    const ofCall = holdSlot(slots, next);
    const ofDownload = holdSlot(downloadSlots, ofCall);
    const ofKnown: Send<A> = (sending) => (sending.isStreamed ? ofDownload : ofCall)(sending);
    // Its first response tells whether a caller is known, whatever is still to come of that.
    const ofUnknown = holdSlot(unknownSlots, ofKnown, true);
    return (sending) => (known.has(sending.identity) ? ofKnown : ofUnknown)(sending);
  };
}

/** Has calls hold a slot until their response has ended, or only until it has begun. */
function holdSlot<A extends ResponseHead>(slots: SlotPool, next: Send<A>, isReleasedAtHead = false): Send<A> {
  return async (sending) => {
    const holder = await slots.acquire(sending.identity, sending.signal);
    const release = (): void => slots.release(holder);
    try {
      const response = await next(sending);
      if (isReleasedAtHead || response.whenClosed === undefined) release();
      else response.whenClosed(release);
      return response;
    } catch (error) {
      release();
      throw error;
    }
  };
}

export interface SlotPoolOptions {
  /** The number of slots: calls under way at once. */
  readonly most: number;
  /** However many slots a caller holds, it need not leave more than this part of all to the others: one in so many. */
  readonly sparePart: number;
  /** Calls that may wait for a slot. */
  readonly queueSize: number;
  /** The longest wait, in milliseconds. */
  readonly queueTimeoutMs: number;
  /** Runs for each call that got no slot at once, when its wait is over. */
  readonly observeWait?: (outcome: WaitOutcome, seconds: number) => void;
}

/** How a call that had to wait for a slot went on. */
type WaitOutcome = 'admitted' | 'refused' | 'aborted';

/** A caller who holds slots or waits for one. */
export interface SlotHolder {
  readonly identity: string;
  held: number;
  /** The call that has waited longest comes first. */
  readonly waiting: Waiter[];
}

/** One call that waits for a slot. Both functions take it out of the queue. */
interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Slots that are shared out fairly: a free slot goes to the caller who holds the fewest; among callers who hold equally few, to who has had
 * nothing for longest.
 *
 * A caller who holds slots takes one more only while more are free than it holds and a sixteenth of all (or than `sparePart`).
 * So there is a slot for a caller who has none, even where several callers hold as many as they can.
 */
export class SlotPool {
  readonly #options: SlotPoolOptions;
  /** In the order in which they last got or gave back a slot, or began to wait. */
  readonly #callers = new TransientMap<string, SlotHolder>();
  #held = 0;
  #queued = 0;

  constructor(options: SlotPoolOptions) {
    this.#options = options;
  }

  /** The slots, and the calls that hold them and wait for them now. */
  get reading() {
    return { most: this.#options.most, held: this.#held, queued: this.#queued };
  }

  /** A slot, which `release` takes back, at once if there is one. Rejects with UPSTREAM_UNAVAILABLE, or the signal's reason. */
  acquire(identity: string, signal: CancelSignal): SlotHolder | Promise<SlotHolder> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const caller = this.#callers.get(identity) ?? { identity, held: 0, waiting: [] };
    return this.#mayTake(caller) ? this.#take(caller) : this.#wait(caller, signal);
  }

  /** Takes back one of the slots that a caller holds. */
  release(holder: SlotHolder): void {
    holder.held--;
    this.#held--;
    this.#placeLast(holder);
    if (this.#queued > 0) this.#admitWaiting();
  }

  #mayTake({ held }: SlotHolder): boolean {
    const { most, sparePart } = this.#options;
    const atLeast = Math.floor(most / leastSpareSlots);
    // A caller who holds none leaves none.
    const left = held === 0 ? 0 : Math.min(held + atLeast, Math.ceil(most / sparePart), most - 1);
    return most - this.#held > left;
  }

  #take(caller: SlotHolder): SlotHolder {
    caller.held++;
    this.#held++;
    this.#placeLast(caller);
    return caller;
  }

  #placeLast(caller: SlotHolder): void {
    this.#callers.delete(caller.identity);
    if (caller.held + caller.waiting.length > 0) this.#callers.set(caller.identity, caller);
  }

  #wait(caller: SlotHolder, signal: CancelSignal): Promise<SlotHolder> {
    const { queueSize, queueTimeoutMs, observeWait } = this.#options;
    if (this.#queued >= queueSize && !this.#refuseLongest(caller)) {
      observeWait?.('refused', 0);
      return Promise.reject(tooBusy());
    }
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (outcome: WaitOutcome): void => {
        observeWait?.(outcome, (performance.now() - started) / 1000);
        stopTime();
        signal.removeEventListener('abort', abort);
        caller.waiting.splice(caller.waiting.indexOf(waiter), 1);
        this.#queued--;
        if (caller.held + caller.waiting.length === 0) this.#callers.delete(caller.identity);
      };
      const waiter: Waiter = {
        admit: () => {
          settle('admitted');
          resolve(this.#take(caller));
        },
        refuse(error) {
          settle(signal.aborted ? 'aborted' : 'refused');
          reject(error);
        },
      };
      const abort = (): void => waiter.refuse(signal.reason);
      const stopTime = runAfter(queueTimeoutMs, () => waiter.refuse(tooBusy()));
      signal.addEventListener('abort', abort);
      this.#queued++;
      if (caller.waiting.push(waiter) === 1) this.#placeLast(caller);
    });
  }

  #admitWaiting(): void {
    for (let next = this.#nextCaller(); next !== undefined && this.#mayTake(next); next = this.#nextCaller())
      next.waiting[0]?.admit();
  }

  /** Of the callers who wait, the first of those who hold the fewest slots. */
  #nextCaller(): SlotHolder | undefined {
    let next: SlotHolder | undefined;
    for (const caller of this.#callers.values())
      if (caller.waiting.length > 0 && caller.held < (next?.held ?? Infinity)) next = caller;
    return next;
  }

  /** Refuses the last call of the longest line, if that line is longer than the caller's own would be; false where none is. */
  #refuseLongest(caller: SlotHolder): boolean {
    let longest: readonly Waiter[] = [];
    for (const { waiting } of this.#callers.values()) if (waiting.length > longest.length) longest = waiting;
    if (longest.length <= caller.waiting.length + 1) return false;
    longest.at(-1)?.refuse(tooBusy());
    return true;
  }
}

function tooBusy(): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
