import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTick } from 'node:timers/promises';
import { OperationTypeNode, type ExecutionResult, type GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import { withoutSpreads } from '../graphql/document.ts';
import { WrittenData, type Piece } from '../graphql/execution/written-data.ts';
import { withinOneLine } from '../json.ts';
import { isIncremental, urlParameters, type ReadOperation } from './documents.ts';
import { type GraphqlExecution, Run } from './operation-run.ts';
import { faultOfHead, parseBody, type BodyReader } from './request/body-reader.ts';
import type { StreamType, WholeType } from './request/media-types.ts';
import type { Request } from './request/request.ts';
import { setHeadersForCaller, streamCaching } from './response/cache-headers.ts';
import type { ChooseCoding } from './response/compression.ts';
import { requestRefusal, type Refusal, operationRefusal } from './response/error-response.ts';
import { onlyParts, sendEvents } from './response/event-stream.ts';
import { printResult, createResponseWriter, pieceOf, type WriteResponse } from './response/response-writer.ts';
import type { Handler } from './router.ts';

interface GraphqlServerOptions {
  readonly schema: GraphQLSchema;
  readonly execution: GraphqlExecution;
  readonly readOperation: ReadOperation;
  readonly bodies: BodyReader;
  readonly chooseCoding: ChooseCoding;
  readonly countRoute: (route: 'direct' | 'yoga') => void;
}

/**
 * Creates the server of GraphQL over HTTP: it reads a request, finds what it asks for, runs that and writes the result. Yoga executes and
 * writes what comes in pieces, by the same rules.
 */
export function createGraphqlServer(options: GraphqlServerOptions): Handler {
  const { schema, execution, readOperation, bodies, countRoute, chooseCoding } = options;
  const write = createResponseWriter(chooseCoding);
  const respondInPieces = createYogaServer(schema, execution, write);
  // Responses that are ready together leave together, when the event loop has read what has come, one right behind another: to send one
  // wakes its reader, and each that is woken by itself costs as much as a tenth of a small request, if the reader is on the same machine.
  let leaving: Promise<void> | null = null;

  async function read(request: Request): Promise<Run> {
    const { req, res, url, isRead } = request;
    const refusal = refusalOfHead(request);
    if (refusal !== null) return new Run(request, undefined, refusal);
    if (isRead) return readOperation(urlParameters(url), request);
    const body = await bodies.read(req, res);
    return body.length > requestBody
      ? new Run(request, undefined, bodyTooLarge())
      : readOperation(parseBody(body), request);
  }

  async function respond(executed: ExecutionResult, run: Run, mediaType: WholeType | StreamType): Promise<void> {
    const { request } = run;
    const result = execution.finish(executed, run);
    const data: unknown = result.data;
    const release = data instanceof WrittenData ? data.release : undefined;
    const pieces = await print(result, run.isLong);
    // The client has left, so nobody would read the response.
    if (request.signal.aborted) return undefined;
    const status = run.refusal?.begin(request.res, mediaType) ?? 200;
    if (!isStream(mediaType)) return write(request, status, `${mediaType}; charset=utf-8`, pieces, release);
    const only = onlyParts[mediaType];
    const ofOneLine = pieces.map((piece) => Buffer.from(withinOneLine(String(piece))));
    return write(request, status, only.contentType, only.around(ofOneLine));
  }

  return async (request) => {
    const run = await read(request);
    refuseForm(run);
    execution.begin(run);
    const isInPieces = comesInPieces(run);
    countRoute(isInPieces ? 'yoga' : 'direct');
    if (isInPieces) return respondInPieces(run);
    const mediaType = typeOf(run);
    run.takesWritten = !isStream(mediaType);
    const executed = await execution.execute(run);
    await (leaving ??= nextTick().then(() => void (leaving = null)));
    if (!('begin' in executed)) return respond(executed, run, mediaType);
    // The stream of a client that has left has ended.
    if (!request.signal.aborted) sendEvents(executed, request);
  };
}

/** Why the head of a request shows that it cannot be answered; null if it does not. */
function refusalOfHead({ req, accepted, isRead }: Request): Refusal | null {
  if (accepted.whole === null)
    return requestRefusal(406, 'The response is available as application/json or application/graphql-response+json.');
  if (isRead) return null;
  // A page of another origin may send a form or plain text without a preflight request (Fetch, "CORS-safelisted").
  const fault = faultOfHead(req.headers);
  if (fault !== null) return requestRefusal(415, fault.message, fault.headers);
  return Number(req.headers['content-length']) > requestBody ? bodyTooLarge() : null;
}

function bodyTooLarge(): Refusal {
  return requestRefusal(413, 'Request body too large', {}, 'REQUEST_ENTITY_TOO_LARGE');
}

/** Refuses a kind of operation that cannot be asked for by such a request, whatever else may be wrong with it. */
function refuseForm(run: Run): void {
  const { request, definition } = run;
  if (definition.operation === OperationTypeNode.MUTATION && request.isRead)
    run.refusal = requestRefusal(405, 'Can only perform a mutation operation from a POST request.', { allow: 'POST' });
  if (definition.operation === OperationTypeNode.SUBSCRIPTION && request.accepted.events === null) {
    const forms = 'text/event-stream, or as multipart/mixed;subscriptionSpec="1.0"';
    run.refusal ??= requestRefusal(406, `The response is available as ${forms}.`);
  }
}

/** The media type of a result that comes whole. A refusal for lack of one is JSON, and that of a subscription is never a part. */
function typeOf({ request: { accepted }, definition }: Run): WholeType | StreamType {
  const isPart = accepted.whole === 'multipart/mixed' && definition.operation === OperationTypeNode.SUBSCRIPTION;
  return isPart ? 'application/json' : (accepted.whole ?? 'application/json');
}

function isStream(mediaType: WholeType | StreamType): mediaType is StreamType {
  return mediaType in onlyParts;
}

/** The result as JSON.stringify writes it. */
function print(result: ExecutionResult, isLong: boolean): readonly Piece[] | Promise<readonly Piece[]> {
  const data: unknown = result.data;
  if (!(data instanceof WrittenData)) return isLong ? printResult(result) : [pieceOf(JSON.stringify(result))];
  // There are no errors beside data that are written.
  if (result.extensions !== undefined) data.add(Buffer.from(`,"extensions":${JSON.stringify(result.extensions)}`));
  data.add('}');
  return data.pieces;
}

/** Pieces of one response (`@defer`); one of more comes whole. For each piece the executor looks through all to come. */
export const piecesPerResponse = 500;

type YogaPlugin = Plugin<object, { readonly run: Run }>;

/**
 * Creates the path through Yoga, for runs that have begun and whose document is checked. It reads nothing of the request but the media
 * type that is chosen here.
 */
function createYogaServer(schema: GraphQLSchema, execution: GraphqlExecution, write: WriteResponse) {
  const yoga = createYoga<{ readonly run: Run }, { readonly run: Run }>({
    schema,
    plugins: [useRuns(execution)],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    parserAndValidationCache: false,
  });
  return async (run: Run): Promise<void> => {
    const { request } = run;
    const { req, res } = request;
    const seen = Object.assign(Object.create(req) as IncomingMessage, {
      method: 'GET',
      url: '/graphql',
      headers: { host: 'gateway.invalid', accept: typeOf(run) },
    });
    const response = await yoga.handleNodeRequestAndResponse(seen, res, { run });
    if (request.signal.aborted) return;
    const status = run.refusal?.begin(res, typeOf(run)) ?? response.status;
    // Yoga's other headers are of a connection that it does not know, and name a coding for events that is none.
    const contentType = response.headers.get('content-type') ?? '';
    if (contentType.includes('json')) return write(request, status, contentType, [pieceOf(await response.text())]);
    const type = contentType.startsWith('multipart/') ? 'multipart/mixed' : 'text/event-stream';
    setHeadersForCaller(request);
    res.writeHead(status, { 'content-type': onlyParts[type].contentType, 'cache-control': streamCaching });
    await pipeline(response.body ?? [], res);
  };
}

/** A part of a response that comes in pieces (GraphQL, "Incremental Delivery", in the form that Yoga sends). */
interface IncrementalPart extends ExecutionResult {
  /** What Yoga writes it with. */
  readonly stringify?: () => string;
  readonly incremental?: readonly { readonly errors?: readonly GraphQLError[] }[];
  readonly hasNext?: boolean;
}

/** Writes one event or piece. */
function stringify(part: object): string {
  return withinOneLine(JSON.stringify(part));
}

/** A piece that is written as it is: Yoga would make its errors anew. */
function written(part: object): IncrementalPart {
  return { ...part, stringify: () => stringify(part) };
}

/** The directives let the server decide, so a client that takes only whole responses gets one. */
function comesInPieces({ request, document, definition, cost, refusal }: Run): boolean {
  if (refusal !== null || definition.operation !== OperationTypeNode.QUERY) return false;
  return (
    request.accepted.pieces !== null && isIncremental(document) && cost !== null && cost.pieces <= piecesPerResponse
  );
}

/** Has Yoga's own executor execute runs, and finishes what it returns. */
function useRuns(execution: GraphqlExecution): YogaPlugin {
  const runOf = (context: object): Run => (context as { readonly run: Run }).run;

  function finishPart(part: IncrementalPart, run: Run): IncrementalPart {
    const { incremental = [], hasNext = false } = part;
    const finished = execution.finish(part, run, hasNext || incremental.length > 0 ? 'followed' : 'last');
    if (part.incremental === undefined) return written(finished);
    const pieces = incremental.map((piece, index): ExecutionResult =>
      execution.finish(piece, run, hasNext || index < incremental.length - 1 ? 'followed' : 'last'),
    );
    // What is said of the whole response stands beside its last pieces.
    const { extensions, ...last } = pieces.pop() ?? {};
    return written({ ...finished, incremental: [...pieces, last], ...(extensions !== undefined && { extensions }) });
  }

  return {
    onRequestParse(hook) {
      const operationName = hook.serverContext.run.definition.name?.value;
      hook.setRequestParser(() => ({ query: '{ found }', operationName }) as object);
    },
    // Of a fragment that is spread twice, Yoga's executor would leave out what is in another piece already.
    onParse: ({ context, setParsedDocument }) => setParsedDocument(withoutSpreads(runOf(context).document)),
    onValidate: ({ setResult }) => setResult([]),
    onExecute({ args, executeFn, setExecuteFn }) {
      const run = runOf(args.contextValue);
      setExecuteFn((given) => executeFn({ ...given, variableValues: run.coerced, contextValue: run.context }));
      return { onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, run)) }) };
    },
    onExecutionResult({ request, result, context }) {
      const { pieces } = runOf(context).request.accepted;
      if (isAsyncIterable(result) && pieces !== null) request.headers.set('accept', pieces);
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { run } = serverContext;
      // Nothing was left to be deferred, or Yoga itself has caught an error.
      if (isAsyncIterable(result) || Array.isArray(result)) return;
      const whole = result as ExecutionResult;
      if (whole.data === undefined) run.refusal ??= operationRefusal(...(whole.errors ?? []));
      hook.setResult(written(execution.finish(whole, run)) as object);
    },
  };
}
