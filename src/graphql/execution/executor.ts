import {
  createSourceEventStream,
  execute,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { DeliverySource, StreamEvent } from '../../live/stream.ts';
import type { Context } from '../context.ts';
import type { Values } from '../document.ts';
import type { Outcome } from './plan/compile.ts';
import { createPlans, type Plan } from './plan/plan.ts';
import type { GiveUpReason } from './bytes/rows.ts';

/** A query to be executed; its document is valid. */
interface ExecutionRequest {
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for. */
  readonly definition: OperationDefinitionNode;
  /** The variables, coerced as it declares them. */
  readonly coerced: Values;
  readonly context: Context;
  /** Whether the data may be `WrittenData`, where there are no errors. */
  readonly takesWritten?: boolean;
}

/** The path that an operation took: the API's bytes, its compiled plan, or the general executor (graphql-js). */
type ExecutionPath = 'bytes' | 'compiled' | 'general';

/** Executes a query. Errors are part of its result, and are not formatted yet. */
export type Executor = (request: ExecutionRequest) => ExecutionResult | Promise<ExecutionResult>;

/** Whether operations are compiled, and what counts the paths they take. */
interface ExecutorOptions {
  /** False: all operations take the general path. It shows whether a fault is one of plans. */
  readonly isCompiling: boolean;
  readonly count: (path: ExecutionPath) => void;
  /** Called where an operation might have been written from the API's bytes, and was not. */
  readonly countGiveUp?: (reason: GiveUpReason) => void;
}

/**
 * Executes operations by plans. A plan is made once for each document and forgotten with it, and the code of all plans together is
 * bounded. graphql-js executes the operations that plans do not cover, and those that a plan gives up because a value is not as it
 * should be. Both paths have the same result.
 */
export function createExecutor(schema: GraphQLSchema, { isCompiling, count, countGiveUp }: ExecutorOptions): Executor {
  const findPlan = createPlans(schema);

  function executeGenerally(request: ExecutionRequest) {
    count('general');
    return execute(argsFor(schema, request));
  }

  function run(plan: Plan, request: ExecutionRequest): ExecutionResult | Promise<ExecutionResult> {
    const outcome = plan.execute(request.context, request.coerced);
    const answer = (done: Outcome) => {
      if (done === null) return executeGenerally(request);
      count('compiled');
      return done;
    };
    return outcome instanceof Promise ? outcome.then(answer) : answer(outcome);
  }

  function withoutBytes(reason: GiveUpReason, plan: Plan, request: ExecutionRequest) {
    countGiveUp?.(reason);
    return run(plan, request);
  }

  return (request) => {
    const plan = isCompiling ? findPlan(request.document, request.definition) : null;
    if (plan === null) return executeGenerally(request);
    if (request.takesWritten !== true) return run(plan, request);
    const writing = plan.write(request.context, request.coerced);
    if (writing === null) return withoutBytes('selection', plan, request);
    return writing.then((written) => {
      if (typeof written === 'string') return withoutBytes(written, plan, request);
      count('bytes');
      return { data: written as unknown as Record<string, unknown> };
    });
  };
}

/** A subscription; its document is valid. The context is that of its beginning, or of one event. */
type SubscriptionRequest = Omit<ExecutionRequest, 'takesWritten'>;

export interface Subscriber {
  /** Begins a subscription: the source of its events, or a result with the errors for which it could not begin. */
  begin(request: SubscriptionRequest): Promise<ExecutionResult | DeliverySource>;
  /** Executes one event. graphql-js would give all events the context of the first, whose loaders cache and whose time is limited. */
  execute(request: SubscriptionRequest, event: StreamEvent): ExecutionResult | Promise<ExecutionResult>;
}

export function isSource(begun: ExecutionResult | DeliverySource): begun is DeliverySource {
  return Symbol.asyncIterator in begun;
}

export function createSubscriber(schema: GraphQLSchema): Subscriber {
  return {
    // What is iterable is what the field's resolver has returned.
    begin: async (request) =>
      (await createSourceEventStream(argsFor(schema, request))) as ExecutionResult | DeliverySource,
    execute: (request, event) => execute({ ...argsFor(schema, request), rootValue: event }),
  };
}

function argsFor(schema: GraphQLSchema, { document, definition, coerced, context }: SubscriptionRequest) {
  const operationName = definition.name?.value ?? null;
  // To coerce them once more changes nothing.
  return { schema, document, operationName, variableValues: coerced, contextValue: context };
}
