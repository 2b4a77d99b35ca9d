import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { OperationTypeNode, type ExecutionResult, type GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { requestBody } from '../bounds.ts';
import { withoutSpreads } from '../graphql/document.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import { withinOneLine } from '../json.ts';
import { isIncremental, urlParameters, type ReadOperation } from './documents.ts';
import { type GraphqlExecution, Run } from './operation-run.ts';
import { faultOfHead, parseBody, type BodyReader } from './request/body-reader.ts';
import type { StreamType, WholeType } from './request/media-types.ts';
import type { Request } from './request/request.ts';
import { setHeadersForCaller, streamCaching } from './response/cache-headers.ts';
import type { ChooseCoding } from './response/compression.ts';
import { requestRefusal, type Refusal, operationRefusal, sendFailure } from './response/error-response.ts';
import { onlyParts, sendEvents } from './response/event-stream.ts';
import {
  printResult,
  createResponseWriter,
  pieceOf,
  WriteBatch,
  type WriteResponse,
} from './response/response-writer.ts';
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
  const inPieces = createYogaServer(schema, execution, write);
  const direct = createDirectPath(execution, write);

  function respondTo(run: Run): void {
    const fail = (error: unknown): void => sendFailure(run.request, error);
    const { operation } = run.definition;
    if (operation === OperationTypeNode.MUTATION && run.request.isRead) run.refusal = mutationByUrl();
    let isInPieces = false;
    try {
      execution.begin(run);
      isInPieces = comesInPieces(run);
    } finally {
      countRoute(isInPieces ? 'yoga' : 'direct');
    }
    if (isInPieces) inPieces(run).catch(fail);
    else if (run.refusal === null && operation === OperationTypeNode.SUBSCRIPTION) follow(run).catch(fail);
    else direct.answer(run);
  }

  async function follow(run: Run): Promise<void> {
    const { accepted, signal } = run.request;
    let begun = await execution.subscribe(run);
    if ('begin' in begun) {
      if (accepted.events !== null && !signal.aborted) return sendEvents(begun, run.request, accepted.events);
      begun.leave();
      run.refusal = noEvents();
      begun = { errors: run.refusal.errors };
    }
    // A whole result of a subscription is never a part.
    const mediaType = accepted.whole === 'multipart/mixed' ? 'application/json' : typeOf(run);
    direct.respond(begun, run, mediaType);
  }

  return (request) => {
    const refusal = refusalOfHead(request);
    if (refusal !== null) return respondTo(new Run(request, undefined, refusal));
    const { req, res, url, isRead } = request;
    if (isRead) return respondTo(readOperation(urlParameters(url), request));
    const take = (body: Buffer): void => {
      const isTooLarge = body.length > requestBody;
      respondTo(isTooLarge ? new Run(request, undefined, bodyTooLarge()) : readOperation(parseBody(body), request));
    };
    return bodies.read(req, res, { take, fail: (error) => sendFailure(request, error) });
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

function mutationByUrl(): Refusal {
  return requestRefusal(405, 'Can only perform a mutation operation from a POST request.', { allow: 'POST' });
}

function noEvents(): Refusal {
  const forms = 'text/event-stream, or as multipart/mixed;subscriptionSpec="1.0"';
  return requestRefusal(406, `The response is available as ${forms}.`);
}

/** The media type of a result that comes whole. A refusal for lack of one is JSON. */
function typeOf({ request: { accepted } }: Run): WholeType | StreamType {
  return accepted.whole ?? 'application/json';
}

/** Creates the path that executes queries, and writes results, without Yoga. */
function createDirectPath(execution: GraphqlExecution, write: WriteResponse) {
  const batch = new WriteBatch();

  function send(result: ExecutionResult, run: Run, mediaType: WholeType | StreamType): Promise<void> | undefined {
    const { request } = run;
    const data: unknown = result.data;
    const contentType = `${mediaType}; charset=utf-8`;
    if (data instanceof WrittenData) {
      // As JSON.stringify would write the result: data that are written have no errors beside them.
      const end = result.extensions === undefined ? '}' : extensionsText(result.extensions);
      return write(request, 200, contentType, ['{"data":', ...data.pieces, end], data.release);
    }
    if (run.isLong || result.errors !== undefined || isStream(mediaType)) return sendPrinted(result, run, mediaType);
    return write(request, 200, contentType, [pieceOf(JSON.stringify(result))]);
  }

  async function sendPrinted(result: ExecutionResult, { request, refusal }: Run, mediaType: WholeType | StreamType) {
    const pieces = await printResult(result);
    if (request.signal.aborted) return;
    const status = refusal?.begin(request.res, mediaType) ?? 200;
    if (!isStream(mediaType)) return write(request, status, `${mediaType}; charset=utf-8`, pieces);
    const { contentType, around } = onlyParts[mediaType];
    const ofOneLine = pieces.map((piece) => Buffer.from(withinOneLine(String(piece))));
    return write(request, status, contentType, around(ofOneLine));
  }

  function respond(executed: ExecutionResult, run: Run, mediaType: WholeType | StreamType): void {
    const { request } = run;
    try {
      const result = execution.finish(executed, run);
      // The client has left, so nobody would read the response.
      if (!request.signal.aborted) send(result, run, mediaType)?.catch((error: unknown) => sendFailure(request, error));
    } catch (error) {
      sendFailure(request, error);
    }
  }

  function answer(run: Run): void {
    const mediaType = typeOf(run);
    run.takesWritten = !isStream(mediaType);
    execution.execute(run).then(
      (executed) => batch.add(() => respond(executed, run, mediaType)),
      (error: unknown) => sendFailure(run.request, error),
    );
  }

  return { answer, respond };
}

function isStream(mediaType: WholeType | StreamType): mediaType is StreamType {
  return mediaType in onlyParts;
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
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

/** An empty response in pieces, for a request that wants the head alone. */
async function* noPieces(): AsyncGenerator<IncrementalPart> {}

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
    onParams({ context, setParamsHandler }) {
      if (context.run.request.isHead) setParamsHandler(() => noPieces() as object);
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
