import { execute, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import { createPlans, type Plan, type Plans } from './plan/plan.ts';
import { createProgramCache } from './plan/program-cache.ts';

/** A query to be executed; its document is valid. */
export interface ExecutionRequest {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  /** As they came. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  /** As the operation declares them; null where they do not fit it. */
  readonly coerced: Readonly<Record<string, unknown>> | null;
  readonly context: Context;
}

/** Who executed an operation: its plan, or graphql-js. */
export type ExecutionPath = 'compiled' | 'general';

/** Executes a query; errors are part of its result, and not worded yet. */
export type Executor = (request: ExecutionRequest) => ExecutionResult | Promise<ExecutionResult>;

/** How much is compiled, and who is told. */
export interface ExecutorOptions {
  /** False: all goes the general way, for whoever wants to know whether a fault is a plan's. */
  readonly isCompiling: boolean;
  /** Told of each execution. */
  readonly count: (way: ExecutionPath) => void;
}

/**
 * Executes operations by plans that are made once for each document and forgotten with it; how much code they hold all
 * together is bounded. What plans do not cover, and what one of them gives up because a value is not as it should be,
 * graphql-js executes; both ways have the same answer.
 */
export function createExecutor(schema: GraphQLSchema, { isCompiling, count }: ExecutorOptions): Executor {
  const plans = new WeakMap<DocumentNode, Plans>();
  const programs = createProgramCache();

  function planOf(document: DocumentNode, operationName: string | null | undefined): Plan | null {
    const known = plans.get(document);
    if (known !== undefined) return known(operationName);
    const created = createPlans(schema, document, programs);
    plans.set(document, created);
    return created(operationName);
  }

  function generally(
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

  return (request) => {
    const { document, operationName, coerced, context } = request;
    const plan = isCompiling && coerced !== null && context.at === undefined ? planOf(document, operationName) : null;
    const outcome = plan === null || coerced === null ? null : plan.execute(context, coerced);
    if (outcome === null) return generally(request);
    const answer = (done: Awaited<typeof outcome>) => {
      if (done.result === null) return generally(request, done.results);
      count('compiled');
      return done.result;
    };
    return outcome instanceof Promise ? outcome.then(answer) : answer(outcome);
  };
}
