import { create } from 'zustand';

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
export const useCaller = create(() => ({ key: given['key'] ?? '', account: '', fault: '' }));

/** The headers that a request gets from the bar. The sandbox takes accounts and faults beside a key, which stays as it is. */
export function callerHeaders(): Record<string, string> {
  const { key, account, fault } = useCaller.getState();
  const parts = [account, fault].filter((part) => part !== '');
  const sandbox = parts.length > 0 && { 'x-sandbox': parts.join('+') };
  return { ...(key !== '' && { authorization: `Bearer ${key}` }), ...sandbox };
}
