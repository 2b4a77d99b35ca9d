import { execute, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { createPlans, type Plan, type Plans } from './plan/plan.ts';
import { createProgramCache } from './plan/program-cache.ts';
import type { GiveUpReason } from './bytes/rows.ts';

/** A query to be executed; its document is valid. */
export interface ExecutionRequest {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  /** As the client sent them. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  /** Coerced as the operation declares them; null where they do not fit. */
  readonly coerced: Readonly<Record<string, unknown>> | null;
  readonly context: Context;
  /** Whether the data may be `WrittenData`, where there are no errors. */
  readonly takesWritten?: boolean;
}

/** The path that an operation took: the API's bytes, its compiled plan, or the general executor (graphql-js). */
export type ExecutionPath = 'bytes' | 'compiled' | 'general';

/** Executes a query. Errors are part of its result, and are not formatted yet. */
export type Executor = (request: ExecutionRequest) => ExecutionResult | Promise<ExecutionResult>;

/** Whether operations are compiled, and what counts the paths they take. */
export interface ExecutorOptions {
  /** False: all operations take the general path. It shows whether a fault is one of plans. */
  readonly isCompiling: boolean;
  /** Called for each execution. */
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
  const plans = new WeakMap<DocumentNode, Plans>();
  const programs = createProgramCache();

  function planOf(document: DocumentNode, operationName: string | null | undefined): Plan | null {
    const known = plans.get(document);
    if (known !== undefined) return known(operationName);
    const created = createPlans(schema, document, programs);
    plans.set(document, created);
    return created(operationName);
  }

  function executeGenerally(
    { document, operationName, variables, context }: ExecutionRequest,
    results?: Context['results'],
  ): ExecutionResult | Promise<ExecutionResult> {
    count('general');
    return execute({
      schema,
      document,
      operationName: operationName ?? null,
      variableValues: variables ?? null,
      contextValue: results === undefined ? context : { ...context, results },
    });
  }

  /** Null where there is none, or no variables to run it with. */
  function planFor({ document, operationName, coerced, context }: ExecutionRequest): Plan | null {
    return isCompiling && coerced !== null && context.at === undefined ? planOf(document, operationName) : null;
  }

  function run(plan: Plan, request: ExecutionRequest): ExecutionResult | Promise<ExecutionResult> {
    const outcome = plan.execute(request.context, request.coerced ?? {});
    if (outcome === null) return executeGenerally(request);
    const answer = (done: Awaited<typeof outcome>) => {
      if (done.result === null) return executeGenerally(request, done.results);
      count('compiled');
      return done.result;
    };
    return outcome instanceof Promise ? outcome.then(answer) : answer(outcome);
  }

  function withoutBytes(reason: GiveUpReason, plan: Plan, request: ExecutionRequest) {
    countGiveUp?.(reason);
    return run(plan, request);
  }

  return (request) => {
    const plan = planFor(request);
    if (plan === null) return executeGenerally(request);
    if (request.takesWritten !== true) return run(plan, request);
    const writing = plan.write(request.context, request.coerced ?? {}, (written) => {
      if (typeof written === 'string') return withoutBytes(written, plan, request);
      count('bytes');
      return { data: written as unknown as Record<string, unknown> };
    });
    return writing ?? withoutBytes('selection', plan, request);
  };
}
