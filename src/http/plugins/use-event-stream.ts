import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphqlExecution } from '../graphql-execution.ts';
import type { GraphqlRequest } from '../request/graphql-request.ts';
import { eventStreamOf } from '../response/event-stream.ts';
import type { Runs } from './use-operations.ts';

/** Responds to a subscription with events that have ids, which Yoga's own events lack. */
export function useEventStream(execution: GraphqlExecution, runs: Runs): Plugin<object, GraphqlRequest> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const run = runs.get(serverContext.exchange);
      if (run === undefined || run.latestEventId() === null || !(Symbol.asyncIterator in result)) return;
      const results = result as AsyncIterable<ExecutionResult>;
      const options = {
        eventIdOf: () => run.latestEventId() ?? '',
        isTaken: () => serverContext.res.writableLength === 0,
        resultOf: (failure: unknown) => execution.finish({ data: null, errors: [errorOf(failure)] }, run, 'last'),
      };
      hook.setResultProcessor((_result, fetchApi) => eventStreamOf(results, options, fetchApi), 'text/event-stream');
    },
  };
}

function errorOf(failure: unknown): GraphQLError {
  return new GraphQLError('The stream failed.', failure instanceof Error ? { originalError: failure } : {});
}
