import { GraphQLError, type ExecutionResult } from 'graphql';

/** Wraps a failure of a whole request as a GraphQLError, which `mask-errors.ts` formats. */
export function requestError(failure: Error): GraphQLError {
  return failure instanceof GraphQLError ? failure : new GraphQLError(failure.message, { originalError: failure });
}

/** Marks the errors of a result that was not executed: status 400, and 200 for `application/json` (GraphQL over HTTP, "Status codes"). */
export function notExecuted(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { status: 400, spec: true } });
  return result;
}

/** Marks the errors of a subscription that has not begun: they are the whole response, although they have a path. */
export function asRefusal(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { spec: true } });
  return result;
}
