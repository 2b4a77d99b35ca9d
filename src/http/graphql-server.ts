import { OperationTypeNode, type ExecutionResult } from 'graphql';
import { requestBody } from '../bounds.ts';
import { WrittenData } from '../graphql/execution/written-data.ts';
import { isIncremental, urlParameters, type ReadOperation } from './documents.ts';
import type { Fail, Handler } from './endpoint.ts';
import { type GraphqlExecution, Run } from './run.ts';
import { faultOfHead, parseBody, type ReadBody } from './request/body-reader.ts';
import type { Request } from './request/request.ts';
import type { WholeType } from './request/media-types.ts';
import type { ChooseCoding } from './response/compression.ts';
import { printResult, createResponseWriter, pieceOf, WriteBatch } from './response/response-writer.ts';
import { requestRefusal, type Refusal } from './response/error-response.ts';
import { createYogaServer, type YogaOptions } from './yoga.ts';

/** The parts that all paths share, and the choice of paths. */
export interface GraphqlServerOptions extends YogaOptions {
  readonly readOperation: ReadOperation;
  /** The reader of bodies, which have one bound together. */
  readonly readBody: ReadBody;
  readonly chooseCoding: ChooseCoding;
  /** Whether there is a fast path; otherwise all operations go through Yoga. */
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
  const respondDirectly = createDirectPath(execution, chooseCoding);

  function respondTo(run: Run, fail: Fail): void {
    const isMutation = run.asked.definition?.operation === OperationTypeNode.MUTATION;
    if (isMutation && run.request.isRead) run.refusal = mutationByUrl();
    const mediaType = isFast || run.refusal !== null ? directTypeOf(run) : null;
    countRoute(mediaType === null ? 'yoga' : 'direct');
    if (mediaType === null) throughYoga(run).catch(fail);
    else respondDirectly(run, mediaType, fail);
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

const written: ReadonlySet<string> = new Set<WholeType>(['application/json', 'application/graphql-response+json']);

/** The media type in which a run is answered without Yoga: refusals, and valid queries as most clients send them. Null for the others. */
function directTypeOf({ request: { accepted, isHead }, asked, refusal }: Run): string | null {
  const mediaType = accepted.whole ?? 'application/json';
  if (!written.has(mediaType)) return null;
  if (refusal !== null) return mediaType;
  const isQuery = asked.definition?.operation === OperationTypeNode.QUERY;
  return isQuery && !isHead && !asked.hasHash && !isIncremental(asked.document) ? mediaType : null;
}

/** Creates the path that executes queries, and writes their results, without Yoga. */
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

  return (run: Run, mediaType: string, fail: Fail): void => {
    const respond = (executed: ExecutionResult): void => {
      try {
        const result = execution.finish(executed, run);
        // The client has left, so nobody would read the response.
        if (!run.request.signal.aborted) send(result, run, mediaType)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const respondSoon = (executed: ExecutionResult): void => batch.add(() => respond(executed));
    try {
      run.takesWritten = true;
      execution.begin(run);
      const executed = execution.execute(run);
      if (executed instanceof Promise) executed.then(respondSoon, fail);
      else respondSoon(executed);
    } catch (error) {
      fail(error);
    }
  };
}

function extensionsText(extensions: ExecutionResult['extensions']): string {
  return `,"extensions":${Buffer.from(JSON.stringify(extensions)).toString('latin1')}}`;
}
