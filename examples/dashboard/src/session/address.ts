import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** The parameters of the page's address, which hold filters alone and never a key. */
export function useAddress(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(subscribe, () => location.search));
}

/** Changes parameters of the address, as a step to which the browser's Back returns. An empty text removes its parameter. */
export function changeAddress(changes: Readonly<Record<string, string>>): void {
  const parameters = new URLSearchParams(location.search);
  for (const [name, text] of Object.entries(changes))
    if (text === '') parameters.delete(name);
    else parameters.set(name, text);
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  if (search === location.search) return;
  history.pushState(null, '', location.pathname + search + location.hash);
  for (const listener of listeners) listener();
}
