import { createContext, useContext } from 'react';

/** The caller's key and what the platform thinks of it. */
export interface Access {
  /** For requests that are not GraphQL; it is kept in memory alone, and a reload forgets it. */
  readonly key: string;
  /** Called when the platform refuses the key. */
  readonly onRefused: () => void;
}

/** The access of the account that is shown. */
export const AccessContext = createContext<Access>({ key: '', onRefused: () => undefined });

/** The access in use. */
export function useAccess(): Access {
  return useContext(AccessContext);
}
