import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { PersistedOperations } from '../persisted-operations.ts';

export interface PersistedOptions {
  /** Null: there are none, and an identifier in place of a document is refused. */
  readonly operations: PersistedOperations | null;
  /** Whether every other document is refused. */
  readonly only: boolean;
}

/**
 * Runs trusted documents by the identifiers that Relay (`documentId`, `id`, `doc_id`) and Apollo
 * (`extensions.persistedQuery.sha256Hash`) send. Nothing is ever registered by a request: automatic persisted queries stay off.
 */
export function usePersisted({ operations, only }: PersistedOptions): Plugin {
  if (operations === null) return refuseIdentifiers;
  return usePersistedOperations({
    allowArbitraryOperations: !only,
    extractPersistedOperationId: identifierOf,
    getPersistedOperation: (id) => operations.get(id) ?? null,
    customErrors: {
      notFound: () => refusal('PERSISTED_QUERY_NOT_FOUND', 'No operation is known by this identifier.'),
      keyNotFound: () => refusal('BAD_REQUEST', 'A query, or the identifier of one, must be provided.'),
      persistedQueryOnly: () =>
        refusal(
          'PERSISTED_QUERY_ID_REQUIRED',
          'Only known operations are run here, by their identifier: send no query.',
        ),
    },
  }) as Plugin;
}

/** The answer that makes Apollo's clients stop asking by hash alone. */
const refuseIdentifiers: Plugin = {
  onParams({ params }) {
    if (params?.query == null && hashOf(params) !== null)
      throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'No persisted operations are served here: send the query itself.');
  },
};

const names = ['documentId', 'id', 'doc_id'] as const;

/** Yoga reads those of a body, but of a URL no other parameters than its own. */
function identifierOf(params: GraphQLParams | null | undefined, { method, url }: Pick<Request, 'method' | 'url'>) {
  const query = method === 'GET' ? URL.parse(url)?.searchParams : undefined;
  const given = (params ?? {}) as Readonly<Record<string, unknown>>;
  const ids = names.map((name) => query?.get(name) ?? given[name]);
  return ids.find((id) => typeof id === 'string') ?? hashOf(params);
}

function hashOf(params: GraphQLParams | null | undefined): string | null {
  const extension = params?.extensions?.['persistedQuery'] as { readonly sha256Hash?: unknown } | null | undefined;
  return typeof extension?.sha256Hash === 'string' ? extension.sha256Hash : null;
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}
