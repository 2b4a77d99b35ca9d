import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import {
  getOperationAST,
  GraphQLError,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { createYoga, isAsyncIterable, processRegularResult, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { compressedFrom } from '../bounds.ts';
import { createNameCheck, type NameCheck } from '../graphql/document.ts';
import { withinOneLine } from '../json.ts';
import type { Documents } from './documents.ts';
import type { GraphqlExecution } from './graphql-execution.ts';
import { OperationRun, type Operation } from './rules/operation-run.ts';
import { faultOfHead, type HeadFault } from './request/body-reader.ts';
import type { Exchange } from './request/exchange.ts';
import { isPersistedQuery, readParameters, type GraphqlRequest, type Parameters } from './request/graphql-request.ts';
import { leaveFramingToNode, streamCaching } from './response/cache-headers.ts';
import { compressResponse, type ChooseCoding } from './response/compression.ts';
import { challenge } from './response/error-response.ts';
import { eventStreamOf } from './response/event-stream.ts';
import { processLongResult } from './response/printed-result.ts';
import { findTrusted, type TrustedDocumentOptions } from './trusted-documents.ts';

/** Pieces of one response (`@defer`); one of more comes whole. For each piece the executor looks through all to come. */
export const piecesPerResponse = 500;

/** The parts that Yoga's path shares with the fast one. */
export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly execution: GraphqlExecution;
  readonly documents: Documents;
  readonly persisted: TrustedDocumentOptions;
  readonly chooseCoding: ChooseCoding;
  /** Finds documents that ask for a response in pieces. */
  readonly isIncremental: NameCheck;
}

/** Creates a check for documents that ask for a response in pieces, by `@defer`. */
export function createIncrementalCheck(): NameCheck {
  return createNameCheck(Kind.DIRECTIVE, new Set(['defer']));
}

/** A request for Yoga, which reads nothing of its body or its URL. */
export interface YogaRequest extends GraphqlRequest {
  /** Returns the parameters as they were parsed, undefined where they are no JSON. Throws the refusal of a body that is too large. */
  readonly given: () => unknown;
}

type YogaPlugin = Plugin<object, YogaRequest>;

/** Creates Yoga without its defaults for pages, origins and errors, which Switchboard decides itself. */
export function createYogaServer({
  schema,
  execution,
  documents,
  persisted,
  chooseCoding,
  isIncremental,
}: YogaOptions) {
  const runs: Runs = new WeakMap();
  return createYoga<YogaRequest, YogaRequest>({
    schema,
    // The order matters: the media type of the response is chosen before anything can be refused. A document is found before it
    // is checked. A refusal is an error, which the last plugin formats.
    plugins: [
      useMediaTypes(runs),
      useTrustedDocuments(persisted),
      useDocuments(documents),
      useRefusals(),
      useResponseHeaders(),
      useCompression(chooseCoding),
      useDefer(),
      useOperations(execution, runs, isIncremental),
    ],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    // This cache would keep invalid documents too.
    parserAndValidationCache: false,
  });
}

/** The rules for `@defer`. The plugin's other hook would add `@stream` to the schema. */
function useDefer(): Pick<ReturnType<typeof useDeferStream>, 'onValidate'> {
  const { onValidate } = useDeferStream();
  return onValidate === undefined ? {} : { onValidate };
}

/** The runs of requests on Yoga's path, by their exchange. A request that was refused earlier has none. */
type Runs = WeakMap<Exchange, OperationRun>;

/** Makes Yoga respond in the chosen media type. Yoga itself ignores the weights of an Accept header. */
function useMediaTypes(runs: Runs): YogaPlugin {
  return {
    onRequestParse({ request, serverContext: { accepted } }) {
      // A refusal is JSON where the client takes nothing that there is.
      request.headers.set('accept', accepted.whole ?? 'application/json');
    },
    onExecutionResult({ request, result, context }) {
      if (!isAsyncIterable(result)) return;
      const { accepted, exchange } = context as object as GraphqlRequest;
      const isStream = runs.get(exchange)?.stream != null;
      const type = isStream ? (accepted.events ?? accepted.pieces) : accepted.pieces;
      if (type !== null) request.headers.set('accept', type);
    },
  };
}

/**
 * Runs trusted documents by the identifiers that Relay (`documentId`, `id`, `doc_id`) and Apollo
 * (`extensions.persistedQuery.sha256Hash`) send. No request registers a document: automatic persisted queries stay off.
 */
function useTrustedDocuments({ operations, only }: TrustedDocumentOptions): Plugin {
  if (operations === null) return refuseIdentifiers;
  return usePersistedOperations({
    allowArbitraryOperations: !only,
    extractPersistedOperationId: (params) => (params as Partial<Parameters>).documentId ?? null,
    getPersistedOperation: (id) => findTrusted(operations, id) ?? null,
    customErrors: {
      ...documentRefusals,
      notFound: ({ params }: { readonly params: GraphQLParams }) => documentRefusals.notFound(params.extensions),
    },
  }) as Plugin;
}

const refuseIdentifiers: Plugin = {
  onParams({ params }) {
    if (params.query == null) throw documentRefusals.notSupported(params.extensions);
  },
};

/**
 * The refusals of requests that name their document by an identifier, or should have. Where `extensions.persistedQuery` was sent, urql and
 * Apollo's clients compare the message, and then send the query itself.
 */
export const documentRefusals = {
  notFound: (extensions: Extensions) =>
    documentRefusal(
      'PERSISTED_QUERY_NOT_FOUND',
      isPersistedQuery(extensions) ? 'PersistedQueryNotFound' : 'No operation has this identifier.',
    ),
  keyNotFound: () => badRequest('A query, or the identifier of one, must be provided.'),
  persistedQueryOnly: () =>
    documentRefusal(
      'PERSISTED_QUERY_ID_REQUIRED',
      'This gateway runs known operations alone. Send an identifier instead of a query.',
    ),
  notSupported: (extensions: Extensions) =>
    documentRefusal(
      'PERSISTED_QUERY_NOT_SUPPORTED',
      isPersistedQuery(extensions)
        ? 'PersistedQueryNotSupported'
        : 'This gateway has no persisted operations. Send the query itself.',
    ),
  // Yoga's own words.
  noOperation: () => documentRefusal('OPERATION_RESOLUTION_FAILURE', 'Could not determine what operation to execute.'),
} as const;

type Extensions = Readonly<Record<string, unknown>> | null | undefined;

function documentRefusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400, spec: true } } });
}

