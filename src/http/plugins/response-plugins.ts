import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { getOperationAST, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { streamCaching } from '../response/caching.ts';
import { leaveFramingToNode, mayComeInPieces, noPieces, type IncrementalPart } from '../response/incremental.ts';
import { challenge } from '../response/error-response.ts';
import { compressedFrom } from '../../bounds.ts';
import { compressResponse, type ChooseCoding } from '../response/compression.ts';
import type { NameCheck } from '../../graphql/schema/name-check.ts';
import { refusedRun, type GraphqlExecution } from '../graphql-execution.ts';
import type { Operation } from '../graphql-operation.ts';
import type { OperationRun } from '../operation-run.ts';
import type { Exchange } from '../request/exchange.ts';
import { processLongResult } from '../response/long-response.ts';
import { eventStreamOf } from '../response/event-stream.ts';

/** Makes Yoga respond in the chosen media type. Yoga itself ignores the weights of an Accept header. */
export function useMediaTypes(runs: Runs): Plugin<object, GraphqlRequest> {
  return {
    onRequestParse({ request, serverContext: { accepted } }) {
      if (accepted.whole !== null) request.headers.set('accept', accepted.whole);
    },
    onExecutionResult({ request, result, context }) {
      if (!isAsyncIterable(result)) return;
      const { accepted, exchange } = context as object as GraphqlRequest;
      const isStream = runs.get(exchange)?.stream != null;
      const type = isStream && accepted.takesEvents ? 'text/event-stream' : accepted.pieces;
      if (type !== null) request.headers.set('accept', type);
    },
  };
}

/**
 * Adds the headers of streams and of responses in pieces that Yoga does not know, or sets otherwise. They come on Yoga's path
 * alone, and so does the only response with status 401: a subscription without a key.
 */
export function useStreamHeaders(): Plugin<object, GraphqlRequest> {
  return {
    onResponse({ response: { status, headers } }) {
      if (status === 401) headers.set('www-authenticate', challenge);
      // Yoga names a coding for events that there is not (RFC 9110, section 8.4.1).
      if (headers.get('content-encoding') === 'none') headers.delete('content-encoding');
      leaveFramingToNode(headers);
      if (comesInParts(headers.get('content-type'))) headers.set('cache-control', streamCaching);
    },
  };
}

function comesInParts(contentType: string | null): boolean {
  return contentType !== null && /^(?:text\/event-stream|multipart\/mixed)\b/.test(contentType);
}

/** Compresses whole responses that are worth it. A stream and a response in pieces have no length, and go as they are. */
export function useCompression(chooseCoding: ChooseCoding): Plugin<object, GraphqlRequest> {
  return {
    async onResponse(hook) {
      const { response, serverContext, fetchAPI } = hook;
      const { req } = serverContext;
      if (!(Number(response.headers.get('content-length')) >= compressedFrom) || chooseCoding(req) === null) return;
      hook.setResponse(await compressResponse(response, req, chooseCoding, fetchAPI));
    },
  };
}

/** The runs of requests on Yoga's path, by their exchange. A request that was refused earlier has none. */
export type Runs = WeakMap<Exchange, OperationRun>;

/** Executes operations by `graphql-execution.ts`, and finishes all of their results. */
export function useOperations(
  execution: GraphqlExecution,
  runs: Runs,
  isIncremental: NameCheck,
): Plugin<object, GraphqlRequest> {
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
    if (part.incremental === undefined) return finished;
    const pieces = incremental.map((piece, index) =>
      execution.finish(piece, run, hasNext || index < incremental.length - 1 ? 'followed' : 'last'),
    );
    return { ...finished, incremental: pieces };
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
      // The directives let the server decide, so a client that takes only whole responses gets one.
      if (accepted.pieces === null || !isIncremental(args.document) || !mayComeInPieces(run.judgement)) {
        setExecuteFn(() => execution.execute(operation, run));
        return undefined;
      }
      const { refusal } = run.judgement;
      if (refusal !== null) setResultAndStopExecution(refusal);
      else if (isHead) setResultAndStopExecution(noPieces() as object);
      else setExecuteFn((given) => executeFn({ ...given, contextValue: run.given?.context }));
      return { onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, run)) }) };
    },
    onSubscribe({ args, setSubscribeFn }) {
      const operation = operationOf(args);
      setSubscribeFn(() => execution.subscribe(operation, begin(operation)));
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      if (Array.isArray(result) || !('data' in result || 'errors' in result)) return;
      const run = runs.get(serverContext.exchange) ?? refusedRun(serverContext);
      hook.setResult(execution.finish(result as ExecutionResult, run));
      if (run.isLong) hook.setResultProcessor(processLongResult, serverContext.accepted.whole ?? 'application/json');
    },
  };
}

/** Responds to a subscription with events that have ids, which Yoga's own events lack. */
export function useEventStream(runs: Runs): Plugin<object, GraphqlRequest> {
  return {
    onResultProcess(hook) {
      const { serverContext } = hook;
      const stream = runs.get(serverContext.exchange)?.stream ?? null;
      if (stream === null || !(Symbol.asyncIterator in hook.result)) return;
      hook.setResultProcessor(
        (_result, fetchApi) => eventStreamOf(stream, serverContext, fetchApi),
        'text/event-stream',
      );
    },
  };
}
