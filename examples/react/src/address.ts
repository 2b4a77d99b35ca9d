import { useSyncExternalStore } from 'react';

function follow(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** The page that the address names and what is shown on it: `#/connections/123` is `['connections', '123']`. */
export function useAddress(): readonly string[] {
  const hash = useSyncExternalStore(follow, () => location.hash);
  return hash.split('/').slice(1).map(decodeURIComponent);
}
