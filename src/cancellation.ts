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
  /** Most sources have one listener at most: a set for each would cost more than all else of them. */
  #first: (() => void) | null = null;
  /** Those behind the first; null until there is one. */
  #others: Set<() => void> | null = null;

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) return;
    if (this.#first === null && this.#others === null) this.#first = listener;
    else (this.#others ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) this.#first = null;
    else this.#others?.delete(listener);
  }

  /** Calls each listener once. Only the first call has an effect, and its reason stays. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const first = this.#first;
    this.#first = null;
    first?.();
    for (const listener of this.#others ?? []) {
      this.#others?.delete(listener);
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
