import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

/** A process of the world: a replica. What it has begun ends with it. */
export interface Owner {
  readonly name: string;
  isAlive: boolean;
}

/** What the process had before the world took its place. */
export const real = {
  setImmediate: globalThis.setImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  clearImmediate: globalThis.clearImmediate,
  now: performance.now.bind(performance),
  Date: globalThis.Date,
};

/** Whose work runs: what a replica begins ends with it. */
export const owners = new AsyncLocalStorage<Owner | undefined>();

let clock = 0;
let wallOffset = 0;
let sequence = 0;
let stoodStillMs = 0;
let immediates: Immediate[] = [];
let head = 0;

/** The world's clock in milliseconds; it never goes back. */
export const now = (): number => clock;
/** The machine's clock, in milliseconds since 1970; it may jump. */
export const wallNow = (): number => Math.floor(wallOffset + clock);

/** A timer of the world. */
class Timer {
  due = 0;
  order = 0;
  isOn = true;
  isQueued = false;
  readonly #run: (...parts: unknown[]) => void;
  readonly #parts: unknown[];
  readonly #repeats: boolean;
  readonly #milliseconds: number;
  readonly owner: Owner | undefined;

  constructor(run: (...parts: unknown[]) => void, milliseconds: number, parts: unknown[], repeats: boolean) {
    this.#run = run;
    this.#parts = parts;
    this.#repeats = repeats;
    const rounded = Math.trunc(milliseconds);
    this.#milliseconds = rounded >= 1 && rounded <= 0x7fffffff ? rounded : 1;
    // Undici has one such timer for all of a process, and here several processes are one.
    this.owner = run.name === 'onTick' ? undefined : owners.getStore();
    this.refresh();
  }

  refresh(): this {
    this.isOn = true;
    this.due = clock + this.#milliseconds;
    this.order = sequence++;
    if (!this.isQueued) queue.add(this);
    return this;
  }

  fire(): void {
    if (!this.#repeats) this.isOn = false;
    try {
      this.#run(...this.#parts);
    } finally {
      if (this.#repeats && this.isOn) this.refresh();
    }
  }

  cancel(): void {
    this.isOn = false;
  }

  ref = (): this => this;
  unref = (): this => this;
}

interface Immediate {
  run: (() => void) | null;
  readonly owner: Owner | undefined;
}

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly timer: Timer;
}

/** Timers in the order in which they are due. A timer that was moved is found late and queued again. */
class TimerQueue {
  /** The one that is due first stands last. */
  #entries: Entry[] = [];

  clear(): void {
    this.#entries = [];
  }

  add(timer: Timer): void {
    timer.isQueued = true;
    const { due, order } = timer;
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle] as Entry;
      if (entry.due > due || (entry.due === due && entry.order > order)) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, { due, order, timer });
  }

  /** The timer that is due next, taken out; null where there is none. */
  next(): Timer | null {
    for (let entry = this.#entries.pop(); entry !== undefined; entry = this.#entries.pop()) {
      const { timer } = entry;
      timer.isQueued = false;
      if (!timer.isOn || timer.owner?.isAlive === false) continue;
      if (timer.order === entry.order) return timer;
      this.add(timer);
    }
    return null;
  }
}

const queue = new TimerQueue();

// Undici has one timer for all of its connections, also for those of the worlds before.
const undiciTimers = createRequire(new URL('../../../../src/app.ts', import.meta.url))('undici/lib/util/timers.js') as {
  reset(): void;
};

/** As the global `setTimeout`, in the world's time. */
export function setWorldTimeout(run: (...parts: unknown[]) => void, milliseconds = 1, ...parts: unknown[]): Timer {
  return new Timer(run, milliseconds, parts, false);
}

function setWorldInterval(run: (...parts: unknown[]) => void, milliseconds = 1, ...parts: unknown[]): Timer {
  return new Timer(run, milliseconds, parts, true);
}

/** As the global `setImmediate`: runs before any time passes. */
export function setWorldImmediate(run: (...parts: unknown[]) => void, ...parts: unknown[]): Immediate {
  const owner = owners.getStore();
  const immediate = { run: () => run(...parts), owner, ref: () => immediate, unref: () => immediate };
  immediates.push(immediate);
  return immediate;
}

