import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { useQuery, type AnyVariables } from 'urql';
import { failuresOf, type Failure } from './failure.ts';

/** What a query has brought so far. */
export interface Read<Data> {
  /** Null until something has come; of the last answer while the next one is awaited. */
  readonly data: Data | null;
  /** As `data`; a notice that stays until the next answer leaves the keyboard's focus where it is. */
  readonly failures: readonly Failure[];
  readonly isLoading: boolean;
  /** Asks again, past the cache. */
  readonly retry: () => void;
}

/** Reads a document, again whenever its variables change. */
export function useRead<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Read<Data> {
  const [{ data, error, fetching }, execute] = useQuery<Data>({ query, variables });
  // urql drops an error as soon as it asks again.
  const [lastError, setLastError] = useState(error);
  if (!fetching && error !== lastError) setLastError(error);
  return {
    data: data ?? null,
    failures: failuresOf(fetching ? lastError : error),
    isLoading: fetching,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
