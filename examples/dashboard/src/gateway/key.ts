import { createContext, useContext } from 'react';

/** The caller's key, for requests that are not GraphQL; it is kept in memory alone, and a reload forgets it. */
export const KeyContext = createContext('');

/** The key in use. */
export function useKey(): string {
  return useContext(KeyContext);
}