function clear(timer: unknown, clearReal: (timer: never) => void): void {
  if (timer instanceof Timer) timer.cancel();
  else if (typeof timer === 'object' && timer !== null && 'run' in timer) (timer as Immediate).run = null;
  else if (timer !== undefined) clearReal(timer as never);
}

function after<Value>(
  begin: (run: () => void) => unknown,
  value: Value,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortError(signal));
    const timer = begin(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    function abort(): void {
      clear(timer, () => {});
      reject(abortError(signal as AbortSignal));
    }
    return signal?.addEventListener('abort', abort, { once: true });
  });
}

function abortError({ reason }: AbortSignal): Error {
  return Object.assign(new Error('The operation was aborted', { cause: reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
}

interface WaitOptions {
  readonly signal?: AbortSignal;
}

const promises = {
  setTimeout: <Value>(milliseconds: number, value: Value, { signal }: WaitOptions = {}) =>
    after((run) => setWorldTimeout(run, milliseconds), value, signal),
  setImmediate: <Value>(value: Value, { signal }: WaitOptions = {}) => after(setWorldImmediate, value, signal),
};

/** Puts the world's time in the place of the process's own; to be called before anything else is loaded. */
export function takeTime(): void {
  const require = createRequire(import.meta.url);
  const clearTimeout = (timer: unknown): void => clear(timer, real.clearTimeout);
  const clearInterval = (timer: unknown): void => clear(timer, real.clearInterval);
  const clearImmediate = (timer: unknown): void => clear(timer, real.clearImmediate);
  const functions = {
    setTimeout: setWorldTimeout,
    setInterval: setWorldInterval,
    setImmediate: setWorldImmediate,
    clearTimeout,
    clearInterval,
    clearImmediate,
  };
  Object.assign(globalThis, functions);
  Object.assign(require('node:timers'), functions);
  Object.assign(require('node:timers/promises'), promises);
  Object.defineProperty(performance, 'now', { value: now, configurable: true, writable: true });
  class WorldDate extends real.Date {
    constructor(...parts: [] | [number]) {
      if (parts.length === 0) super(wallNow());
      else super(...parts);
    }
    static override now = wallNow;
  }
  Object.defineProperty(globalThis, 'Date', { value: WorldDate, configurable: true, writable: true });
}

/** Begins a world's time anew: nothing of the world before goes on. */
export function beginTime(wallMs: number): void {
  clock = 0;
  wallOffset = wallMs;
  sequence = 0;
  stoodStillMs = 0;
  immediates = [];
  head = 0;
  queue.clear();
  undiciTimers.reset();
}

/** Lets the machine's clock jump, and nothing else. */
export function jumpWall(milliseconds: number): void {
  wallOffset += milliseconds;
}

/** Lets time pass in which nothing runs, as in a process that stands still. */
export function standStill(milliseconds: number): void {
  stoodStillMs += milliseconds;
  clock += milliseconds;
}

/** For how long nothing has run in this world. */
export const standstillMs = (): number => stoodStillMs;

/**
 * Runs the world until `isOver`; resolves to false where nothing is left that could happen. Time goes on once all that can happen at one
 * moment has happened.
 */
export function runTime(isOver: () => boolean, fail: (error: unknown) => void): Promise<boolean> {
  return new Promise((resolve) => {
    let isQuiet = false;
    const run = (owner: Owner | undefined, event: () => void): void => {
      isQuiet = false;
      try {
        owners.run(owner, event);
      } catch (error) {
        fail(error);
      }
    };
    const pump = (): void => {
      const immediate = immediates[head];
      if (immediate !== undefined) {
        head++;
        if (head === immediates.length) {
          immediates = [];
          head = 0;
        }
        real.setImmediate(pump);
        // Those of a replica that was killed run as well: a process is not killed in the middle of a tick.
        if (immediate.run !== null) run(immediate.owner, immediate.run);
        return;
      }
      if (isOver()) return resolve(true);
      // What Node itself has put off until the next tick.
      if (!isQuiet) {
        isQuiet = true;
        real.setImmediate(pump);
        return;
      }
      const timer = queue.next();
      if (timer === null) return resolve(false);
      clock = Math.max(clock, timer.due);
      real.setImmediate(pump);
      run(timer.owner, () => timer.fire());
    };
    real.setImmediate(pump);
  });
}
