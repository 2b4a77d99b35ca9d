import { unknownCallersPart } from '../../bounds.ts';
import { runAfter, type CancelSignal } from '../../cancellation.ts';
import type { SlotReading, Metrics, WaitOutcome } from '../../telemetry/metrics.ts';
import { TransientMap } from '../transient-map.ts';
import { UnsentError } from '../response/wire-response.ts';
import { everybodyKnown, unknownShare, type KnownCallers } from './known-callers.ts';
import type { Stage } from '../call.ts';

/** The part of the slots, one in so many, that a caller leaves to others: sixteen of 128 serve hundreds of short calls a second. */
const spareSlots = 8;

/** A caller who holds one slot leaves this part free, and one slot more for each that it holds: half of the above. */
const leastSpareSlots = 16;

/** How many calls may be under way and wait; see `SlotPoolOptions`. */
export type BulkheadOptions = Omit<SlotPoolOptions, 'sparePart' | 'observeWait'>;

/**
 * Lets a bounded number of calls through at once. The others wait, in a queue that is bounded in length and time. A call that
 * cannot wait fails with UPSTREAM_UNAVAILABLE at once, and the error says when to come back.
 *
 * However long calls last, no caller holds the slots that others need: the more a caller holds, the more it leaves free. A free
 * slot goes to the caller who holds the fewest, and a full queue makes room at the cost of the caller who fills it. Callers
 * whose keys may be made up share a quarter of all slots. A streamed response holds its slot until its body has ended.
 */
export function limitConcurrency(
  options: BulkheadOptions,
  metrics?: Pick<Metrics, 'watchSlots' | 'observeWait'>,
): readonly Stage[] {
  const poolOf = (pool: 'calls' | 'downloads', most: number, part: number): SlotPool =>
    new SlotPool({
      ...options,
      most,
      sparePart: part,
      observeWait: (outcome, seconds) => metrics?.observeWait(pool, outcome, seconds),
    });
  const slots = poolOf('calls', options.most, spareSlots);
  // A download takes as long as its reader likes: slow readers must not hold all slots, so downloads have half of them. Nor may
  // a few callers hold all of those: the first caller gets half, the next half of what is left.
  const downloadSlots = poolOf('downloads', Math.max(1, Math.floor(options.most / 2)), 1);
  metrics?.watchSlots(() => ({ calls: slots.reading, downloads: downloadSlots.reading }));
  const holdDownload = holdSlot(downloadSlots);
  const holdIfStreamed: Stage = (next) => {
    const held = holdDownload(next);
    return (sending) => (sending.isStreamed ? held(sending) : next(sending));
  };
  return [holdIfStreamed, holdSlot(slots)];
}

