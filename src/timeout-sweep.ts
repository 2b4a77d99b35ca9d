import { deadlineSweepMs } from './bounds.ts';
import { Linked, LinkedSet } from './transient-collections.ts';

/** Nothing came in time. */
export class TimeoutError extends Error {}

/**
 * Runs a function when so many milliseconds are over, and returns what calls it off. A process that was busy, or stood still, reads
 * first what has come meanwhile: sockets are read behind timers.
 */
export function runAfter(milliseconds: number, run: () => void): () => void {
  let due: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (due = setImmediate(run)), milliseconds).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(due);
  };
}

/**
 * Waits for a promise so many milliseconds at most, then rejects with a TimeoutError. What it settles with later is ignored, a
 * failure too: whatever stands behind it goes on. The wait keeps no process alive.
 */
export function withTimeout<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const callOff = runAfter(milliseconds, () => reject(new TimeoutError()));
    promise.then(resolve, reject).finally(callOff);
  });
}

/** A timeout among others of the same length. */
export abstract class SweptTimeout extends Linked {
  /** The moment when its time is up, by performance.now() in milliseconds. */
  declare deadline: number;

  constructor() {
    super();
    this.deadline = 0;
  }

  /** Runs when the time is up. */
  abstract expire(): void;
}

/**
 * Timeouts of one length. One timer looks at all of them, since a timer for each would cost more than all else about it. So a
 * timeout comes up to `deadlineSweepMs` late, and no later than by a tenth of its time. They keep no process alive.
 */
export class TimeoutSweep<Member extends SweptTimeout> {
  readonly milliseconds: number;
  /** In the order in which they end. */
  readonly #open = new LinkedSet<Member>();
  #timer: NodeJS.Timeout | null = null;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  /** Begins the time of a member at `now`, by performance.now(); no earlier than that of the member before. */
  add(member: Member, now = performance.now()): void {
    member.deadline = now + this.milliseconds;
    this.#open.add(member);
    if (this.#timer === null) this.#timer = this.#sweepLater();
  }

  /** False where it has expired, or was taken out before. */
  delete(member: Member): boolean {
    return this.#open.delete(member);
  }

  /** Those whose time is not up, in the order in which they end. None is taken out meanwhile. */
  [Symbol.iterator](): Iterator<Member> {
    return this.#open[Symbol.iterator]();
  }

  /** What came while the process was busy, or stood still, is read before anything expires: sockets are read behind timers. */
  #sweepLater(): NodeJS.Timeout {
    const sweep = (): void => void setImmediate(() => this.#expireDue());
    return setTimeout(sweep, Math.min(deadlineSweepMs, this.milliseconds / 10)).unref();
  }

  #expireDue(): void {
    const now = performance.now();
    try {
      // What waits for one timeout may take out others.
      for (let due = this.#open.first; due !== null && due.deadline <= now; due = this.#open.first) {
        this.#open.delete(due);
        due.expire();
      }
    } finally {
      // Whatever one of them throws, the others have their sweep.
      this.#timer = this.#open.first === null ? null : this.#sweepLater();
    }
  }
}
