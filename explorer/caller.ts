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

/**
 * Who sends requests: the key as it is typed, which is kept nowhere but here, and names of the sandbox, empty for its usual account and for
 * no fault.
 */
export const caller = share({ key: given['key'] ?? '', account: '', fault: '' });

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = caller.get();
  const parts = [account, fault].filter((part) => part !== '');
  return {
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(parts.length > 0 && { 'x-sandbox': parts.join('+') }),
  };
}

/** Sends a request as the caller. Rejects with a sentence to show, where it was refused. */
export async function send(path: string, accept: string, body?: string): Promise<Response> {
  const headers = { accept, ...callerHeaders(), ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(path, { headers, ...(body !== undefined && { method: 'POST', body }) });
  if (response.ok) return response;
  const { errors } = (await response.json().catch(() => ({}))) as { readonly errors?: readonly Error[] };
  throw new Error(errors?.[0]?.message ?? `The gateway refused it with ${response.status}.`);
}
