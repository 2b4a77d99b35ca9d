import { getOperationAST, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import { areParameters, createDocumentFinder, type Parameters } from './document-finder.ts';
import type { Documents, ReadText } from './documents.ts';
import type { NameCheck } from '../graphql/schema/name-check.ts';
import type { WholeType } from './request/media-types.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import type { Operation } from './graphql-operation.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import type { TrustedDocumentOptions } from './plugins/request-plugins.ts';
import { faultOfHead } from './request/request-body.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import { longResponse } from './response/long-response.ts';
import { WriteBatch, createResponseWriter, type ResponseWriter } from './response/response-writer.ts';
import type { ChooseCoding } from './response/compression.ts';

/** The parts that this path shares with Yoga's. */
export interface FastPathOptions {
  readonly execution: GraphqlExecution;
  readonly documents: Documents;
  readonly persisted: TrustedDocumentOptions;
  /** Finds documents whose response may come in pieces, which only Yoga sends. */
  readonly isIncremental: NameCheck;
  readonly chooseCoding: ChooseCoding;
}

/** What has come of a request: it will get its response here; or another path takes it, and what has been read of it. */
export type Outcome = { readonly isTaken: true } | Untaken;

interface Untaken {
  readonly isTaken: false;
  /** Null where the text is known, or has not been read. */
  readonly read: ReadText | null;
}

/** The outcome of a request that this path has not looked at. */
export const untouched: Outcome = { isTaken: false, read: null };

/** The fast path, for valid queries, as JSON or in a URL, which most requests are. */
export interface FastPath {
  /** Returns the media type of the response to a request; null where the head of the request keeps it off this path. */
  accepts(request: GraphqlRequest): string | null;
  /** Responds in that media type, or calls `fail`, where the parameters ask for a valid query; else has read it at most. */
  respond(parameters: unknown, mediaType: string, request: GraphqlRequest, fail: (error: unknown) => void): Outcome;
}

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);

/**
 * Creates the path that executes queries without Yoga. Yoga costs several times the rest of a request. Every unusual
 * request goes through Yoga, which decides about it. Both paths share every rule.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { execution, documents, isIncremental } = options;
  const findDocument = createDocumentFinder(documents, options.persisted);
  const writer = createResponseWriter(options.chooseCoding);
  const batch = new WriteBatch();

  /** The document that a text was read as, where it is valid. Yoga checks those of responses in pieces, for which it has more rules. */
  function documentIn(read: ReadText): { readonly document: DocumentNode | null; readonly read: ReadText } {
    if ('error' in read || isIncremental(read.document)) return { document: null, read };
    const { text, document } = read;
    try {
      const errors = documents.check(document);
      return errors.length === 0 ? { document, read } : { document: null, read: { text, document, errors } };
    } catch (error) {
      // Yoga reports it as it reports what it meets itself.
      return { document: null, read: { text, error } };
    }
  }

  function operationOf(
    document: DocumentNode,
    { operationName = null, variables = null }: Parameters,
    request: GraphqlRequest,
  ): Operation | null {
    if (isIncremental(document)) return null;
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
        if (!request.exchange.signal.aborted) send(result, run.isLong, mediaType, request, writer)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const respondSoon = (executed: ExecutionResult): void => batch.add(() => respond(executed));
    const executed = execution.execute(operation, run);
    if (executed instanceof Promise) executed.then(respondSoon, fail);
    else respondSoon(executed);
  }

  return {
    accepts({ req: { method, headers }, accepted: { whole }, isHead }) {
      if (whole === null || !written.has(whole)) return null;
      if (method === 'GET') return isHead ? null : whole;
      const isRead = faultOfHead(headers) === null && Number(headers['content-length']) <= requestBody;
      return isRead ? whole : null;
    },
    respond(parameters, mediaType, request, fail) {
      if (!areParameters(parameters)) return untouched;
      const found = findDocument(parameters);
      if (found === null) return untouched;
      try {
        const { document, read } =
          typeof found === 'string' ? documentIn(documents.read(found)) : { document: found, read: null };
        const operation = document && operationOf(document, parameters, request);
        if (operation === null) return { isTaken: false, read };
        execute(operation, mediaType, fail);
        return { isTaken: true };
      } catch (error) {
        fail(error);
        return { isTaken: true };
      }
    },
  };
}

function send(
  result: ExecutionResult,
  isLong: boolean,
  mediaType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> | undefined {
  const data: unknown = result.data;
  const contentType = `${mediaType}; charset=utf-8`;
  if (data instanceof WrittenData) return sendWritten(data, result.extensions, contentType, request, writer);
  if (isLong) return sendLong(result, mediaType, request, writer);
  if (result.errors === undefined) return writer.writeText(request, 200, contentType, JSON.stringify(result));
  return sendFailed(result, mediaType, request, writer);
}

/** Lets Yoga choose the status of errors, as it does for the requests on its own path. */
async function sendFailed(
  result: ExecutionResult,
  mediaType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> {
  const response = processRegularResult(result, globalThis, mediaType);
  const contentType = response.headers.get('content-type') ?? mediaType;
  return writer.writeText(request, response.status, contentType, await response.text());
}

async function sendLong(
  result: ExecutionResult,
  mediaType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> {
  const { status, contentType, pieces } = await longResponse(result, mediaType);
  if (!request.exchange.signal.aborted) await writer.writePieces(request, status, contentType, pieces);
}

/** As JSON.stringify would write the result: data that are written have no errors beside them. */
function sendWritten(
  { pieces, release }: WrittenData,
  extensions: ExecutionResult['extensions'],
  contentType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> | undefined {
  const end = extensions === undefined ? '}' : extensionsText(extensions);
  return writer.writePieces(request, 200, contentType, ['{"data":', ...pieces, end], release);
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}