function holdSlot(slots: SlotPool): Stage {
  return (next) => async (sending) => {
    const acquired = slots.acquire(sending.caller.identity, sending.signal);
    const holder = acquired instanceof Promise ? await acquired : acquired;
    const release = (): void => slots.release(holder);
    try {
      const response = await next(sending);
      if (response.whenClosed === undefined) release();
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
  /** All unknown callers together may have a quarter of the slots and of the queue; absent: everybody is known. */
  readonly known?: KnownCallers;
  /** Runs for each call that got no slot at once, when its wait is over. */
  readonly observeWait?: (outcome: WaitOutcome, seconds: number) => void;
}

/** A caller who holds slots or waits for one. */
export interface SlotHolder {
  readonly identity: string;
  held: number;
  /** The call that has waited longest comes first. */
  readonly waiting: Waiter[];
  /** When it last got or gave back a slot, or began to wait, as a number that grows with each. */
  lastUse: number;
}

/** One call that waits for a slot. Both functions take it out of the queue. */
interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Slots that are shared out fairly: a free slot goes to the caller who holds the fewest. Among callers who hold equally few,
 * known and unknown callers alternate; then the caller comes first who has had nothing for longest.
 *
 * A caller who holds slots takes one more only while more are free than it holds and a sixteenth of all (or than `sparePart`).
 * So there is a slot for a caller who has none, even where several callers hold as many as they can. A caller becomes known by a response,
 * before that gives back its slot: then the callers who wait are looked at anew.
 */
export class SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #known: KnownCallers;
  readonly #callers = new TransientMap<string, SlotHolder>();
  #held = 0;
  #queued = 0;
  #uses = 0;
  #wasUnknown = false;

  constructor(options: SlotPoolOptions) {
    this.#options = options;
    this.#known = options.known ?? everybodyKnown;
  }

  /** The slots, and the calls that hold them and wait for them now. */
  get reading(): SlotReading {
    return { most: this.#options.most, held: this.#held, queued: this.#queued };
  }

  /** A slot, which `release` takes back, at once if there is one. Rejects with UPSTREAM_UNAVAILABLE, or the signal's reason. */
  acquire(identity: string, signal: CancelSignal): SlotHolder | Promise<SlotHolder> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const caller = this.#callers.get(identity) ?? { identity, held: 0, waiting: [], lastUse: 0 };
    return this.#mayTake(caller) ? this.#take(caller) : this.#wait(caller, signal);
  }

  /** Takes back one of the slots that a caller holds. */
  release(holder: SlotHolder): void {
    holder.held--;
    holder.lastUse = ++this.#uses;
    this.#held--;
    this.#keepOrForget(holder);
    this.#admitWaiting();
  }

  /** `unknownHeld`, the slots of all unknown callers, is asked for only where it matters. */
  #mayTake({ identity, held }: SlotHolder, unknownHeld = () => this.#ofUnknown(({ held: own }) => own)): boolean {
    const { most, sparePart } = this.#options;
    const free = most - this.#held;
    if (free <= leftBy(held, most, sparePart)) return false;
    if (this.#known.has(identity)) return true;
    // Unknown callers may be so many that each has none: they leave some slots to known callers who have none.
    const share = unknownShare(most);
    return free > atLeastLeft(most) && share - unknownHeld() > leftBy(held, share, sparePart);
  }

  /** What all unknown callers have together. */
  #ofUnknown(count: (caller: SlotHolder) => number): number {
    let sum = 0;
    for (const caller of this.#callers.values()) if (!this.#known.has(caller.identity)) sum += count(caller);
    return sum;
  }

  #take(caller: SlotHolder): SlotHolder {
    caller.held++;
    this.#held++;
    this.#keepOrForget(caller);
    return caller;
  }

  #keepOrForget(caller: SlotHolder): void {
    if (caller.held + caller.waiting.length === 0) this.#callers.delete(caller.identity);
    else this.#callers.set(caller.identity, caller);
  }

  #wait(caller: SlotHolder, signal: CancelSignal): Promise<SlotHolder> {
    const { queueTimeoutMs, observeWait } = this.#options;
    if (!this.#makeRoom(caller)) {
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
        this.#keepOrForget(caller);
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
      if (caller.waiting.length === 0) caller.lastUse = ++this.#uses;
      caller.waiting.push(waiter);
      this.#queued++;
      this.#keepOrForget(caller);
    });
  }

  #admitWaiting(): void {
    for (let next = this.#nextCaller(); next !== undefined; next = this.#nextCaller()) {
      this.#wasUnknown = !this.#known.has(next.identity);
      next.lastUse = ++this.#uses;
      next.waiting[0]?.admit();
    }
  }

  #nextCaller(): SlotHolder | undefined {
    if (this.#held >= this.#options.most || this.#queued === 0) return undefined;
    const unknownHeld = this.#ofUnknown(({ held }) => held);
    let next: SlotHolder | undefined;
    for (const caller of this.#callers.values())
      if (caller.waiting.length > 0 && (next === undefined || this.#isBefore(caller, next)))
        if (this.#mayTake(caller, () => unknownHeld)) next = caller;
    return next;
  }

  #isBefore(a: SlotHolder, b: SlotHolder): boolean {
    if (a.held !== b.held) return a.held < b.held;
    const isUnknown = !this.#known.has(a.identity);
    return isUnknown === !this.#known.has(b.identity) ? a.lastUse < b.lastUse : isUnknown !== this.#wasUnknown;
  }

  /** Makes room for one more waiting call of a caller, by refusing another's if need be; false where there is none. */
  #makeRoom(caller: SlotHolder): boolean {
    const { queueSize } = this.#options;
    const isUnknown = !this.#known.has(caller.identity);
    const unknown = isUnknown || this.#queued >= queueSize ? this.#ofUnknown(({ waiting }) => waiting.length) : 0;
    if (isUnknown && unknown >= unknownShare(queueSize)) return this.#refuseLongest(caller, true);
    if (this.#queued < queueSize) return true;
    // A queue for less than four has no quarter: there, an unknown caller makes room for a known caller.
    if (!isUnknown && unknown * unknownCallersPart > queueSize) return this.#refuseLongest(null, true);
    return this.#refuseLongest(caller, false);
  }

  /**
   * Refuses the last call of the longest line, if that line is longer than the caller's own would be. Null stands for a caller
   * who is preferred to all in those lines.
   */
  #refuseLongest(caller: SlotHolder | null, isAmongUnknown: boolean): boolean {
    let longest: readonly Waiter[] = [];
    for (const { identity, waiting } of this.#callers.values())
      if (waiting.length > longest.length && !(isAmongUnknown && this.#known.has(identity))) longest = waiting;
    if (longest.length <= (caller === null ? 0 : caller.waiting.length + 1)) return false;
    longest.at(-1)?.refuse(tooBusy());
    return true;
  }
}

/** The slots of `most` that a caller leaves free when it takes one more; a caller who holds none leaves none. */
function leftBy(held: number, most: number, sparePart: number): number {
  return held === 0 ? 0 : Math.min(held + atLeastLeft(most), Math.ceil(most / sparePart), most - 1);
}

function atLeastLeft(most: number): number {
  return Math.floor(most / leastSpareSlots);
}

function tooBusy(): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
