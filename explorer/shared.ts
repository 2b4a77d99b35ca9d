import { useSyncExternalStore } from 'react';

/** A value that parts of the page share: React draws those that `use` it again when it changes. */
export interface Shared<Value> {
  get(): Value;
  set(value: Value): void;
  /** A hook. */
  use(): Value;
}

export function share<Value>(value: Value): Shared<Value> {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): Value => value;
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
