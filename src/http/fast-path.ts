import { getOperationAST, OperationTypeNode, type DocumentNode, type ExecutionResult } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { KnownDocuments } from './document-cache.ts';
import type { NameCheck } from '../graphql/schema/name-check.ts';
import type { WholeType } from './request/media-types.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import type { Operation } from './graphql-operation.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import type { TrustedDocumentOptions } from './plugins/use-trusted-documents.ts';
import { hashIn, identifierIn, identifierNames } from './request/document-identifier.ts';
import { faultOfHead } from './request/request-body.ts';
import type { GraphqlRequest } from './request/graphql-request.ts';
import { Departures } from './response/departures.ts';
import { createResponseWriter, type ResponseWriter } from './response/response-writer.ts';
import type { ChooseCoding } from './response/content-coding.ts';

/** The parts that this path shares with Yoga's. */
export interface FastPathOptions {
  readonly execution: GraphqlExecution;
  readonly known: KnownDocuments;
  readonly persisted: TrustedDocumentOptions;
  /** Finds documents whose response may come in pieces, which only Yoga sends. */
  readonly isIncremental: NameCheck;
  readonly chooseCoding: ChooseCoding;
}

/** The fast path, for known queries and trusted documents, as JSON or in a URL, which most requests are. */
export interface FastPath {
  /** Returns the media type of the response to a request; null where the head of the request keeps it off this path. */
  accepts(request: GraphqlRequest): string | null;
  /**
   * Responds in that media type, or calls `fail`. Returns false, and does nothing, where the parameters name no known document, or no
   * query of it.
   */
  respond(parameters: unknown, mediaType: string, request: GraphqlRequest, fail: (error: unknown) => void): boolean;
}

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);
const members: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions']);
const membersBesideIdentifier: ReadonlySet<string> = new Set([...members, ...identifierNames]);

/**
 * Creates the path that executes known documents without Yoga. Yoga costs several times the rest of a request. Every unusual
 * request goes through Yoga, which decides about it. Both paths share every rule.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { execution, isIncremental } = options;
  const findDocument = createDocumentFinder(options);
  const writer = createResponseWriter(options.chooseCoding);
  const departures = new Departures();

  function operationOf(parameters: unknown, request: GraphqlRequest): Operation | null {
    if (!isJsonObject(parameters)) return null;
    const { operationName = null, variables = null, extensions = null } = parameters;
    if (typeof variables !== 'object' || Array.isArray(variables)) return null;
    if (operationName !== null && typeof operationName !== 'string') return null;
    if (extensions !== null && !isJsonObject(extensions)) return null;
    const document = findDocument(parameters);
    if (document === undefined || isIncremental(document)) return null;
    const definition = getOperationAST(document, operationName);
    if (definition?.operation !== OperationTypeNode.QUERY) return null;
    const given = variables as Operation['variables'];
    return { document, definition, operationName, variables: given, request, takesWritten: true };
  }

  /** Executes an operation and sends its result, or calls `fail`. Throws what keeps the operation from being begun. */
  function execute(operation: Operation, mediaType: string, fail: (error: unknown) => void): void {
    const { request } = operation;
    const run = execution.begin(operation);
    const respond = (executed: ExecutionResult): void => {
      try {
        const result = execution.finish(executed, run);
        // The client has left, so nobody would read the response.
        if (!request.exchange.signal.aborted) send(result, mediaType, request, writer)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const depart = (executed: ExecutionResult): void => departures.add(() => respond(executed));
    const executed = execution.execute(operation, run);
    if (executed instanceof Promise) executed.then(depart, fail);
    else depart(executed);
  }

  return {
    accepts({ req: { method, headers }, accepted: { whole }, isHead }) {
      if (whole === null || !written.has(whole)) return null;
      if (method === 'GET') return isHead ? null : whole;
      const isRead = faultOfHead(headers) === null && Number(headers['content-length']) <= requestBody;
      return isRead ? whole : null;
    },
    respond(parameters, mediaType, request, fail) {
      const operation = operationOf(parameters, request);
      if (operation === null) return false;
      try {
        execute(operation, mediaType, fail);
      } catch (error) {
        fail(error);
      }
      return true;
    },
  };
}

/** Creates the function that finds the known document of a request: by its text, or by the identifier of a trusted one. */
function createDocumentFinder({ known, persisted: { operations, only } }: FastPathOptions) {
  return (parameters: JsonObject): DocumentNode | undefined => {
    const { query = null, extensions = null } = parameters;
    const takes = query === null ? membersBesideIdentifier : members;
    for (const name in parameters) if (!takes.has(name)) return undefined;
    if (query === null) {
      const id = identifierIn(parameters);
      return id === null ? undefined : operations?.get(id);
    }
    if (only || typeof query !== 'string') return undefined;
    // A hash beside a query is for Yoga to judge.
    return extensions !== null && hashIn(parameters) !== null ? undefined : known.get(query);
  };
}

function send(
  result: ExecutionResult,
  mediaType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> | undefined {
  const data: unknown = result.data;
  const contentType = `${mediaType}; charset=utf-8`;
  if (data instanceof WrittenData) return sendWritten(data, result.extensions, contentType, request, writer);
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

/** As JSON.stringify would write the result: data that are written have no errors beside them. */
function sendWritten(
  { pieces, release }: WrittenData,
  extensions: ExecutionResult['extensions'],
  contentType: string,
  request: GraphqlRequest,
  writer: ResponseWriter,
): Promise<void> | undefined {
  const end = extensions === undefined ? '}' : extensionsText(extensions);
  return writer.writePieces(request, contentType, ['{"data":', ...pieces, end], release);
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}
