import { createSourceEventStream, execute, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { DeliverySource } from '../../live/delivery-feed.ts';
import type { StreamEvent } from '../../live/shared-stream.ts';
import type { ExecutionRequest } from './executor.ts';

/** A subscription; its document is valid. The context is that of its beginning, or of one event. */
export type SubscriptionRequest = Omit<ExecutionRequest, 'coerced' | 'takesWritten'>;

/** Begins subscriptions and executes their events. */
export interface Subscriber {
  /** Begins a subscription: the source of its events, or a result with the errors for which it could not begin. */
  begin(request: SubscriptionRequest): Promise<ExecutionResult | DeliverySource>;
  /** Executes one event. graphql-js would give all events the context of the first, whose loaders cache and whose time is limited. */
  execute(request: SubscriptionRequest, event: StreamEvent): ExecutionResult | Promise<ExecutionResult>;
}

/** Whether a subscription has begun. */
export function isSource(begun: ExecutionResult | DeliverySource): begun is DeliverySource {
  return Symbol.asyncIterator in begun;
}

/** Creates the subscriber of a schema. */
export function createSubscriber(schema: GraphQLSchema): Subscriber {
  const argsOf = ({ document, operationName = null, variables = null, context }: SubscriptionRequest) => ({
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue: context,
  });
  return {
    // What is iterable is what the field's resolver has returned.
    begin: async (request) => (await createSourceEventStream(argsOf(request))) as ExecutionResult | DeliverySource,
    execute: (request, event) => execute({ ...argsOf(request), rootValue: event }),
  };
}
