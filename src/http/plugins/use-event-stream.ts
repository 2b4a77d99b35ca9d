import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { eventStreamOf } from '../response/event-stream.ts';
import type { GraphqlExecution } from '../graphql-execution.ts';
import type { ServerContext } from '../request/server-context.ts';

/** Answers a subscription that has begun by events with ids; Yoga's own have none. */
export function useEventStream(execution: GraphqlExecution): Plugin<object, ServerContext> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { exchange, res } = serverContext;
      const { eventId } = exchange;
      if (eventId === null || !(Symbol.asyncIterator in result)) return;
      const results = result as AsyncIterable<ExecutionResult>;
      const options = {
        eventIdOf: () => (exchange.eventId ?? eventId)(),
        isTaken: () => res.writableLength === 0,
        word: (failure: unknown) => execution.format({ data: null, errors: [errorOf(failure)] }, exchange),
      };
      hook.setResultProcessor((_result, fetchApi) => eventStreamOf(results, options, fetchApi), 'text/event-stream');
    },
  };
}

function errorOf(failure: unknown): GraphQLError {
  return new GraphQLError('The stream failed.', failure instanceof Error ? { originalError: failure } : {});
}
