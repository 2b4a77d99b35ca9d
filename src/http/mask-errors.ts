import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { locationsPerError } from '../bounds.ts';
import { gatewayErrorsOf, GatewayError, type ErrorCode } from '../errors.ts';
import { nodeAt, placeOf } from '../limits/document-text.ts';
import type { Exchange } from './exchange.ts';
import { statusOf } from './status.ts';

type Extensions = NonNullable<GraphQLFormattedError['extensions']>;

/** What becomes public of a failure (interface: "Errors"); nothing else of it leaves the process. */
export function extensionsOf(error: GatewayError, requestId: string): Extensions {
  const { code, retryable, retryAfterSeconds, excess, argument, upstream } = error;
  return {
    code,
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...excess,
    ...(argument !== undefined && { argument }),
    ...(upstream !== undefined && { upstream }),
    requestId,
  };
}

/**
 * The one place where an Error becomes a GraphQLError. A GatewayError speaks for itself, several of one upstream answer
 * become several errors at the same path; what graphql-js itself says of a request (it cannot be parsed, is not valid, a
 * variable does not fit) keeps its words, but for the caller's key; anything else is masked and handed to `report`.
 */
export function maskError(
  error: unknown,
  { requestId, hideKey }: Pick<Exchange, 'requestId' | 'hideKey'>,
  report: (cause: unknown) => void,
): readonly GraphQLError[] {
  const { path, originalError } = error instanceof GraphQLError ? error : { path: undefined, originalError: error };
  const places = error instanceof GraphQLError ? placed(error) : {};
  const worded = (message: string, extensions: Extensions): GraphQLError =>
    Object.assign(new GraphQLError(hideKey(message), { path: path ?? null, extensions }), places);
  if (error instanceof GraphQLError && isRequestError(error))
    return [worded(error.message, requestExtensionsOf(error, requestId))];
  return failuresOf(originalError ?? error).map((failure) => {
    if (failure.code === 'INTERNAL_SERVER_ERROR') report(failure.cause);
    const extensions = extensionsOf(failure, requestId);
    return worded(failure.message, isWhole(error) ? { ...extensions, http: httpOf(failure, path) } : extensions);
  });
}

/**
 * Where in the document an error is; a field that is selected again and again is told of at its first places. Yoga looks for the
 * places once more when it prints an error: it is given nodes in which they are quickly found.
 */
function placed({ nodes, locations }: GraphQLError): Partial<Pick<GraphQLError, 'nodes' | 'locations'>> {
  const found = nodes?.slice(0, locationsPerError).flatMap((node) => placeOf(node) ?? []) ?? [];
  const places = found.length === 0 ? locations : found;
  return places === undefined ? {} : { locations: places, nodes: places.map(nodeAt) };
}

/** Said by graphql-js or Yoga about the request, not by a resolver: no error of another kind stands behind it. */
function isRequestError({ originalError }: GraphQLError): boolean {
  if (originalError === undefined) return true;
  return originalError instanceof GraphQLError && isRequestError(originalError);
}

/** The code, and the status for Yoga, which does not print it: whatever else Yoga tells may quote the request's body. */
function requestExtensionsOf({ extensions }: GraphQLError, requestId: string): Extensions {
  const { code = 'BAD_USER_INPUT' satisfies ErrorCode, http } = extensions;
  return { code, retryable: false, requestId, ...(http !== undefined && { http }) };
}

/** Only a document can be deep enough to exhaust the stack: everything else of a request is read without recursion. */
function failuresOf(error: unknown): readonly GatewayError[] {
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return [new GatewayError('QUERY_TOO_COMPLEX', { message: 'The query is nested too deeply to be read.' })];
  return gatewayErrorsOf(error);
}

/** Whether an error is all of an answer: it has no place in one, or was marked so by whoever knows that there is no other part. */
function isWhole(error: unknown): boolean {
  return !(error instanceof GraphQLError) || error.path === undefined || 'http' in error.extensions;
}

/**
 * For a failure of the whole request; `spec` has Yoga answer 200 where application/json or a stream is understood. Whoever
 * subscribes reads what failed as an event, which no client would look for in an answer that is none.
 */
function httpOf({ code }: GatewayError, path: GraphQLError['path']) {
  const status = statusOf(code);
  return { status, spec: status < 500 || path !== undefined };
}
