import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError, type DocumentNode, type GraphQLSchema, type Source, type ValidationRule } from 'graphql';
import { type GraphQLParams, type Plugin, isAsyncIterable, processRegularResult } from 'graphql-yoga';
import { hashIn, identifierIn, identifierNames, type GraphqlRequest } from '../request/graphql-request.ts';
import type { DocumentsById } from '../trusted-document-reader.ts';
import type { Documents, ReadText } from '../documents.ts';
import { faultOfHead, parseBody } from '../request/request-body.ts';

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
      notFound: () => documentRefusal('PERSISTED_QUERY_NOT_FOUND', 'No operation has this identifier.'),
      keyNotFound: () => documentRefusal('BAD_REQUEST', 'A query, or the identifier of one, must be provided.'),
      persistedQueryOnly: () =>
        documentRefusal(
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
      throw documentRefusal(
        'PERSISTED_QUERY_NOT_SUPPORTED',
        'This gateway has no persisted operations. Send the query itself.',
      );
  },
};

/** Finds the identifier of a request; null where it has none. Yoga reads the parameters of a body, but in a URL it knows its own alone. */
function identifierOf(
  params: GraphQLParams | null | undefined,
  { method, url }: Pick<Request, 'method' | 'url'>,
): string | null {
  const query = method === 'GET' ? URL.parse(url)?.searchParams : undefined;
  const given = identifierNames.flatMap((name) =>
    query?.has(name) === true ? [[name, query.get(name)] as const] : [],
  );
  return identifierIn({ ...params, ...Object.fromEntries(given) });
}

function documentRefusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}

/** What the fast path hands on with a request. */
export interface FromFastPath {
  /** What it has read the text as; null where the text is known, or has not been read. */
  readonly read: ReadText | null;
}

/** Reads and checks the documents of requests. What the fast path has done of it is not done again. */
export function useDocuments(documents: Documents): Plugin<object, FromFastPath> {
  function documentOf(text: string, given: ReadText | null): DocumentNode {
    const read = given?.text === text ? given : documents.read(text);
    if ('error' in read) throw read.error;
    return read.document;
  }

  return {
    onParse({ params: { source }, context, setParsedDocument, setParseFn }) {
      const text = textOf(source);
      const document = documents.find(text);
      if (document !== undefined) setParsedDocument(document);
      else setParseFn(() => documentOf(text, (context as unknown as FromFastPath).read));
    },
    onValidate({ params: { documentAST }, context, setResult, setValidationFn }) {
      const errors = documents.isValid(documentAST as DocumentNode)
        ? []
        : errorsIn((context as unknown as FromFastPath).read, documentAST as DocumentNode);
      if (errors !== null) setResult([...errors]);
      else
        setValidationFn((_schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
          documents.check(document, rules),
        );
    },
  };
}

function errorsIn(read: ReadText | null, document: DocumentNode): readonly GraphQLError[] | null {
  return read !== null && 'document' in read && read.document === document ? read.errors : null;
}

function textOf(source: string | Source): string {
  return typeof source === 'string' ? source : source.body;
}

/**
 * Reads the bodies of requests, and refuses what can be refused before the document is read. Yoga has no message for 415 and
 * 406, its message for a body that is no JSON would quote the body, and it takes a GET without a query for a query that failed.
 */
export function useRefusals(): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ request, requestParser, setRequestParser, serverContext: { req, accepted } }) {
      if (accepted.whole === null) throw notAcceptable();
      if (request.method === 'POST') {
        // A page of another origin may send a form or plain text without a preflight request (Fetch, "CORS-safelisted").
        const fault = faultOfHead(req.headers);
        if (fault !== null) throw requestRefusal(415, fault);
        return setRequestParser(async (given) => parse(Buffer.from(await given.arrayBuffer())));
      }
      if (requestParser !== undefined)
        setRequestParser(async (given) => {
          try {
            return withQuery(await requestParser(given), given);
          } catch (error) {
            throw error instanceof SyntaxError ? noJson() : error;
          }
        });
    },
    onResultProcess(hook) {
      if (hook.resultProcessor !== undefined) return;
      if (isAsyncIterable(hook.result)) {
        // The results are dropped, so a failure to end them concerns nobody.
        hook.result[Symbol.asyncIterator]()
          .return?.()
          ?.catch(() => {});
        hook.setResult({ errors: [requestRefusal(406, 'The response is available as text/event-stream.')] });
      }
      hook.setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** Returns the parameters of a GET. Refuses them where they name no document in any way. */
function withQuery<Parameters extends object>(parameters: Parameters, request: Request): Parameters {
  if ('query' in parameters && parameters.query !== '' && parameters.query != null) return parameters;
  if (identifierOf(parameters, request) !== null) return parameters;
  throw requestRefusal(400, 'A query must be provided: POST it as JSON, or put it into the URL as ?query=.');
}

function parse(body: Buffer): object {
  const value = parseBody(body);
  if (value === undefined) throw noJson();
  if (typeof value === 'object' && value !== null) return value;
  throw requestRefusal(400, 'The request holds JSON that is no object.');
}

function noJson(): GraphQLError {
  return requestRefusal(400, 'The request holds JSON that cannot be parsed, or is not in UTF-8.');
}

function notAcceptable(): GraphQLError {
  return requestRefusal(406, 'The response is available as application/json or application/graphql-response+json.');
}

function requestRefusal(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } });
}
