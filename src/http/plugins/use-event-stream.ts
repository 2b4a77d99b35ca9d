import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { eventStreamOf } from '../event-stream.ts';
import type { ServerContext } from '../server-context.ts';

/** Answers a subscription that has begun by events with ids; Yoga's own have none. */
export function useEventStream(): Plugin<object, ServerContext> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { exchange } = serverContext;
      const { eventId } = exchange;
      if (eventId === null || !(Symbol.asyncIterator in result)) return;
      const results = result as AsyncIterable<ExecutionResult>;
      hook.setResultProcessor(
        (_result, fetchApi) => eventStreamOf(results, () => (exchange.eventId ?? eventId)(), fetchApi),
        'text/event-stream',
      );
    },
  };
}
