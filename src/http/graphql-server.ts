import { OperationTypeNode, type ExecutionResult, type GraphQLError, type GraphQLSchema } from 'graphql';
import { requestBody } from '../bounds.ts';
import { withoutSpreads } from '../graphql/document.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import { isIncremental, urlParameters, type ReadOperation } from './documents.ts';
import type { Fail, Handler } from './endpoint.ts';
import { type GraphqlExecution, Run } from './operation-run.ts';
import { faultOfHead, parseBody, type ReadBody } from './request/body-reader.ts';
import type { Request } from './request/request.ts';
import type { WholeType } from './request/media-types.ts';
import { type ChooseCoding, compressResponse } from './response/compression.ts';
import { printResult, createResponseWriter, pieceOf, WriteBatch } from './response/response-writer.ts';
import { requestRefusal, type Refusal, operationRefusal } from './response/error-response.ts';
import type { IncomingMessage } from 'node:http';
import { createYoga, isAsyncIterable, type FetchAPI, type Plugin } from 'graphql-yoga';
import { withinOneLine } from '../json.ts';
import { leaveFramingToNode, setHeadersForCaller, streamCaching } from './response/cache-headers.ts';
import { sendEvents } from './response/event-stream.ts';

/** The parts that all paths share, and the choice of paths. */
export interface GraphqlServerOptions extends YogaOptions {
  readonly readOperation: ReadOperation;
  /** The reader of bodies, which have one bound together. */
  readonly readBody: ReadBody;
  readonly chooseCoding: ChooseCoding;
  /** Whether there is a fast path; otherwise all queries go through Yoga. */
  readonly isFast: boolean;
  /** Counts each request. */
  readonly countRoute: (route: 'direct' | 'yoga') => void;
}

/**
 * Creates the server of GraphQL over HTTP: it reads a request, finds what it asks for, runs that and writes the result. Yoga takes what
 * is unusual, by the same rules: streams, pieces and odd forms. It costs several times the rest of a request.
 */
