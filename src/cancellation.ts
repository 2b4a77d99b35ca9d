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
  /** Null until there is one: many sources never have any. */
  #listeners: Set<() => void> | null = null;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  /** Calls each listener once. Only the first call has an effect, and its reason stays. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners ?? []) {
      this.#listeners?.delete(listener);
      listener();
    }
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
