import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.ts';
import type { Exchange } from '../request/exchange.ts';
import { noPieces, usesDirectives, type IncrementalPart } from '../response/incremental.ts';
import { isCostAsked, type OperationRequest, type GraphqlExecution } from '../graphql-execution.ts';
import type { ServerContext } from '../request/server-context.ts';
import { createLifetimes, type Lifetime } from '../request/lifetime.ts';

type OperationContext = Context & ServerContext;

/** Executes operations by the rules of `operations.ts`, and words all results. */
export function useOperations(
  execution: GraphqlExecution,
  contextOf: (serverContext: ServerContext, lifetime: Lifetime) => Context,
): Plugin<object, ServerContext> {
  function requestOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): OperationRequest {
    const { exchange } = contextValue as object as OperationContext;
    return { document, operationName, variables: variableValues, exchange };
  }

  function finishPart(part: IncrementalPart, exchange: Exchange): IncrementalPart {
    const { incremental = [], hasNext = false } = part;
    const formatted = execution.format(part, exchange, hasNext || incremental.length > 0);
    if (part.incremental === undefined) return formatted;
    const pieces = incremental.map((piece, index) =>
      execution.format(piece, exchange, hasNext || index < incremental.length - 1),
    );
    return { ...formatted, incremental: pieces };
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
        const { refusal, mayComeInPieces } = execution.judge(requestOf(args));
        if (refusal !== null) setResultAndStopExecution(refusal);
        else if (mayComeInPieces && isHead) setResultAndStopExecution(noPieces() as object);
        if (refusal !== null || mayComeInPieces)
          return {
            onExecuteDone: () => ({ onNext: (part) => part.setResult(finishPart(part.result, exchange)) }),
          };
      }
      setExecuteFn(() => execution.execute(requestOf(args), context));
      return undefined;
    },
    onSubscribe({ args, setSubscribeFn }) {
      const context = args.contextValue as object as OperationContext;
      const { req, exchange } = context;
      const lifetimes = createLifetimes(exchange);
      const beginEvent = () => ({ context: contextOf(context, lifetimes.begin()), end: () => lifetimes.end() });
      const request = { ...requestOf(args), beginEvent, withCost: isCostAsked(req) };
      setSubscribeFn(() => execution.subscribe(request, context));
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      if (Array.isArray(result) || !('data' in result || 'errors' in result)) return;
      const { req, exchange } = serverContext;
      hook.setResult(execution.finish(result as ExecutionResult, exchange, isCostAsked(req)));
    },
  };
}
