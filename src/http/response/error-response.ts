import type { ServerResponse } from 'node:http';
import { GraphQLError, type GraphQLFormattedError, type ExecutionResult } from 'graphql';
import { messageLength } from '../../bounds.ts';
import { gatewayErrorsOf, GatewayError, GatewayErrors, statusOf, type ErrorCode } from '../../errors.ts';
import { FieldFailure } from '../../graphql/schema/field-middleware.ts';
import { withHiddenQuotes, withShortQuotes } from '../../graphql/execution/message-quote.ts';
import { nodeAt, placeOf } from '../../limits/document-text.ts';
import { type FormattableFailure, ErrorReport } from './error-report.ts';
import type { Exchange } from '../request/exchange.ts';
import { describeFailure, type Log } from '../../telemetry/log.ts';

/** Locations in the document that one error names. A field may be selected three thousand times. */
export const locationsPerError = 10;

type Extensions = NonNullable<GraphQLFormattedError['extensions']>;

/** The public part of a failure (interface: "Errors"). Nothing else of it leaves the process. */
function extensionsOf(error: GatewayError, requestId: string, signupUrl: string | null): Extensions {
  const { code, retryable, retryAfterSeconds, excess, argument, upstream } = error;
  return {
    code,
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...excess,
    ...(argument !== undefined && { argument }),
    ...(upstream !== undefined && { upstream }),
    ...(code === 'UNAUTHENTICATED' && signupUrl !== null && { signupUrl }),
    requestId,
  };
}

/**
 * The one place where an Error becomes a GraphQLError:
 * - A GatewayError keeps its message. Several of one upstream response become several errors at the same path.
 * - An error of graphql-js about the request (syntax, validation, variables) keeps its message, without the caller's key and
 *   with short quotes.
 * - Any other error is masked, and its cause is handed to `logCause`.
 * An UNAUTHENTICATED error says where a key is to be had.
 */
export function formattableFailure(
  error: unknown,
  { requestId, hideKey }: Pick<Exchange, 'requestId' | 'hideKey'>,
  logCause: (cause: unknown) => void,
  signupUrl: string | null,
): FormattableFailure<GraphQLError> {
  const placed = error instanceof GraphQLError || error instanceof FieldFailure ? error : null;
  const { path, originalError = error } = placed ?? {};
  const toGraphqlError = (message: string, extensions: Extensions): GraphQLError =>
    Object.assign(new GraphQLError(message, { path: path ?? null, extensions }), placesOf(placed));
  const found = requestErrorOf(error);
  if (found !== null) {
    const format = (): GraphQLError => {
      const message = withShortQuotes(shownMessage(found.message.slice(0, messageLength), hideKey));
      return toGraphqlError(message, requestExtensionsOf(found, requestId));
    };
    return { coordinate: null, count: 1, more: 0, format };
  }
  const failures = failuresOf(originalError);
  const isValue = originalError instanceof GatewayError && originalError.violation !== undefined;
  return {
    coordinate: isValue && error instanceof FieldFailure ? error.coordinate : null,
    count: failures.length,
    more: originalError instanceof GatewayErrors ? originalError.more : 0,
    format: (index) => {
      const failure = failures[index] ?? new GatewayError('INTERNAL_SERVER_ERROR');
      if (failure.code === 'INTERNAL_SERVER_ERROR') logCause(failure.cause);
      const extensions = extensionsOf(failure, requestId, signupUrl);
      const { detail, title } = failure.upstream ?? {};
      // The key was taken out of what the upstream says when that was read; of the gateway's words only quotations come from outside.
      const isForeign = failure.message === detail || failure.message === title;
      const message = isForeign ? failure.message : shownMessage(failure.message.slice(0, messageLength), hideKey);
      return toGraphqlError(message, isWhole(placed) ? { ...extensions, http: httpOf(failure, path) } : extensions);
    },
  };
}

/** A message without the caller's key in what it quotes, and without halves of characters. */
function shownMessage(message: string, hideKey: Exchange['hideKey']): string {
  return withHiddenQuotes(message, (text) => hideKey(text)).toWellFormed();
}

/**
 * The places of an error in the document, at most `locationsPerError`. Yoga looks for the places once more when it prints an
 * error, so it gets nodes in which they are found quickly.
 */
function placesOf(placed: GraphQLError | FieldFailure | null): Partial<Pick<GraphQLError, 'nodes' | 'locations'>> {
  const found = placed?.nodes?.slice(0, locationsPerError).flatMap((node) => placeOf(node) ?? []) ?? [];
  const places = found.length === 0 && placed instanceof GraphQLError ? placed.locations : found;
  return places === undefined || places.length === 0 ? {} : { locations: places, nodes: places.map(nodeAt) };
}