/** Reads and checks the documents of requests. What the fast path has done of it is not done again. */
function useDocuments(documents: Documents): YogaPlugin {
  return {
    onParse({ params: { source }, context, setParsedDocument, setParseFn }) {
      const text = typeof source === 'string' ? source : source.body;
      const known = documents.find(text);
      if (known !== undefined) setParsedDocument(known);
      else setParseFn(() => documents.documentOf(text, (context as object as GraphqlRequest).exchange));
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
        documents.errorsOf(document, rules),
      );
    },
  };
}

/**
 * Reads the parameters of requests, and refuses what can be refused before the document is read. Yoga has no message for 415 and 406, its
 * message for a body that is no JSON would quote the body, and it refuses parameters that it does not know.
 */
function useRefusals(): YogaPlugin {
  return {
    onRequestParse({ request, setRequestParser, serverContext: { req, accepted, given } }) {
      if (accepted.whole === null)
        throw requestRefusal(
          406,
          'The response is available as application/json or application/graphql-response+json.',
        );
      // A page of another origin may send a form or plain text without a preflight request (Fetch, "CORS-safelisted").
      const fault = request.method === 'POST' ? faultOfHead(req.headers) : null;
      if (fault !== null) throw requestRefusal(415, fault.message, fault.headers);
      setRequestParser(() => checked(given()));
    },
    onResultProcess(hook) {
      if (hook.resultProcessor !== undefined) return;
      if (isAsyncIterable(hook.result)) {
        // Yoga writes no events in parts, and finds nothing for them.
        if (hook.serverContext.accepted.events === 'multipart/mixed') return;
        // The results are dropped, so a failure to end them concerns nobody.
        hook.result[Symbol.asyncIterator]()
          .return?.()
          ?.catch(() => {});
        hook.setResult({
          errors: [
            requestRefusal(
              406,
              'The response is available as text/event-stream, or as multipart/mixed;subscriptionSpec="1.0".',
            ),
          ],
        });
      }
      hook.setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** The parameters of a request, as Yoga takes them. Refuses those that name no document in any way. */
function checked(given: unknown): GraphQLParams {
  if (given === undefined) throw badRequest('The request holds JSON that cannot be parsed, or is not in UTF-8.');
  const parameters = readParameters(given);
  if (typeof parameters === 'string') throw badRequest(parameters);
  if (parameters.query === null && parameters.documentId === null) throw documentRefusals.keyNotFound();
  return parameters as object;
}

/** Refuses a request that is not well formed: with status 400 in every media type. */
export function badRequest(message: string): GraphQLError {
  return requestRefusal(400, message);
}

/** The refusal of a body of more than `requestBody` bytes. */
export function bodyTooLarge(): GraphQLError {
  return new GraphQLError('Request body too large', {
    extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', http: { status: 413 } },
  });
}

function requestRefusal(status: number, message: string, headers: HeadFault['headers'] = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, headers } } });
}

/**
 * Sets the headers that Yoga does not know, or sets otherwise. Streams and responses in pieces come on its path alone, and so does the
 * only response with status 401: a subscription without a key.
 */
