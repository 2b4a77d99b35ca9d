import { getOperationAST, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { NameCheck } from '../../graphql/schema/name-check.ts';
import { refusedRun, type GraphqlExecution } from '../graphql-execution.ts';
import type { Operation } from '../graphql-operation.ts';
import type { OperationRun } from '../operation-run.ts';
import type { Exchange } from '../request/exchange.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { mayComeInPieces, noPieces, type IncrementalPart } from '../response/incremental.ts';

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
    },
  };
}
