import { GraphQLError } from 'graphql';

/** A failure of a whole request, on its way to be worded in `mask-errors.ts`. */
export function requestError(failure: Error): GraphQLError {
  return failure instanceof GraphQLError ? failure : new GraphQLError(failure.message, { originalError: failure });
}
