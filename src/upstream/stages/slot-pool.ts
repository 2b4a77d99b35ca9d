import type { CancelSignal } from '../../cancellation.ts';
import type { SlotReading, WaitOutcome } from '../../telemetry/upstream-metrics.ts';
import { UnsentError } from '../response/wire-response.ts';
import { CallerCounts, type CallerCount } from './caller-counts.ts';
import { everybodyKnown, strangersShare, type KnownCallers } from './known-callers.ts';
import { SlotQueue, type SlotWaiter } from './slot-queue.ts';

export interface SlotPoolOptions {
  /** The number of slots: calls under way at once. */
  readonly most: number;
  /** Whether no caller gets one more slot than are left free; without it, one caller may have all. */
  readonly leavesRoom?: boolean;
  /** Calls that may wait for a slot. */
  readonly queueSize: number;
  /** The longest wait, in milliseconds. */
  readonly queueTimeoutMs: number;
  /** All strangers together may have a quarter of the slots and of the queue; absent: everybody is known. */
  readonly known?: KnownCallers;
  /** Runs for each call that got no slot at once, when its wait is over. */
  readonly observeWait?: (outcome: WaitOutcome, seconds: number) => void;
}

/**
 * Slots that are shared out fairly: a free slot goes to the caller who holds the fewest. Among callers who hold equally few,
 * known callers and strangers take turns; then the caller whose last turn is the longest ago comes first.
 */
export class SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #known: KnownCallers;
  readonly #held: CallerCounts;
  readonly #queue: SlotQueue;
  #wasStrangersTurn = false;

  constructor(options: SlotPoolOptions) {
    const { queueSize, known = everybodyKnown } = options;
    this.#options = options;
    this.#known = known;
    this.#held = new CallerCounts(known);
    this.#queue = new SlotQueue(queueSize, known, tooBusy);
    // Both have counted the change by now: they watch from earlier on.
    known.watch(() => this.#admitWaiting());
  }

  /** The slots, and the calls that hold them and wait for them now. */
  get reading(): SlotReading {
    return { most: this.#options.most, held: this.#held.total, queued: this.#queue.length };
  }

  /** Waits for a slot, which `release` takes back; throws UPSTREAM_UNAVAILABLE, or the signal's reason. */
  async acquire(identity: string, signal: CancelSignal): Promise<CallerCount> {
    if (signal.aborted) throw signal.reason;
    return this.tryAcquire(identity) ?? this.#wait(identity, signal);
  }

  /** Takes a slot, which `release` takes back; null where the caller has to wait for one. */
  tryAcquire(identity: string): CallerCount | null {
    return this.#mayTake(identity) ? this.#held.add(identity) : null;
  }

  /** Takes back one of the slots that a caller holds. */
  release(held: CallerCount): void {
    this.#held.subtract(held);
    if (this.#queue.length === 0) return;
    this.#queue.moveToEnd(held.identity);
    this.#admitWaiting();
  }

  #mayTake(identity: string): boolean {
    const { most, leavesRoom = false } = this.#options;
    const free = most - this.#held.total;
    if (free <= 0 || (leavesRoom && this.#held.of(identity) >= free)) return false;
    return !this.#isStrangersShareTaken() || this.#known.has(identity);
  }

  #isStrangersShareTaken(): boolean {
    return this.#held.strangersTotal >= strangersShare(this.#options.most);
  }

  #wait(identity: string, signal: CancelSignal): Promise<CallerCount> {
    const { queueTimeoutMs, observeWait } = this.#options;
    if (!this.#queue.makeRoom(identity)) {
      observeWait?.('refused', 0);
      return Promise.reject(tooBusy());
    }
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (outcome: WaitOutcome): void => {
        observeWait?.(outcome, (performance.now() - started) / 1000);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#queue.remove(identity, waiter);
      };
      const waiter: SlotWaiter = {
        admit: () => {
          settle('admitted');
          resolve(this.#held.add(identity));
        },
        refuse(error) {
          settle(signal.aborted ? 'aborted' : 'refused');
          reject(error);
        },
      };
      const abort = (): void => waiter.refuse(signal.reason);
      const timer = setTimeout(() => waiter.refuse(tooBusy()), queueTimeoutMs);
      signal.addEventListener('abort', abort);
      this.#queue.add(identity, waiter);
    });
  }

  #admitWaiting(): void {
    for (let next = this.#nextCaller(); next !== undefined; next = this.#nextCaller()) {
      this.#wasStrangersTurn = !this.#known.has(next);
      this.#queue.moveToEnd(next);
      this.#queue.admitFirst(next);
    }
  }

  #nextCaller(): string | undefined {
    if (this.#held.total >= this.#options.most || this.#queue.length === 0) return undefined;
    // Hundreds of strangers may wait for each other; a call that ends does not look through all of them.
    if (this.#queue.hasOnlyStrangers && this.#isStrangersShareTaken()) return undefined;
    const [first, ...others] = this.#queue.callers.filter((identity) => this.#mayTake(identity));
    return others.reduce((a, b) => (a !== undefined && this.#isBefore(b, a) ? b : a), first);
  }

  /** Whether a caller is admitted before another one whose last turn is longer ago. */
  #isBefore(later: string, earlier: string): boolean {
    const [heldByLater, heldByEarlier] = [this.#held.of(later), this.#held.of(earlier)];
    if (heldByLater !== heldByEarlier) return heldByLater < heldByEarlier;
    const [isStranger, isEarlierStranger] = [!this.#known.has(later), !this.#known.has(earlier)];
    return isEarlierStranger === this.#wasStrangersTurn && isStranger !== this.#wasStrangersTurn;
  }
}

function tooBusy(): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