function useResponseHeaders(): YogaPlugin {
  return {
    onResponse({ response: { status, headers } }) {
      if (status === 401) headers.set('www-authenticate', challenge);
      // Yoga names a coding for events that there is not (RFC 9110, section 8.4.1).
      if (headers.get('content-encoding') === 'none') headers.delete('content-encoding');
      leaveFramingToNode(headers);
      if (/^(?:text\/event-stream|multipart\/mixed)\b/.test(headers.get('content-type') ?? ''))
        headers.set('cache-control', streamCaching);
    },
  };
}

/** Compresses whole responses that are worth it. A stream and a response in pieces have no length, and go as they are. */
function useCompression(chooseCoding: ChooseCoding): YogaPlugin {
  return {
    async onResponse(hook) {
      const { response, fetchAPI } = hook;
      const { req } = hook.serverContext;
      if (!(Number(response.headers.get('content-length')) >= compressedFrom) || chooseCoding(req) === null) return;
      hook.setResponse(await compressResponse(response, req, chooseCoding, fetchAPI));
    },
  };
}

/** A part of a response that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga sends). */
interface IncrementalPart extends ExecutionResult {
  /** What Yoga writes it with. */
  readonly stringify?: (part: object) => string;
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Writes one event or piece. */
function stringify(part: object): string {
  return withinOneLine(JSON.stringify(part));
}

/** An empty response in pieces, for a request that wants the head alone. */
async function* noPieces(): AsyncGenerator<IncrementalPart> {}

/** Executes operations by `graphql-execution.ts`, and finishes all of their results. Events have ids, which Yoga's own lack. */
function useOperations(execution: GraphqlExecution, runs: Runs, isIncremental: NameCheck): YogaPlugin {
  function operationOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Operation {
    const definition = getOperationAST(document, operationName) ?? null;
    return { document, definition, operationName, variables: variableValues, request: contextValue as GraphqlRequest };
  }

  function begin(operation: Operation): OperationRun {
    const run = execution.begin(operation);
    runs.set(operation.request.exchange, run);
    return run;
  }

  function finishPart(part: IncrementalPart, run: OperationRun): IncrementalPart {
    const { incremental = [], hasNext = false } = part;
    const finished = execution.finish(part, run, hasNext || incremental.length > 0 ? 'followed' : 'last');
    if (part.incremental === undefined) return { ...finished, stringify };
    const pieces = incremental.map((piece, index): ExecutionResult =>
      execution.finish(piece, run, hasNext || index < incremental.length - 1 ? 'followed' : 'last'),
    );
    // What is said of the whole response stands beside its last pieces.
    const { extensions, ...last } = pieces.pop() ?? {};
    return { ...finished, incremental: [...pieces, last], ...(extensions !== undefined && { extensions }), stringify };
  }

  return {
    onParse() {
      return ({ result }) => {
        if (result instanceof GraphQLError) Object.assign(result.extensions, { code: 'GRAPHQL_PARSE_FAILED' });
      };
    },
    onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const operation = operationOf(args);
      const { accepted, isHead } = operation.request;
      const run = begin(operation);
      const { cost, refusal } = run.preparation;
      const mayComeInPieces = cost !== null && cost.pieces <= piecesPerResponse;
      // The directives let the server decide, so a client that takes only whole responses gets one.
      if (accepted.pieces === null || !isIncremental(args.document) || !mayComeInPieces) {
        setExecuteFn(() => execution.execute(operation, run));
        return undefined;
      }
      if (refusal !== null) setResultAndStopExecution(refusal);
      else if (isHead) setResultAndStopExecution(noPieces() as object);
      else
        setExecuteFn((given) =>
          executeFn({
            ...given,
            variableValues: run.preparation.coerced ?? given.variableValues,
            contextValue: run.given?.context,
          }),
        );
      return { onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, run)) }) };
    },
    onSubscribe({ args, setSubscribeFn }) {
      const operation = operationOf(args);
      setSubscribeFn(() => execution.subscribe(operation, begin(operation)));
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const run = runs.get(serverContext.exchange) ?? new OperationRun(serverContext);
      const { stream } = run;
      if (stream !== null && isAsyncIterable(result))
        hook.setResultProcessor(
          (_result, fetchApi) => eventStreamOf(stream, serverContext, fetchApi),
          serverContext.accepted.events ?? 'text/event-stream',
        );
      if (Array.isArray(result) || !('data' in result || 'errors' in result)) return;
      const { whole } = serverContext.accepted;
      const finished = execution.finish(result as ExecutionResult, run);
      hook.setResult(whole?.endsWith('json') === false ? ({ ...finished, stringify } as object) : finished);
      // Who takes events or parts alone gets the whole answer as one of them.
      if (run.isLong && whole?.endsWith('json') !== false)
        hook.setResultProcessor(processLongResult, whole ?? 'application/json');
    },
  };
}
