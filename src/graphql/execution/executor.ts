import {
  createSourceEventStream,
  execute,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { DeliverySource, StreamEvent } from '../../live/stream.ts';
import type { Context } from '../context.ts';
import type { Values } from '../document.ts';
import { createPlans } from './plan/plan.ts';
import type { GiveUpReason } from './bytes/rows.ts';

/** An operation to be executed; its document is valid. */
interface ExecutionRequest {
  readonly document: DocumentNode;
  /** The one operation of the document that is asked for. */
  readonly definition: OperationDefinitionNode;
  /** The variables, coerced as it declares them. */
  readonly coerced: Values;
  /** Of a subscription, that of its beginning, or of one event. */
  readonly context: Context;
  /** Whether the data of a query may be `WrittenData`, where there are no errors. */
  readonly takesWritten?: boolean;
}

/** The path that a query took: the API's bytes, its compiled plan, or the general executor (graphql-js). */
type ExecutionPath = 'bytes' | 'compiled' | 'general';

interface ExecutorOptions {
  /** False: all queries take the general path. It shows whether a fault is one of plans. */
  readonly isCompiling: boolean;
  /** Whether secrets are shown to the callers to whom they belong. */
  readonly exposeSecrets: boolean;
  readonly count: (path: ExecutionPath) => void;
  /** Called where a query might have been written from the API's bytes, and was not. */
  readonly countGiveUp?: (reason: GiveUpReason) => void;
}

/** Executes operations. Errors are part of a result, and are not formatted yet. */
export interface Executor {
  execute(request: ExecutionRequest): Promise<ExecutionResult>;
  /** Begins a subscription: the source of its events, or a result with the errors for which it could not begin. */
  begin(request: ExecutionRequest): Promise<ExecutionResult | DeliverySource>;
  /** Executes one event. graphql-js would give all events the context of the first, whose loaders cache and whose time is limited. */
  executeEvent(request: ExecutionRequest, event: StreamEvent): ExecutionResult | Promise<ExecutionResult>;
}

/**
 * Executes queries by plans. A plan is made once for each document and forgotten with it, and the code of all plans together is
 * bounded. graphql-js executes the queries that plans do not cover, and those that a plan gives up because a value is not as it
 * should be. Both paths have the same result.
 */
export function createExecutor(schema: GraphQLSchema, options: ExecutorOptions): Executor {
  const { isCompiling, exposeSecrets, count, countGiveUp } = options;
  const findPlan = createPlans(schema, exposeSecrets);

  function argsFor({ document, definition, coerced, context }: ExecutionRequest): ExecutionArgs {
    const operationName = definition.name?.value ?? null;
    // To coerce them once more changes nothing.
    return { schema, document, operationName, variableValues: coerced, contextValue: context };
  }

  function executeGenerally(request: ExecutionRequest) {
    count('general');
    return execute(argsFor(request));
  }

  return {
    async execute(request) {
      const { document, definition, coerced, context, takesWritten = false } = request;
      const plan = isCompiling ? findPlan(document, definition) : null;
      if (plan === null) return executeGenerally(request);
      if (takesWritten) {
        const written = (await plan.write(context, coerced)) ?? 'selection';
        if (typeof written !== 'string') {
          count('bytes');
          return { data: written as unknown as Record<string, unknown> };
        }
        countGiveUp?.(written);
      }
      const outcome = await plan.execute(context, coerced);
      if (outcome === null) return executeGenerally(request);
      count('compiled');
      return outcome;
    },
    // What is iterable is what the field's resolver has returned.
    begin: async (request) => (await createSourceEventStream(argsFor(request))) as ExecutionResult | DeliverySource,
    executeEvent: (request, event) => execute({ ...argsFor(request), rootValue: event }),
  };
}