export function createGraphqlServer(options: GraphqlServerOptions): Handler {
  const { execution, readOperation, readBody, isFast, countRoute, chooseCoding } = options;
  const throughYoga = createYogaServer(options);
  const direct = createDirectPath(execution, chooseCoding);

  function respondTo(run: Run, fail: Fail): void {
    const operation = run.asked.definition?.operation;
    if (operation === OperationTypeNode.MUTATION && run.request.isRead) run.refusal = mutationByUrl();
    const isStream = run.refusal === null && operation === OperationTypeNode.SUBSCRIPTION;
    const mediaType = isFast || run.refusal !== null ? directTypeOf(run) : null;
    countRoute(mediaType === null && !isStream ? 'yoga' : 'direct');
    if (isStream) follow(run, fail).catch(fail);
    else if (mediaType === null) throughYoga(run).catch(fail);
    else direct.answer(run, mediaType, fail);
  }

  async function follow(run: Run, fail: Fail): Promise<void> {
    const { accepted, signal } = run.request;
    execution.begin(run);
    let begun = await execution.subscribe(run);
    if ('begin' in begun) {
      if (accepted.events !== null && !signal.aborted) return sendEvents(begun, run.request, accepted.events);
      begun.leave();
      run.refusal = noEvents();
      begun = { errors: run.refusal.errors };
    }
    if (accepted.whole === 'text/event-stream') return throughYoga(run, begun);
    // A whole result of a subscription is never a part.
    const mediaType = accepted.whole === 'multipart/mixed' ? null : accepted.whole;
    direct.respond(begun, run, mediaType ?? 'application/json', fail);
  }

  return (request, fail) => {
    const refusal = refusalOfHead(request);
    if (refusal !== null) return respondTo(new Run(request, undefined, refusal), fail);
    const { req, res, url, isRead } = request;
    if (isRead) return respondTo(readOperation(urlParameters(url.searchParams), request), fail);
    const take = (body: Buffer): void => {
      const isTooLarge = body.length > requestBody;
      respondTo(
        isTooLarge ? new Run(request, undefined, bodyTooLarge()) : readOperation(parseBody(body), request),
        fail,
      );
    };
    return readBody(req, res, { take, fail });
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

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);

/** The media type in which a query or a refusal is answered without Yoga, whole; null for the others. */
function directTypeOf({ request: { accepted }, asked, refusal }: Run): string | null {
  const mediaType = accepted.whole ?? 'application/json';
  if (!written.has(mediaType)) return null;
  if (refusal !== null) return mediaType;
  return asked.hasHash || (accepted.pieces !== null && isIncremental(asked.document)) ? null : mediaType;
}

/** Creates the path that executes queries, and writes results, without Yoga. */
function createDirectPath(execution: GraphqlExecution, chooseCoding: ChooseCoding) {
  const write = createResponseWriter(chooseCoding);
  const batch = new WriteBatch();

  function send(result: ExecutionResult, run: Run, mediaType: string): Promise<void> | undefined {
    const { request } = run;
    const data: unknown = result.data;
    const contentType = `${mediaType}; charset=utf-8`;
    if (data instanceof WrittenData) {
      // As JSON.stringify would write the result: data that are written have no errors beside them.
      const end = result.extensions === undefined ? '}' : extensionsText(result.extensions);
      return write(request, 200, contentType, ['{"data":', ...data.pieces, end], data.release);
    }
    if (run.isLong || result.errors !== undefined) return sendPrinted(result, run, mediaType);
    return write(request, 200, contentType, [pieceOf(JSON.stringify(result))]);
  }

  async function sendPrinted(result: ExecutionResult, { request, refusal }: Run, mediaType: string): Promise<void> {
    const pieces = await printResult(result);
    if (request.signal.aborted) return;
    const status = refusal?.begin(request.res, mediaType) ?? 200;
    await write(request, status, `${mediaType}; charset=utf-8`, pieces);
  }

  function respond(executed: ExecutionResult, run: Run, mediaType: string, fail: Fail): void {
    try {
      const result = execution.finish(executed, run);
      // The client has left, so nobody would read the response.
      if (!run.request.signal.aborted) send(result, run, mediaType)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  function answer(run: Run, mediaType: string, fail: Fail): void {
    const respondSoon = (executed: ExecutionResult): void => batch.add(() => respond(executed, run, mediaType, fail));
    try {
      run.takesWritten = true;
      execution.begin(run);
      const executed = execution.execute(run);
      if (executed instanceof Promise) executed.then(respondSoon, fail);
      else respondSoon(executed);
    } catch (error) {
      fail(error);
    }
  }

  return { answer, respond };
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}

/** Pieces of one response (`@defer`); one of more comes whole. For each piece the executor looks through all to come. */
export const piecesPerResponse = 500;

/** The parts that Yoga's path shares with the fast one. */
interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly execution: GraphqlExecution;
  readonly chooseCoding: ChooseCoding;
}

interface YogaContext {
  readonly run: Run;
  readonly executed?: ExecutionResult | undefined;
}

type YogaPlugin = Plugin<object, YogaContext>;

/**
 * Creates the path through Yoga. It gets a run whose document is found and checked, and its result where that is known already. It reads
 * nothing of the request but the media type that is chosen here.
 */
function createYogaServer({ schema, execution, chooseCoding }: YogaOptions) {
  const yoga = createYoga<YogaContext, YogaContext>({
    schema,
    plugins: [useRuns(execution), useResults(execution, chooseCoding), useResponseHeaders()],
    maskedErrors: false,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    parserAndValidationCache: false,
  });
  return async (run: Run, executed?: ExecutionResult): Promise<void> => {
    const { req, res, accepted } = run.request;
    setHeadersForCaller(run.request);
    const seen = Object.assign(Object.create(req) as IncomingMessage, {
      method: 'GET',
      url: '/graphql',
      headers: { host: 'gateway.invalid', accept: accepted.whole ?? 'application/json' },
    });
    await yoga(seen, res, { run, executed });
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

/** The directives let the server decide, so a client that takes only whole responses gets one. */
function comesInPieces({ request, asked, cost, refusal }: Run): boolean {
  if (refusal !== null || asked.definition?.operation !== OperationTypeNode.QUERY) return false;
  return (
    request.accepted.pieces !== null &&
    isIncremental(asked.document) &&
    cost !== null &&
    cost.pieces <= piecesPerResponse
  );
}

/** Executes runs by `operation-run.ts`. Only pieces are made by Yoga's own executor. */
function useRuns(execution: GraphqlExecution): YogaPlugin {
  const runOf = (context: object): Run => (context as YogaContext).run;

  function finishPart(part: IncrementalPart, run: Run): IncrementalPart {
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
    onRequestParse(hook) {
      const { operationName, variables } = hook.serverContext.run.asked;
      hook.setRequestParser(() => ({ query: '{ found }', operationName, variables }) as object);
    },
    onParams(hook) {
      const { run, executed } = hook.context;
      if (executed !== undefined) return hook.setParamsHandler(() => executed);
      execution.begin(run);
      if (!comesInPieces(run)) hook.setParamsHandler(() => execution.execute(run));
      else if (run.request.isHead) hook.setParamsHandler(() => noPieces() as object);
    },
    onParse({ context, setParsedDocument }) {
      const run = runOf(context);
      const { document } = run.asked;
      // Of a fragment that is spread twice, Yoga's executor would leave out what is in another piece already.
      setParsedDocument(comesInPieces(run) ? withoutSpreads(document) : document);
    },
    onValidate: ({ setResult }) => setResult([]),
    onExecute({ args, executeFn, setExecuteFn }) {
      const run = runOf(args.contextValue);
      setExecuteFn((given) =>
        executeFn({ ...given, variableValues: run.coerced ?? given.variableValues, contextValue: run.context }),
      );
      return { onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, run)) }) };
    },
  };
}

