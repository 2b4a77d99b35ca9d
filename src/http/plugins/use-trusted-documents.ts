import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { hashIn, identifierIn, identifierNames } from '../request/document-identifier.ts';
import type { DocumentsById } from '../trusted-document-reader.ts';

export interface TrustedDocumentOptions {
  /** Null where there are none. Then an identifier in place of a document is refused. */
  readonly operations: Pick<DocumentsById, 'get'> | null;
  /** Whether every other document is refused. */
  readonly only: boolean;
}

/**
 * Runs trusted documents by the identifiers that Relay (`documentId`, `id`, `doc_id`) and Apollo
 * (`extensions.persistedQuery.sha256Hash`) send. No request registers a document: automatic persisted queries stay off.
 */
export function useTrustedDocuments({ operations, only }: TrustedDocumentOptions): Plugin {
  if (operations === null) return refuseIdentifiers;
  return usePersistedOperations({
    allowArbitraryOperations: !only,
    extractPersistedOperationId: identifierOf,
    getPersistedOperation: (id) => operations.get(id) ?? null,
    customErrors: {
      notFound: () => refusal('PERSISTED_QUERY_NOT_FOUND', 'No operation has this identifier.'),
      keyNotFound: () => refusal('BAD_REQUEST', 'A query, or the identifier of one, must be provided.'),
      persistedQueryOnly: () =>
        refusal(
          'PERSISTED_QUERY_ID_REQUIRED',
          'This gateway runs known operations alone. Send an identifier instead of a query.',
        ),
    },
  }) as Plugin;
}

/** Refuses a hash without a query with the code at which Apollo's clients stop sending hashes. */
const refuseIdentifiers: Plugin = {
  onParams({ params }) {
    if (params?.query == null && hashIn(params ?? {}) !== null)
      throw refusal(
        'PERSISTED_QUERY_NOT_SUPPORTED',
        'This gateway has no persisted operations. Send the query itself.',
      );
  },
};

/** Finds the identifier of a request; null where it has none. Yoga reads the parameters of a body, but in a URL it knows its own alone. */
export function identifierOf(
  params: GraphQLParams | null | undefined,
  { method, url }: Pick<Request, 'method' | 'url'>,
): string | null {
  const query = method === 'GET' ? URL.parse(url)?.searchParams : undefined;
  const given = identifierNames.flatMap((name) =>
    query?.has(name) === true ? [[name, query.get(name)] as const] : [],
  );
  return identifierIn({ ...params, ...Object.fromEntries(given) });
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}
