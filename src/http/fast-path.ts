import { getOperationAST, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { WrittenData } from '../graphql/execution/written-data.ts';
import type { NameCheck } from '../graphql/document.ts';
import type { Documents } from './documents.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import type { Operation } from './rules/operation-run.ts';
import { isPersistedQuery, readParameters, type GraphqlRequest, type Parameters } from './request/graphql-request.ts';
import type { WholeType } from './request/media-types.ts';
import type { ChooseCoding } from './response/compression.ts';
import { printResult } from './response/printed-result.ts';
import { createResponseWriter, pieceOf, WriteBatch } from './response/response-writer.ts';
import { findTrusted, type TrustedDocumentOptions } from './trusted-documents.ts';

/** The parts that this path shares with Yoga's. */
export interface FastPathOptions {
  readonly execution: GraphqlExecution;
  readonly documents: Documents;
  readonly persisted: TrustedDocumentOptions;
  /** Finds documents whose response may come in pieces, which only Yoga sends. */
  readonly isIncremental: NameCheck;
  readonly chooseCoding: ChooseCoding;
}

/** The fast path, for valid queries, as JSON or in a URL, which most requests are. */
export interface FastPath {
  /** Returns the media type of the response to a request; null where the head of the request keeps it off this path. */
  accepts(request: GraphqlRequest): string | null;
  /** Responds in that media type, or calls `fail`, where the parameters ask for a valid query; else returns false. */
  respond(parameters: unknown, mediaType: string, request: GraphqlRequest, fail: (error: unknown) => void): boolean;
}

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);

/**
 * Creates the path that executes queries without Yoga. Yoga costs several times the rest of a request. Every unusual
 * request goes through Yoga, which decides about it. Both paths share every rule.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { execution, documents, isIncremental, chooseCoding } = options;
  const { operations, only } = options.persisted;
  const write = createResponseWriter(chooseCoding);
  const batch = new WriteBatch();

  /** Finds the document of a request: by its text, or by the identifier of a trusted one. Null for what Yoga must find. */
  function documentIn(
    { query, documentId, extensions }: Parameters,
    { exchange }: GraphqlRequest,
  ): DocumentNode | null {
    if (query === null)
      return operations === null || documentId === null ? null : (findTrusted(operations, documentId) ?? null);
    // Yoga decides about a hash beside a query.
    if (only || isPersistedQuery(extensions)) return null;
    return documents.find(query) ?? validDocumentOf(query, exchange);
  }

  function validDocumentOf(text: string, exchange: object): DocumentNode | null {
    try {
      const document = documents.documentOf(text, exchange);
      // Yoga has more rules for responses in pieces.
      return isIncremental(document) || documents.errorsOf(document).length > 0 ? null : document;
    } catch {
      // Yoga reports it as it reports what it meets itself.
      return null;
    }
  }

  function operationOf(parameters: Parameters, request: GraphqlRequest): Operation | null {
    const { operationName, variables } = parameters;
    const document = documentIn(parameters, request);
    if (document === null || isIncremental(document)) return null;
    const definition = getOperationAST(document, operationName);
    if (definition?.operation !== OperationTypeNode.QUERY) return null;
    return { document, definition, operationName, variables, request, takesWritten: true };
  }

  /** Executes an operation and sends its result, or calls `fail`. Throws what keeps the operation from being begun. */
  function execute(operation: Operation, mediaType: string, fail: (error: unknown) => void): void {
    const { request } = operation;
    const run = execution.begin(operation);
    const respond = (executed: ExecutionResult): void => {
      try {
        const result = execution.finish(executed, run);
        // The client has left, so nobody would read the response.
        if (!request.exchange.signal.aborted) send(result, run.isLong, mediaType, request)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const respondSoon = (executed: ExecutionResult): void => batch.add(() => respond(executed));
    const executed = execution.execute(operation, run);
    if (executed instanceof Promise) executed.then(respondSoon, fail);
    else respondSoon(executed);
  }

  function send(result: ExecutionResult, isLong: boolean, mediaType: string, request: GraphqlRequest) {
    const data: unknown = result.data;
    const contentType = `${mediaType}; charset=utf-8`;
    if (data instanceof WrittenData) {
      // As JSON.stringify would write the result: data that are written have no errors beside them.
      const end = result.extensions === undefined ? '}' : extensionsText(result.extensions);
      return write(request, 200, contentType, ['{"data":', ...data.pieces, end], data.release);
    }
    if (isLong || result.errors !== undefined) return sendProcessed(result, mediaType, request);
    return write(request, 200, contentType, [pieceOf(JSON.stringify(result))]);
  }

  /** Lets Yoga choose the status of errors, as it does for the requests on its own path. */
  async function sendProcessed(result: ExecutionResult, mediaType: string, request: GraphqlRequest): Promise<void> {
    const { status, contentType, pieces } = await printResult(result, mediaType);
    if (!request.exchange.signal.aborted) await write(request, status, contentType, pieces);
  }

  return {
    accepts: ({ accepted: { whole }, isHead }) => (whole !== null && written.has(whole) && !isHead ? whole : null),
    respond(given, mediaType, request, fail) {
      const parameters = readParameters(given);
      if (typeof parameters === 'string') return false;
      try {
        const operation = operationOf(parameters, request);
        if (operation === null) return false;
        execute(operation, mediaType, fail);
      } catch (error) {
        fail(error);
      }
      return true;
    },
  };
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}