/** Finishes whole results, and writes them as JSON. Yoga writes the other forms. */
function useResults(execution: GraphqlExecution, chooseCoding: ChooseCoding): YogaPlugin {
  async function respond(result: ExecutionResult, run: Run, mediaType: string, fetchApi: FetchAPI): Promise<Response> {
    const body = Buffer.concat(await printResult(result));
    const headers = { 'content-type': `${mediaType}; charset=utf-8`, 'content-length': String(body.length) };
    const response = new fetchApi.Response(body, { headers });
    return compressResponse(response, run.request.req, chooseCoding, fetchApi);
  }

  return {
    onExecutionResult({ request, result, context }) {
      const { pieces } = (context as YogaContext).run.request.accepted;
      if (isAsyncIterable(result) && pieces !== null) request.headers.set('accept', pieces);
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { run } = serverContext;
      const mediaType = hook.request.headers.get('accept') ?? 'application/json';
      if (isAsyncIterable(result) || Array.isArray(result)) return;
      const executed = result as ExecutionResult;
      // What Yoga itself has caught.
      if (executed.data === undefined) run.refusal ??= operationRefusal(...(executed.errors ?? []));
      const finished = execution.finish(executed, run);
      if (mediaType.endsWith('json'))
        hook.setResultProcessor((_result, fetchApi) => respond(finished, run, mediaType, fetchApi), mediaType);
      // Who takes events or parts alone gets the whole answer as one of them.
      else hook.setResult({ ...finished, stringify } as object);
    },
  };
}

/** Sets the status and the headers that Yoga does not know, or sets otherwise. */
function useResponseHeaders(): YogaPlugin {
  return {
    onResponse(hook) {
      const { request, response, serverContext } = hook;
      const { headers, body } = response;
      const { refusal, request: asking } = serverContext.run;
      const status = refusal?.begin(asking.res, request.headers.get('accept') ?? '') ?? response.status;
      // Yoga names a coding for events that there is not (RFC 9110, section 8.4.1).
      if (headers.get('content-encoding') === 'none') headers.delete('content-encoding');
      leaveFramingToNode(headers);
      if (/^(?:text\/event-stream|multipart\/mixed)\b/.test(headers.get('content-type') ?? ''))
        headers.set('cache-control', streamCaching);
      if (status !== response.status) hook.setResponse(new hook.fetchAPI.Response(body, { status, headers }));
    },
  };
}
