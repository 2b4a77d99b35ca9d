import { useSyncExternalStore } from 'react';

/** Creates a value that parts of the page share: React draws those that `use` it, a hook, again when it changes. */
export function share<Value>(value: Value) {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): Value => value;
  return {
    get,
    set(next: Value): void {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

/** What the gateway tells its page: attributes of the element that the page stands in. */
const given = document.getElementById('root')?.dataset ?? {};
/** Whether an embedded sandbox can be moved from here. */
export const hasSandbox = given['sandbox'] !== undefined;

interface Caller {
  /** As it is typed. It is kept nowhere but here. */
  readonly key: string;
  /** Names of the sandbox; empty for its usual account, and for no fault. */
  readonly account: string;
  readonly fault: string;
}

/** Who sends requests, and what the sandbox does for them. */
export const caller = share<Caller>({ key: given['key'] ?? '', account: '', fault: '' });

export function changeCaller(news: Partial<Caller>): void {
  caller.set({ ...caller.get(), ...news });
}

/** Whether a header can carry a key: it has no spaces, and only characters of ASCII. */
export const isKey = (key: string): boolean => /^[\x21-\x7e]*$/.test(key);

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = caller.get();
  const parts = [account, fault].filter((part) => part !== '');
  return {
    ...(key !== '' && isKey(key) && { authorization: `Bearer ${key}` }),
    ...(parts.length > 0 && { 'x-sandbox': parts.join('+') }),
  };
}
