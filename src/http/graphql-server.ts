import { pipeline } from 'node:stream/promises';
import { normalizedExecutor } from '@graphql-tools/executor';
import { OperationTypeNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { requestBody } from '../bounds.ts';
import { withoutSpreads } from '../graphql/document.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import { isIncremental, urlParameters, type ReadOperation } from './documents.ts';
import type { Fail, Handler } from './endpoint.ts';
import { type GraphqlExecution, Run } from './operation-run.ts';
import { faultOfHead, parseBody, type ReadBody } from './request/body-reader.ts';
import type { Request } from './request/request.ts';
import type { StreamType, WholeType } from './request/media-types.ts';
import { printResult, pieceOf, WriteBatch, type WriteResponse } from './response/response-writer.ts';
import { requestRefusal, type Refusal } from './response/error-response.ts';
import { withinOneLine } from '../json.ts';
import { setHeadersForCaller, streamCaching } from './response/cache-headers.ts';
import { partForms, sendEvents } from './response/event-stream.ts';

export interface GraphqlServerOptions {
  readonly schema: GraphQLSchema;
  readonly execution: GraphqlExecution;
  readonly readOperation: ReadOperation;
  /** The reader of bodies, which have one bound together. */
  readonly readBody: ReadBody;
  readonly write: WriteResponse;
  readonly countRoute: (route: 'direct' | 'pieces') => void;
}

/** Creates the server of GraphQL over HTTP: it reads a request, finds what it asks for, runs that and writes the result. */
export function createGraphqlServer(options: GraphqlServerOptions): Handler {
  const { schema, execution, readOperation, readBody, countRoute, write } = options;
  const direct = createDirectPath(execution, write);

  function respondTo(run: Run, fail: Fail): void {
    const operation = run.asked.definition?.operation;
    if (operation === OperationTypeNode.MUTATION && run.request.isRead) run.refusal = mutationByUrl();
    let isInPieces = false;
    try {
      execution.begin(run);
      isInPieces = comesInPieces(run);
    } finally {
      countRoute(isInPieces ? 'pieces' : 'direct');
    }
    if (isInPieces) answerInPieces(run, fail).catch(fail);
    else if (run.refusal === null && operation === OperationTypeNode.SUBSCRIPTION) follow(run, fail).catch(fail);
    else direct.answer(run, fail);
  }

  async function answerInPieces(run: Run, fail: Fail): Promise<void> {
    const executed = await executeInPieces(schema, run);
    if (Symbol.asyncIterator in executed) await sendPieces(executed, run, execution.finish);
    else direct.respond(executed, run, typeOf(run), fail);
  }

  async function follow(run: Run, fail: Fail): Promise<void> {
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
    direct.respond(begun, run, mediaType, fail);
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

/** The media type of a result that comes whole. A refusal for lack of one is JSON. */
function typeOf({ request: { accepted } }: Run): WholeType | StreamType {
  return accepted.whole ?? 'application/json';
}

/** Creates the path that executes queries, and writes results that come whole. */
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
    const { contentType, begin, headOf, tail, end } = partForms[mediaType];
    const ofOneLine = pieces.map((piece) => Buffer.from(withinOneLine(String(piece))));
    const length = ofOneLine.reduce((sum, piece) => sum + piece.length, 0);
    return write(request, status, contentType, [begin + headOf(length), ...ofOneLine, tail + end]);
  }

  function respond(executed: ExecutionResult, run: Run, mediaType: WholeType | StreamType, fail: Fail): void {
    try {
      const result = execution.finish(executed, run);
      // The client has left, so nobody would read the response.
      if (!run.request.signal.aborted) send(result, run, mediaType)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  function answer(run: Run, fail: Fail): void {
    const mediaType = typeOf(run);
    const respondSoon = (executed: ExecutionResult): void => batch.add(() => respond(executed, run, mediaType, fail));
    run.takesWritten = !isStream(mediaType);
    const executed = execution.execute(run);
    if (executed instanceof Promise) executed.then(respondSoon, fail);
    else respondSoon(executed);
  }

  return { answer, respond };
}

function isStream(mediaType: WholeType | StreamType): mediaType is StreamType {
  return mediaType in partForms;
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}

/** Pieces of one response (`@defer`); one of more comes whole. For each piece the executor looks through all to come. */
export const piecesPerResponse = 500;

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

/** A part of a response that comes in pieces (GraphQL, "Incremental Delivery", in the form of 2022). */
interface IncrementalPart extends ExecutionResult {
  readonly incremental?: readonly ExecutionResult[];
  readonly hasNext?: boolean;
}

/** Executes a query whose response may come in pieces: these, or its whole result where nothing was left to be deferred. */
async function executeInPieces(
  schema: GraphQLSchema,
  run: Run,
): Promise<AsyncIterable<IncrementalPart> | ExecutionResult> {
  const { document, operationName } = run.asked;
  return normalizedExecutor({
    schema,
    // Of a fragment that is spread twice, the executor would leave out what is in another piece already.
    document: withoutSpreads(document),
    operationName,
    variableValues: run.coerced,
    contextValue: run.context,
  });
}

/** Responds with pieces as they come, at the pace of their reader. */
async function sendPieces(parts: AsyncIterable<IncrementalPart>, run: Run, finish: GraphqlExecution['finish']) {
  const { res, accepted } = run.request;
  const { contentType, begin, headOf, tail, end } = partForms[accepted.pieces ?? 'multipart/mixed'];
  setHeadersForCaller(run.request);
  res.writeHead(200, { 'content-type': contentType, 'cache-control': streamCaching });
  await pipeline(async function* () {
    yield begin;
    for await (const part of parts) {
      const text = withinOneLine(JSON.stringify(finishPart(part, run, finish)));
      yield `${headOf(Buffer.byteLength(text))}${text}${tail}`;
    }
    yield end;
  }, res);
}

function finishPart(part: IncrementalPart, run: Run, finish: GraphqlExecution['finish']): IncrementalPart {
  const { incremental = [], hasNext = false } = part;
  const finished = finish(part, run, hasNext || incremental.length > 0 ? 'followed' : 'last');
  if (part.incremental === undefined) return finished;
  const pieces = incremental.map((piece, index) =>
    finish(piece, run, hasNext || index < incremental.length - 1 ? 'followed' : 'last'),
  );
  // What is said of the whole response stands beside its last pieces.
  const { extensions, ...last } = pieces.pop() ?? {};
  return { ...finished, incremental: [...pieces, last], ...(extensions !== undefined && { extensions }) };
}
