import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { useQuery, type AnyVariables, type CombinedError } from 'urql';
import { failuresOf, type Failure } from './failure.ts';
import { mergeLast, type LastData } from './last-data.ts';

/** The state of a query. */
export interface Read<Data> extends LastData<Data> {
  /** As `data`: a notice that stays until the next result keeps the keyboard's focus. */
  readonly failures: readonly Failure[];
  readonly isLoading: boolean;
  /** Queries again, past the cache. */
  readonly retry: () => void;
}

interface Last<Data> extends LastData<Data> {
  readonly result: Data | undefined;
  readonly error: CombinedError | undefined;
}

/** Reads a document, again whenever its variables change. Data and failures are the last ones while the next are loading. */
export function useRead<Data extends object, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Read<Data> {
  const [{ data: result, error, fetching }, execute] = useQuery<Data>({ query, variables });
  const [last, setLast] = useState<Last<Data>>({ data: null, old: [], result: undefined, error: undefined });
  // urql drops an error as soon as it queries again, and data as soon as there is an error.
  if (!fetching && (result !== last.result || error !== last.error))
    setLast({ ...mergeLast(last.data, result ?? null, failuresOf(error)), result, error });
  return {
    data: last.data,
    old: last.old,
    failures: failuresOf(last.error),
    isLoading: fetching,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
