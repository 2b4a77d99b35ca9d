import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.ts';
import type { Exchange } from '../request/exchange.ts';
import { noPieces, usesDirectives, type Part } from '../response/incremental.ts';
import { isCostAsked, type OperationRequest, type Operations } from '../graphql-execution.ts';
import type { ServerContext } from '../request/server-context.ts';
import { createSpans, type Span } from '../request/lifetime.ts';

type OperationContext = Context & ServerContext;

/** Executes operations by the rules of `operations.ts`, and words all results. */
export function useOperations(
  operations: Operations,
  contextOf: (serverContext: ServerContext, span: Span) => Context,
): Plugin<object, ServerContext> {
  function requestOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): OperationRequest {
    const { exchange } = contextValue as object as OperationContext;
    return { document, operationName, variables: variableValues, exchange };
  }

  function finishPart(part: Part, exchange: Exchange): Part {
    const { incremental = [], hasNext = false } = part;
    const worded = operations.word(part, exchange, hasNext || incremental.length > 0);
    if (part.incremental === undefined) return worded;
    const pieces = incremental.map((piece, index) =>
      operations.word(piece, exchange, hasNext || index < incremental.length - 1),
    );
    return { ...worded, incremental: pieces };
  }

  return {
    onParse() {
      return ({ result }) => {
        if (result instanceof GraphQLError) Object.assign(result.extensions, { code: 'GRAPHQL_PARSE_FAILED' });
      };
    },
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const context = args.contextValue as object as OperationContext;
      const { exchange, accepted, isHead } = context;
      // Who takes whole answers alone gets one: the directives leave that to the server.
      if (accepted.pieces !== null && usesDirectives(args.document)) {
        const { refusal, mayComeInPieces } = operations.judge(requestOf(args));
        if (refusal !== null) setResultAndStopExecution(refusal);
        else if (mayComeInPieces && isHead) setResultAndStopExecution(noPieces() as object);
        if (refusal !== null || mayComeInPieces)
          return {
            onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, exchange)) }),
          };
      }
      setExecuteFn(() => operations.execute(requestOf(args), context));
      return undefined;
    },
    onSubscribe({ args, setSubscribeFn }) {
      const context = args.contextValue as object as OperationContext;
      const { req, exchange } = context;
      const spans = createSpans(exchange);
      const beginEvent = () => ({ context: contextOf(context, spans.begin()), end: () => spans.end() });
      const request = { ...requestOf(args), beginEvent, withCost: isCostAsked(req) };
      setSubscribeFn(() => operations.subscribe(request, context));
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      if (Array.isArray(result) || !('data' in result || 'errors' in result)) return;
      const { req, exchange } = serverContext;
      hook.setResult(operations.finish(result as ExecutionResult, exchange, isCostAsked(req)));
    },
  };
}
