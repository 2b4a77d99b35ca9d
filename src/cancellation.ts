import { GatewayError } from './errors.ts';

/** The part of a native AbortSignal that is used here. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** The reason of the abort; undefined until then. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An AbortController and its signal in one. Every request and every call has one, and hardly any is ever aborted. The native
 * pair is an event target, and costs ten times as much to create, to listen to and to collect.
 */
export class CancelSource implements CancelSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] | null = null;

  addEventListener(_type: 'abort', listener: () => void): void {
    // Most have one: to push it would make room for sixteen more.
    if (this.#listeners === null) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    // What comes last mostly goes first: streams stay.
    const at = this.#listeners?.lastIndexOf(listener) ?? -1;
    if (at >= 0) this.#listeners?.splice(at, 1);
  }

  /** Calls each listener once. Only the first call has an effect, and its reason stays. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // A listener may remove others.
    while (this.#listeners !== null && this.#listeners.length > 0) this.#listeners.shift()?.();
  }
}

/** Returns a native signal that aborts with the given one, for APIs that take no other. */
export function nativeSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
}

/** A request or a part of it. What runs within it ends with it. */
export interface Lifetime {
  /** Aborts when its client leaves. */
  readonly signal: CancelSignal;
  /** Calls a listener once, when it has ended in any way. */
  whenEnded(listener: () => void): void;
}

/**
 * Begins a lifetime that ends with a signal, or before it by `end`. A stream lasts for hours, and must not keep the listeners of all its
 * past events.
 */
export function beginLifetime(signal: CancelSignal): { readonly of: Lifetime; readonly end: () => void } {
  const listeners: (() => void)[] = [];
  const end = (): void => {
    signal.removeEventListener('abort', end);
    for (const listener of listeners.splice(0)) listener();
  };
  if (!signal.aborted) signal.addEventListener('abort', end);
  return { of: { signal, whenEnded: (listener) => void listeners.push(listener) }, end };
}

const over = new Error('The request is over.');

/**
 * The deadline of all upstream calls of a lifetime, so that no call goes on when nobody waits for it. It aborts with UPSTREAM_TIMEOUT when
 * the time is up, with the process's own reason when it stops, and when the lifetime has ended.
 */
export class Deadline extends CancelSource {
  /** By performance.now() in milliseconds. */
  readonly at: number;
  /** Removes the time limit. It still aborts when the process stops or the lifetime ends. */
  readonly lift: () => void;

  constructor(lifetime: Lifetime, timeoutMs: number, stopping: CancelSignal) {
    super();
    this.at = performance.now() + timeoutMs;
    this.lift = runAfter(timeoutMs, () => this.abort(tooLate(timeoutMs)));
    const stop = (): void => this.abort(stopping.reason);
    const end = (): void => {
      stopping.removeEventListener('abort', stop);
      this.lift();
      this.abort(lifetime.signal.aborted ? lifetime.signal.reason : over);
    };
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop);
    // The client may have left while its request was being read. Then `whenEnded` would never run.
    if (lifetime.signal.aborted) end();
    else lifetime.whenEnded(end);
  }
}

function tooLate(timeoutMs: number): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT', {
    message: `The operation took longer than ${timeoutMs} ms. The calls without a response by then were given up.`,
  });
}

/** Nothing came in time. */
export class TimeoutError extends Error {}

/**
 * A time of so many milliseconds, after which a function runs. A process that was busy, or stood still, reads first what has come
 * meanwhile: sockets are read behind timers. It keeps no process alive.
 */
export class Countdown {
  readonly #milliseconds: number;
  readonly #run: () => void;
  #timer: NodeJS.Timeout | null = null;
  #due: NodeJS.Immediate | undefined;

  constructor(milliseconds: number, run: () => void) {
    this.#milliseconds = milliseconds;
    this.#run = run;
  }

  /** Begins the time, or begins it anew. */
  begin(): void {
    this.end();
    this.#timer = setTimeout(() => (this.#due = setImmediate(this.#run)), this.#milliseconds).unref();
  }

  /** Begins the time anew where it has begun. */
  restart(): void {
    if (this.#timer !== null) this.begin();
  }

  end(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#due);
    this.#timer = null;
  }
}

/** Runs a function when so many milliseconds are over, as `Countdown` does, and returns what calls it off. */
export function runAfter(milliseconds: number, run: () => void): () => void {
  const countdown = new Countdown(milliseconds, run);
  countdown.begin();
  return () => countdown.end();
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