/**
 * The error of graphql-js or Yoga about the request itself; null where an error of another kind, such as a resolver's, is its
 * cause.
 */
function requestErrorOf(error: unknown): GraphQLError | null {
  if (error instanceof FieldFailure) return requestErrorOf(error.originalError);
  if (!(error instanceof GraphQLError)) return null;
  return error.originalError === undefined || requestErrorOf(error.originalError) !== null ? error : null;
}

/** The code, and the status for Yoga, which does not print it. Other extensions of Yoga may quote the request's body. */
function requestExtensionsOf({ extensions }: GraphQLError, requestId: string): Extensions {
  const { code = 'BAD_USER_INPUT' satisfies ErrorCode } = extensions;
  // Yoga would respond with 400 to who takes application/json as well (GraphQL over HTTP, "Status Codes").
  const isUnresolved = code === 'OPERATION_RESOLUTION_FAILURE';
  const http = isUnresolved ? { status: 400, spec: true } : extensions['http'];
  return { code, retryable: false, requestId, ...(http !== undefined && { http }) };
}

/** A full call stack means a deep document: every other part of a request is read without recursion. */
function failuresOf(error: unknown): readonly GatewayError[] {
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return [new GatewayError('QUERY_TOO_COMPLEX', { message: 'The query is nested too deeply to be read.' })];
  return gatewayErrorsOf(error);
}

/** Whether an error is the whole response: it has no path, or `asRefusal` has marked it. */
function isWhole(placed: GraphQLError | FieldFailure | null): boolean {
  return placed?.path === undefined || 'http' in placed.extensions;
}

/**
 * The status of a failure of the whole request. `spec` makes Yoga respond with 200 where the client takes application/json or
 * a stream: a subscriber reads the failure as an event, and looks for none in a response with another status.
 */
function httpOf({ code }: GatewayError, path: GraphQLError['path']) {
  const status = statusOf(code);
  return { status, spec: status < 500 || path !== undefined };
}

/** What the formatting of failures needs besides the exchange. */
interface FailureFormat {
  /** Where a key is to be had; null where nobody says. */
  readonly signupUrl: string | null;
  readonly logCause?: (cause: unknown) => void;
}

/** Formats a failure as GraphQL does, and notes its codes for the log and the metrics. */
export function reportFailure(
  failure: unknown,
  exchange: Exchange,
  { signupUrl, logCause = () => {} }: FailureFormat,
): readonly GraphQLError[] {
  const reported = new ErrorReport().report([formattableFailure(failure, exchange, logCause, signupUrl)]);
  exchange.record.noteErrors(reported.map(({ extensions }) => String(extensions['code'])));
  return reported;
}

/** Sends a failure outside of GraphQL as `{"errors":[…]}`, formatted as in GraphQL. Without a given status, the first error decides it. */
export function sendErrors(
  res: ServerResponse,
  exchange: Exchange,
  failure: unknown,
  { status, signupUrl = null }: { readonly status?: number; readonly signupUrl?: string | null } = {},
): void {
  const failures = gatewayErrorsOf(failure);
  const [{ code, retryAfterSeconds } = new GatewayError('INTERNAL_SERVER_ERROR')] = failures;
  const chosen = status ?? statusOf(code);
  if (retryAfterSeconds !== undefined) res.setHeader('retry-after', retryAfterSeconds);
  if (chosen === 401) res.setHeader('www-authenticate', challenge);
  // A cache might keep a 404, for example, which is of this moment and names its request.
  if (!res.hasHeader('cache-control')) res.setHeader('cache-control', 'no-store');
  const reported = reportFailure(failure, exchange, { signupUrl });
  const errors = reported.map(({ message, extensions: { http: _http, ...extensions } }) => ({ message, extensions }));
  const body = JSON.stringify({ errors });
  res.writeHead(chosen, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}

/** The WWW-Authenticate of every response with status 401 (RFC 6750, section 3). */
export const challenge = 'Bearer';

/** Wraps a failure of a whole request as a GraphQLError, which `formattableFailure` formats. */
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

/** Logs what an INTERNAL_SERVER_ERROR hides from the client, with the ids of its request. */
export function logInternalError(log: Log, { requestId, signal, trace }: Exchange, cause: unknown): void {
  // A failure that follows from the client's leaving is no fault of the gateway.
  if (signal.aborted) return;
  log.error({ requestId, ...trace?.ids, error: describeFailure(cause) }, 'internal error');
}
