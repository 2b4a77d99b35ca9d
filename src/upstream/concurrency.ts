import type { Signal } from '../ending.ts';
import type { Send, Stage } from './client.ts';
import { UnsentError, type AnswerHead } from './wire-answer.ts';

export interface PlaceOptions {
  /** Calls under way at once. */
  readonly most: number;
  /** How many of them may be of one caller; all, where nothing is said. */
  readonly mostPerCaller?: number;
  /** Calls that may wait for their turn. */
  readonly queueSize: number;
  /** The longest wait, in milliseconds. */
  readonly queueTimeoutMs: number;
}

/** The calls that may be under way at once. */
export interface Places {
  /** Waits for a place and resolves to what gives it back; throws UPSTREAM_UNAVAILABLE, or the signal's reason. */
  enter(identity: string, signal: Signal): Promise<() => void>;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets a bounded number of calls through at once; the others wait, in a queue that is bounded in length and time. A free
 * place goes to the caller who holds the fewest, and a full queue makes room at the cost of who fills it, so that one busy
 * caller does not shut out the others. Who cannot wait is answered UPSTREAM_UNAVAILABLE at once, with a time to come back.
 * A streamed answer holds its place until its body has ended.
 */
export function limitConcurrency(options: Omit<PlaceOptions, 'mostPerCaller'>): Stage {
  const { most } = options;
  const places = createPlaces(options);
  // A download takes as long as its reader likes: slow ones must not hold all places, nor those of one caller all of theirs.
  const downloads = createPlaces({ ...options, most: shareOf(most, 2), mostPerCaller: shareOf(most, 4) });
  return (next) => {
    const limited = within(places, next);
    const streamed = within(downloads, limited);
    return (request) => (request.isStreamed ? streamed(request) : limited(request));
  };
}

function shareOf(most: number, parts: number): number {
  return Math.max(1, Math.floor(most / parts));
}

function within<A extends AnswerHead>(places: Places, next: Send<A>): Send<A> {
  return async (request) => {
    const leave = await places.enter(request.caller.identity, request.signal);
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

/** Places that are shared out fairly: among those who hold equally few, whose last turn is the longest ago is next. */
export function createPlaces({ most, mostPerCaller = most, queueSize, queueTimeoutMs }: PlaceOptions): Places {
  const active = new Map<string, number>();
  /** By caller, in the order of their turns; nobody is in it without a call that waits. */
  const waiting = new Map<string, Waiter[]>();
  let total = 0;
  let queued = 0;

  const held = (identity: string): number => active.get(identity) ?? 0;

  function take(identity: string): () => void {
    total++;
    active.set(identity, held(identity) + 1);
    return () => {
      total--;
      const left = held(identity) - 1;
      if (left === 0) active.delete(identity);
      else active.set(identity, left);
      toLast(identity);
      admitNext();
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
    if (line.length === 0) waiting.delete(identity);
  }

  /** Refuses the last of whoever has the most waiting, if that is more than this caller has; whether there is room now. */
  function makeRoom(identity: string): boolean {
    if (queued < queueSize) return true;
    const longest = [...waiting.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length <= (waiting.get(identity)?.length ?? 0) + 1) return false;
    longest.at(-1)?.refuse(tooBusy());
    return true;
  }

  function wait(identity: string, signal: Signal): Promise<() => void> {
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
    });
  }

  function admitNext(): void {
    const ready = [...waiting.keys()].filter((identity) => held(identity) < mostPerCaller);
    const [first] = ready;
    if (first === undefined) return;
    const next = ready.reduce((a, b) => (held(b) < held(a) ? b : a), first);
    toLast(next);
    waiting.get(next)?.[0]?.admit();
  }

  return {
    async enter(identity, signal) {
      if (signal.aborted) throw signal.reason;
      const isFree = total < most && held(identity) < mostPerCaller;
      return isFree ? take(identity) : wait(identity, signal);
    },
  };
}

function tooBusy(): UnsentError {
  return new UnsentError('UPSTREAM_UNAVAILABLE', {
    message: 'Too many calls to the upstream are under way or waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
