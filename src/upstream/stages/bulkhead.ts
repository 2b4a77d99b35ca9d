import type { CancelSignal } from '../../cancellation.ts';
import type { Send, Stage } from '../client.ts';
import { everybodyKnown, strangersShare, type KnownCallers } from './known-callers.ts';
import { UnsentError, type ResponseHead } from '../response/wire-response.ts';

export interface BulkheadOptions {
  /** Calls under way at once. */
  readonly most: number;
  /** Whether no caller gets one more than are left free; without it, one may have all. */
  readonly leavesRoom?: boolean;
  /** Calls that may wait for their turn. */
  readonly queueSize: number;
  /** The longest wait, in milliseconds. */
  readonly queueTimeoutMs: number;
  /** All others together may have a quarter of the places and of the queue; everybody is known where nothing is said. */
  readonly known?: KnownCallers;
}

/** The calls that may be under way at once. */
export interface Bulkhead {
  /** Waits for a place and resolves to what gives it back; throws UPSTREAM_UNAVAILABLE, or the signal's reason. */
  acquire(identity: string, signal: CancelSignal): Promise<() => void>;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets a bounded number of calls through at once; the others wait, in a queue that is bounded in length and time. A free
 * place goes to the caller who holds the fewest, and a full queue makes room at the cost of who fills it, so that one busy
 * caller does not shut out the others; nor do keys that are made up, which share a quarter of all. Who cannot wait is
 * answered UPSTREAM_UNAVAILABLE at once, with a time to come back. A streamed answer holds its place until its body has ended.
 */
export function limitConcurrency(options: Omit<BulkheadOptions, 'leavesRoom'>): Stage {
  const { most } = options;
  const bulkhead = createBulkhead(options);
  // A download takes as long as its reader likes: slow ones must not hold all places. Nor may those of a few callers hold all
  // of theirs: the first gets half of them, the next half of what is left, and who has none any that there is.
  const downloads = createBulkhead({ ...options, most: Math.max(1, Math.floor(most / 2)), leavesRoom: true });
  return (next) => {
    const limited = within(bulkhead, next);
    const streamed = within(downloads, limited);
    return (request) => (request.isStreamed ? streamed(request) : limited(request));
  };
}

function within<A extends ResponseHead>(bulkhead: Bulkhead, next: Send<A>): Send<A> {
  return async (request) => {
    const leave = await bulkhead.acquire(request.caller.identity, request.signal);
    try {
      const answer = await next(request);
      if (answer.whenClosed === undefined) leave();
      else answer.whenClosed(leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/**
 * Places that are shared out fairly: among those who hold equally few, known callers and strangers take turns, and of each
 * the one whose last turn is the longest ago is next.
 */
export function createBulkhead(options: BulkheadOptions): Bulkhead {
  const { most, leavesRoom = false, queueSize, queueTimeoutMs, known = everybodyKnown } = options;
  const active = new Map<string, number>();
  /** By caller, in the order of their turns; nobody is in it without a call that waits. */
  const waiting = new Map<string, Waiter[]>();
  let total = 0;
  let queued = 0;
  /** What of both is the strangers'. */
  const strangers = { total: 0, queued: 0 };
  let wasStrangersTurn = false;

  const held = (identity: string): number => active.get(identity) ?? 0;
  const waitingOf = (identity: string): number => waiting.get(identity)?.length ?? 0;
  const isStranger = (identity: string): boolean => !known.has(identity);

  known.watch((identity) => {
    if (identity === null) countStrangers();
    else {
      const sign = isStranger(identity) ? 1 : -1;
      strangers.total += sign * held(identity);
      strangers.queued += sign * waitingOf(identity);
    }
    admitWaiting();
  });

  function countStrangers(): void {
    strangers.total = [...active.keys()].filter(isStranger).reduce((sum, identity) => sum + held(identity), 0);
    strangers.queued = [...waiting.keys()].filter(isStranger).reduce((sum, identity) => sum + waitingOf(identity), 0);
  }

  function mayTake(identity: string): boolean {
    const free = most - total;
    if (free <= 0 || (leavesRoom && held(identity) >= free)) return false;
    return strangers.total < strangersShare(most) || !isStranger(identity);
  }

  function take(identity: string): () => void {
    total++;
    if (isStranger(identity)) strangers.total++;
    active.set(identity, held(identity) + 1);
    return () => {
      total--;
      if (isStranger(identity)) strangers.total--;
      const left = held(identity) - 1;
      if (left === 0) active.delete(identity);
      else active.set(identity, left);
      toLast(identity);
      admitWaiting();
    };
  }

  /** Its turn has come or has been: the next one is after those of all others. */
  function toLast(identity: string): void {
    const line = waiting.get(identity);
    if (line === undefined) return;
    waiting.delete(identity);
    waiting.set(identity, line);
  }

  function withdraw(identity: string, waiter: Waiter): void {
    const line = waiting.get(identity) ?? [];
    const index = line.indexOf(waiter);
    if (index < 0) return;
    line.splice(index, 1);
    queued--;
    if (isStranger(identity)) strangers.queued--;
    if (line.length === 0) waiting.delete(identity);
  }

  /** Whether there is room for one more of this caller, if only at the cost of another. */
  function makeRoom(identity: string): boolean {
    const isFullOfStrangers = strangers.queued >= strangersShare(queueSize);
    if (isStranger(identity) && isFullOfStrangers) return refuseLongest(identity, isStranger);
    if (queued < queueSize) return true;
    // A queue for less than four has no quarter: there, a stranger makes room for a known caller.
    if (!isStranger(identity) && strangers.queued * 4 > queueSize) return refuseLongest('', isStranger);
    return refuseLongest(identity, () => true);
  }

  /** Refuses the last of whoever has the most waiting of some, if that is more than this caller has. */
  function refuseLongest(identity: string, isOne: (identity: string) => boolean): boolean {
    const lines = [...waiting].filter(([other]) => isOne(other)).map(([, line]) => line);
    const longest = lines.reduce((a, b) => (b.length > a.length ? b : a), []);
    const own = identity === '' ? 0 : waitingOf(identity) + 1;
    if (longest.length <= own) return false;
    longest.at(-1)?.refuse(tooBusy());
    return true;
  }

  function wait(identity: string, signal: CancelSignal): Promise<() => void> {
    if (!makeRoom(identity)) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        withdraw(identity, waiter);
      };
      const waiter: Waiter = {
        admit() {
          settle();
          resolve(take(identity));
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const abort = (): void => waiter.refuse(signal.reason);
      const timer = setTimeout(() => waiter.refuse(tooBusy()), queueTimeoutMs);
      signal.addEventListener('abort', abort);
      const line = waiting.get(identity);
      if (line === undefined) waiting.set(identity, [waiter]);
      else line.push(waiter);
      queued++;
      if (isStranger(identity)) strangers.queued++;
    });
  }

  function admitWaiting(): void {
    for (let next = nextWaiting(); next !== undefined; next = nextWaiting()) {
      wasStrangersTurn = isStranger(next);
      toLast(next);
      waiting.get(next)?.[0]?.admit();
    }
  }

  function nextWaiting(): string | undefined {
    if (total >= most || queued === 0) return undefined;
    // Hundreds of strangers may wait for each other, and are not looked through again for every call.
    if (queued === strangers.queued && strangers.total >= strangersShare(most)) return undefined;
    const [first, ...others] = [...waiting.keys()].filter(mayTake);
    return others.reduce((a, b) => (a !== undefined && isBefore(b, a) ? b : a), first);
  }

  /** Whether one is to be admitted before another whose last turn is longer ago. */
  function isBefore(later: string, earlier: string): boolean {
    if (held(later) !== held(earlier)) return held(later) < held(earlier);
    return isStranger(earlier) === wasStrangersTurn && isStranger(later) !== wasStrangersTurn;
  }

  return {
    async acquire(identity, signal) {
      if (signal.aborted) throw signal.reason;
      return mayTake(identity) ? take(identity) : wait(identity, signal);
    },
  };
}

function tooBusy(): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
