import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { useQuery, type AnyVariables } from 'urql';
import { failuresOf, type Failure } from './failure.ts';

/** The state of a query. */
export interface Read<Data> {
  /** Null before the first result; that of the last result while the next one loads. */
  readonly data: Data | null;
  /** As `data`: a notice that stays until the next result keeps the keyboard's focus. */
  readonly failures: readonly Failure[];
  readonly isLoading: boolean;
  /** Queries again, past the cache. */
  readonly retry: () => void;
}

/** Reads a document, again whenever its variables change. */
export function useRead<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Read<Data> {
  const [{ data, error, fetching }, execute] = useQuery<Data>({ query, variables });
  // urql drops an error as soon as it queries again.
  const [lastError, setLastError] = useState(error);
  if (!fetching && error !== lastError) setLastError(error);
  return {
    data: data ?? null,
    failures: failuresOf(fetching ? lastError : error),
    isLoading: fetching,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
