import { createSourceEventStream, execute, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import type { ExecutionRequest } from './executor.ts';

/** A subscription to be begun; its document is valid. The context is that of its beginning. */
export type SubscriptionRequest = Omit<ExecutionRequest, 'coerced'>;

/** What one event of a stream is executed with. */
export interface Event {
  readonly context: Context;
  /** Called when its result is complete. */
  readonly end: () => void;
}

/** The results of a stream, one event at a time; or one result, with the errors for which the stream could not begin. */
export type Subscriber = (
  request: SubscriptionRequest,
  beginEvent: () => Event,
) => Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult, undefined>>;

/**
 * Begins subscriptions. graphql-js would execute all events with the context of the first, whose loaders cache and whose time is
 * limited. Here each event has its own context. `return` of the iterator takes effect at once, even while an event is awaited.
 */
export function createSubscriber(schema: GraphQLSchema): Subscriber {
  return async ({ document, operationName = null, variables = null, context }, beginEvent) => {
    const operation = { schema, document, operationName, variableValues: variables };
    const source = await createSourceEventStream({ ...operation, contextValue: context });
    if (!(Symbol.asyncIterator in source)) return source;
    const events = source[Symbol.asyncIterator]();
    const results: AsyncIterableIterator<ExecutionResult, undefined> = {
      async next() {
        const { done, value: rootValue } = await events.next();
        if (done === true) return { done, value: undefined };
        const event = beginEvent();
        try {
          return { done: false, value: await execute({ ...operation, rootValue, contextValue: event.context }) };
        } finally {
          event.end();
        }
      },
      async return() {
        await events.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => results,
    };
    return results;
  };
}
