import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useQuery, type AnyVariables } from 'urql';
import { failuresOf, type Failure } from './failure.ts';

/** What a query has brought so far. */
export interface Read<Data> {
  /** Null until something has come; of the last answer while the next one is awaited. */
  readonly data: Data | null;
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
  const [{ data, error, fetching }, execute] = useQuery<Data, AnyVariables>({ query, variables });
  return {
    data: data ?? null,
    // While an answer is awaited the last one's failures say nothing about it.
    failures: fetching ? [] : failuresOf(error),
    isLoading: fetching,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
