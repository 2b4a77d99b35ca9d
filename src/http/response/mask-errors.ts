import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { locationsPerError, messageLength } from '../../bounds.ts';
import { gatewayErrorsOf, GatewayError, GatewayErrors, type ErrorCode } from '../../errors.ts';
import { FieldFailure } from '../../graphql/execution/field-failure.ts';
import { withShortQuotes } from '../../graphql/execution/quote.ts';
import { nodeAt, placeOf } from '../../limits/document-text.ts';
import type { FormattedFailure } from './error-report.ts';
import type { Exchange } from '../request/exchange.ts';
import { statusOf } from './status.ts';

type Extensions = NonNullable<GraphQLFormattedError['extensions']>;

/** What becomes public of a failure (interface: "Errors"); nothing else of it leaves the process. */
function extensionsOf(error: GatewayError, requestId: string): Extensions {
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
 * variable does not fit) keeps its words, but for the caller's key and what is long of its quotes; anything else is masked and
 * handed to `report`.
 */
export function maskedError(
  error: unknown,
  { requestId, hideKey }: Pick<Exchange, 'requestId' | 'hideKey'>,
  report: (cause: unknown) => void,
): FormattedFailure<GraphQLError> {
  const placed = error instanceof GraphQLError || error instanceof FieldFailure ? error : null;
  const { path, originalError = error } = placed ?? {};
  const worded = (message: string, extensions: Extensions): GraphQLError =>
    Object.assign(new GraphQLError(message, { path: path ?? null, extensions }), placesOf(placed));
  const said = requestErrorOf(error);
  if (said !== null) {
    const word = () =>
      worded(withShortQuotes(hideKey(said.message, messageLength)), requestExtensionsOf(said, requestId));
    return { coordinate: null, count: 1, more: 0, word };
  }
  const failures = failuresOf(originalError);
  const isValue = originalError instanceof GatewayError && originalError.violation !== undefined;
  return {
    coordinate: isValue && error instanceof FieldFailure ? error.coordinate : null,
    count: failures.length,
    more: originalError instanceof GatewayErrors ? originalError.more : 0,
    word: (index) => {
      const failure = failures[index] ?? new GatewayError('INTERNAL_SERVER_ERROR');
      if (failure.code === 'INTERNAL_SERVER_ERROR') report(failure.cause);
      const extensions = extensionsOf(failure, requestId);
      const message = hideKey(failure.message, messageLength);
      return worded(message, isWhole(placed) ? { ...extensions, http: httpOf(failure, path) } : extensions);
    },
  };
}

/**
 * Where in the document an error is; a field that is selected again and again is told of at its first places. Yoga looks for the
 * places once more when it prints an error: it is given nodes in which they are quickly found.
 */
function placesOf(placed: GraphQLError | FieldFailure | null): Partial<Pick<GraphQLError, 'nodes' | 'locations'>> {
  const found = placed?.nodes?.slice(0, locationsPerError).flatMap((node) => placeOf(node) ?? []) ?? [];
  const places = found.length === 0 && placed instanceof GraphQLError ? placed.locations : found;
  return places === undefined || places.length === 0 ? {} : { locations: places, nodes: places.map(nodeAt) };
}

/**
 * What graphql-js or Yoga says about the request, and no resolver: no error of another kind stands behind it. Null where
 * there is one.
 */
function requestErrorOf(error: unknown): GraphQLError | null {
  if (error instanceof FieldFailure) return requestErrorOf(error.originalError);
  if (!(error instanceof GraphQLError)) return null;
  return error.originalError === undefined || requestErrorOf(error.originalError) !== null ? error : null;
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
function isWhole(placed: GraphQLError | FieldFailure | null): boolean {
  return placed?.path === undefined || 'http' in placed.extensions;
}

/**
 * For a failure of the whole request; `spec` has Yoga answer 200 where application/json or a stream is understood. Whoever
 * subscribes reads what failed as an event, which no client would look for in an answer that is none.
 */
function httpOf({ code }: GatewayError, path: GraphQLError['path']) {
  const status = statusOf(code);
  return { status, spec: status < 500 || path !== undefined };
}
