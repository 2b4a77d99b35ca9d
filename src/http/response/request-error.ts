import { GraphQLError, type ExecutionResult } from 'graphql';

/** A failure of a whole request, on its way to be worded in `mask-errors.ts`. */
export function requestError(failure: Error): GraphQLError {
  return failure instanceof GraphQLError ? failure : new GraphQLError(failure.message, { originalError: failure });
}

/** GraphQL over HTTP, "Status codes": what was not executed at all is a fault of the request. */
export function notExecuted(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { status: 400 } });
  return result;
}

/** The errors of a subscription that has not begun are the whole response, although they have a path. */
export function asRefusal(result: ExecutionResult): ExecutionResult {
  for (const { extensions } of result.errors ?? []) Object.assign(extensions, { http: { spec: true } });
  return result;
}
