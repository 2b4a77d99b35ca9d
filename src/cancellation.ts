/** What of a native AbortSignal is used here. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** Why; undefined until then. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An AbortController and its signal in one. Every request and every call has one and hardly any is ever aborted, while the
 * native pair, an event target, costs ten times as much to make, to listen to and to forget.
 */
export class CancelSource implements CancelSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Tells each listener once; the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener);
      listener();
    }
  }
}

/** The same as a native signal, for those who take no other. */
export function nativeSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
}
