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
/** Whether the key is that of a sandbox, and no secret. */
export const isSandbox = 'key' in given;
/** Whether an embedded sandbox can be moved from here. */
export const hasSandbox = 'sandbox' in given;

/**
 * Who sends requests: the key as it is typed, which is kept nowhere but here, and names of the sandbox, empty for its usual account and for
 * no fault.
 */
export const caller = share({ key: given['key'] ?? '', account: '', fault: '' });

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = caller.get();
  const parts = [account, fault].filter((part) => part !== '');
  const sandbox = parts.length > 0 && { 'x-sandbox': parts.join('+') };
  return { ...(key !== '' && { authorization: `Bearer ${key}` }), ...sandbox };
}

/** Sends a request for JSON as the caller, with JSON where there is a `body`. Rejects with a sentence to show if it is refused. */
export async function send(path: string, body: string | null = null): Promise<Response> {
  const type = 'application/json';
  const headers = { accept: type, 'content-type': type, ...callerHeaders() };
  const response = await fetch(path, { method: body === null ? 'GET' : 'POST', headers, body });
  if (response.ok) return response;
  const { errors } = (await response.json().catch(() => ({}))) as { readonly errors?: readonly Error[] };
  throw new Error(errors?.[0]?.message ?? `The gateway refused it with ${response.status}.`);
}
