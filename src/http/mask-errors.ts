import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { gatewayErrorsOf, GatewayError, type ErrorCode } from '../errors.ts';

type Extensions = NonNullable<GraphQLFormattedError['extensions']>;

/** What becomes public of a failure (interface: "Errors"); nothing else of it leaves the process. */
export function extensionsOf(error: GatewayError, requestId: string): Extensions {
  const { code, retryable, retryAfterSeconds, argument, upstream } = error;
  return {
    code,
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(argument !== undefined && { argument }),
    ...(upstream !== undefined && { upstream }),
    requestId,
  };
}

/**
 * The one place where an Error becomes a GraphQLError. A GatewayError speaks for itself, several of one upstream answer
 * become several errors at the same path; what graphql-js itself says of a request (it cannot be parsed, is not valid, a
 * variable does not fit) keeps its words; anything else is masked and handed to `report`.
 */
export function maskError(
  error: unknown,
  requestId: string,
  report: (cause: unknown) => void,
): readonly GraphQLError[] {
  if (error instanceof GraphQLError && isRequestError(error)) return [requestError(error, requestId)];
  const { nodes, path, originalError } =
    error instanceof GraphQLError ? error : { nodes: null, path: null, originalError: error };
  return gatewayErrorsOf(originalError ?? error).map((gatewayError) => {
    if (gatewayError.code === 'INTERNAL_SERVER_ERROR') report(gatewayError.cause);
    return new GraphQLError(gatewayError.message, {
      nodes: nodes ?? null,
      path: path ?? null,
      extensions: extensionsOf(gatewayError, requestId),
    });
  });
}

/** Said by graphql-js or Yoga about the request, not by a resolver: no error of another kind stands behind it. */
function isRequestError({ originalError }: GraphQLError): boolean {
  if (originalError === undefined) return true;
  return originalError instanceof GraphQLError && isRequestError(originalError);
}

function requestError(error: GraphQLError, requestId: string): GraphQLError {
  const { nodes, source, positions, path } = error;
  const code = error.extensions['code'] ?? ('BAD_USER_INPUT' satisfies ErrorCode);
  const extensions = { ...error.extensions, code, retryable: false, requestId };
  return new GraphQLError(error.message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}
