import type { ServerResponse } from 'node:http';
import { GraphQLError, type GraphQLErrorExtensions, type ExecutionResult } from 'graphql';
import { gatewayErrorsOf, GatewayError, statusOf, GatewayErrors, type ErrorCode } from '../../errors.ts';
import type { CancelSignal } from '../../cancellation.ts';
import { errorsPerResponse, messageLength } from '../../bounds.ts';
import { FieldFailure } from '../../graphql/schema/field-middleware.ts';
import { withHiddenQuotes, withShortQuotes } from '../../graphql/execution/message-quote.ts';
import { placeOf } from '../../limits/document-reader.ts';
import { sendJson, setHeadersForCaller } from './cache-headers.ts';
import type { Request } from '../request/request.ts';

/** The WWW-Authenticate of every response with status 401 (RFC 6750, section 3). */
const challenge = 'Bearer';

/** Why an operation does not run, and the status of the response that says so. */
export class Refusal {
  readonly errors: readonly GraphQLError[];
  readonly #status: number;
  /** Whether the status is 200 where the response is as old clients know it. */
  readonly #isTold: boolean;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    errors: readonly GraphQLError[],
    status: number,
    isTold = true,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.errors = errors;
    this.#status = status;
    this.#isTold = isTold;
    this.#headers = headers;
  }

  /**
   * The status in a media type. With `application/json` it is 200 for whatever is wrong with an operation (GraphQL over HTTP, "Status
   * codes"), and with a stream too: a subscriber reads the failure as an event, and looks for none in a response with another status.
   */
  statusIn(mediaType: string): number {
    const isOld = mediaType === 'application/json' || mediaType === 'text/event-stream';
    return this.#isTold && isOld ? 200 : this.#status;
  }

  /** Sets the header fields of a response in a media type, and returns its status. */
  begin(res: ServerResponse, mediaType: string): number {
    const status = this.statusIn(mediaType);
    for (const [name, value] of Object.entries(this.#headers)) res.setHeader(name, value);
    if (status === 401) res.setHeader('www-authenticate', challenge);
    return status;
  }
}

/** Refuses a request that is not well formed: with this status in every media type. */
export function requestRefusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
  code = 'BAD_REQUEST',
): Refusal {
  return new Refusal([new GraphQLError(message, { extensions: { code } })], status, false, headers);
}

/** Refuses an operation with errors that say what is wrong with it, or for a failure, which may be the gateway's own. */
export function operationRefusal(...errors: readonly Error[]): Refusal {
  const shown = errors.map(requestError);
  const status = Math.max(...shown.map((error) => statusOfError(error) ?? 400));
  return new Refusal(shown, status, status < 500);
}

/** Refuses a subscription that could not begin. Its errors have paths, and are the whole response all the same. */
export function streamRefusal(errors: readonly GraphQLError[]): Refusal {
  return new Refusal(errors, Math.max(...errors.map((error) => statusOfError(error) ?? 200)));
}

/** Wraps a failure of a whole request as a GraphQLError, which `ErrorReport` formats. */
export function requestError(failure: Error): GraphQLError {
  return failure instanceof GraphQLError ? failure : new GraphQLError(failure.message, { originalError: failure });
}

/** The status for the failure behind an error; undefined for an error of GraphQL itself. */
function statusOfError({ originalError }: GraphQLError): number | undefined {
  if (originalError instanceof GraphQLError) return statusOfError(originalError);
  if (originalError == null) return undefined;
  return Math.max(...failuresOf(originalError).map(({ code }) => statusOf(code)));
}

/** A full call stack means a deep document: every other part of a request is read without recursion. */
function failuresOf(error: unknown): readonly GatewayError[] {
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return [new GatewayError('QUERY_TOO_COMPLEX', { message: 'The query is nested too deeply to be read.' })];
  return gatewayErrorsOf(error);
}

/** Locations in the document that one error names. A field may be selected three thousand times. */
export const locationsPerError = 10;

/** An error of graphql-js about the request (syntax, validation, variables), or any other failure. */
type Failure = GraphQLError | GatewayError;

/** What failed at one place of a response. */
interface FailedPlace {
  /** The field whose value the schema cannot represent; null for any other failure, which has a reason of its own. */
  readonly coordinate: string | null;
  readonly failures: readonly Failure[];
  /** How many further failures there were. */
  readonly more: number;
}

function failedPlaceOf(error: unknown): FailedPlace {
  const found = requestErrorOf(error);
  if (found !== null) return { coordinate: null, failures: [found], more: 0 };
  const { originalError: cause = error } = isPlaced(error) ? error : {};
  const isValue = cause instanceof GatewayError && cause.details.violation !== undefined;
  return {
    coordinate: isValue && error instanceof FieldFailure ? error.coordinate : null,
    failures: failuresOf(cause),
    more: cause instanceof GatewayErrors ? cause.more : 0,
  };
}

function isPlaced(error: unknown): error is GraphQLError | FieldFailure {
  return error instanceof GraphQLError || error instanceof FieldFailure;
}

/**
 * The one place where an Error becomes a GraphQLError:
 * - A GatewayError keeps its message. Several of one upstream response become several errors at the same path.
 * - An error of graphql-js about the request keeps its message, without the caller's key and with short quotes.
 * - Any other error is masked.
 * An UNAUTHENTICATED error says where a key is to be had.
 */
function formatted(error: unknown, failure: Failure, request: Request): GraphQLError {
  const placed = isPlaced(error) ? error : null;
  const { path = null } = placed ?? {};
  const shown = new GraphQLError(messageOf(failure, request), { path, extensions: extensionsOf(failure, request) });
  return Object.assign(shown, placesOf(placed));
}

/** The public part of a failure (interface: "Errors"). Nothing else of it leaves the process: Yoga's extensions may quote a body. */
function extensionsOf(failure: Failure, { requestId, signupUrl }: Request): GraphQLErrorExtensions {
  if (failure instanceof GraphQLError) {
    const { code = 'BAD_USER_INPUT' satisfies ErrorCode } = failure.extensions;
    return { code, retryable: false, requestId };
  }
  const { code, retryable, details } = failure;
  const { retryAfterSeconds, excess, argument, upstream } = details;
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

/** A message without the caller's key, and without halves of characters. One of graphql-js has short quotes. */
function messageOf(failure: Failure, { hideKey }: Request): string {
  const { message } = failure;
  const { detail, title } = failure instanceof GatewayError ? (failure.details.upstream ?? {}) : {};
  // The key was taken out of what the upstream says when that was read; of other words only quotations come from outside.
  if (message === detail || message === title) return message;
  const shown = withHiddenQuotes(message.slice(0, messageLength), (text) => hideKey(text)).toWellFormed();
  return failure instanceof GraphQLError ? withShortQuotes(shown) : shown;
}

/** The places of an error in the document, at most `locationsPerError`. */
function placesOf(placed: GraphQLError | FieldFailure | null): Partial<Pick<GraphQLError, 'locations'>> {
  const found = placed?.nodes?.slice(0, locationsPerError).flatMap((node) => placeOf(node) ?? []) ?? [];
  const places = found.length === 0 && placed instanceof GraphQLError ? placed.locations : found;
  return places === undefined || places.length === 0 ? {} : { locations: places };
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

/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;

/** Characters of the errors of one response as JSON, of more than one: a path is as long as the names that the client gave to fields. */
const errorsLength = 65_536;

/** Errors of one coordinate, of one part of a response. */
interface Reported {
  /** The last one that is told; null where none is. */
  last: GraphQLError | null;
  /** How many are not. */
  rest: number;
}

/**
 * The errors that one response reports: at most `errorsPerCoordinate` of one coordinate of the schema, and `errorsPerResponse` of all.
 * The last error says how many are missing. Those are counted and never formatted.
 */
export class ErrorReport {
  readonly #request: Request;
  readonly #signal: CancelSignal;
  #count = 0;
  #length = 0;
  readonly #counts = new Map<string | null, number>();

  /** The causes of INTERNAL_SERVER_ERRORs are logged, until the signal aborts. */
  constructor(request: Request, signal: CancelSignal = request.signal) {
    this.#request = request;
    this.#signal = signal;
  }

  /** Formats the errors of one part of the response. Unless `othersFollow`, it is the last part. */
  report(errors: readonly unknown[], othersFollow = false): readonly GraphQLError[] {
    const told: GraphQLError[] = [];
    const parts = new Map<string | null, Reported>();
    for (const error of errors) {
      const { coordinate, failures, more } = failedPlaceOf(error);
      const part = parts.get(coordinate) ?? { last: null, rest: 0 };
      parts.set(coordinate, part);
      part.rest += more;
      for (const failure of failures)
        if (this.#isFull(coordinate)) part.rest++;
        else told.push((part.last = this.#add(error, failure, coordinate)));
    }
    this.#addRest(parts, told.at(-1), othersFollow);
    return told;
  }

  #add(error: unknown, failure: Failure, coordinate: string | null): GraphQLError {
    const shown = formatted(error, failure, this.#request);
    if (failure instanceof GatewayError && failure.code === 'INTERNAL_SERVER_ERROR')
      this.#request.logInternalError(failure.cause, this.#signal);
    this.#count++;
    this.#length += JSON.stringify(shown).length;
    this.#counts.set(coordinate, (this.#counts.get(coordinate) ?? 0) + 1);
    return shown;
  }

  /** Whether the response reports no more errors of a coordinate; of null, no more at all. */
  #isFull(coordinate: string | null): boolean {
    if (this.#count >= errorsPerResponse || this.#length >= errorsLength) return true;
    return coordinate !== null && (this.#counts.get(coordinate) ?? 0) >= errorsPerCoordinate;
  }

  /** Adds the number of unreported errors to the last message of each coordinate, and to the last message of a full report. */
  #addRest(parts: ReadonlyMap<string | null, Reported>, lastOfAll: GraphQLError | undefined, othersFollow: boolean) {
    const isFull = this.#isFull(null);
    let restOfAll = 0;
    for (const [coordinate, { last, rest }] of parts) {
      restOfAll += rest;
      if (coordinate === null || last === null || (isFull && last === lastOfAll)) continue;
      last.message += restOf(rest, coordinate, othersFollow && this.#isFull(coordinate));
    }
    if (lastOfAll !== undefined && isFull) lastOfAll.message += restOf(restOfAll, 'this response', othersFollow);
  }
}

function restOf(unreported: number, whole: string, isFull: boolean): string {
  if (unreported === 0) return isFull ? ` (Later errors of ${whole} are not reported.)` : '';
  const rest = unreported === 1 ? `1 more error of ${whole} is` : `${unreported} more errors of ${whole} are`;
  return ` (${rest} not reported${isFull ? ', nor are later ones' : ''}.)`;
}

/** A result, or a piece of a result, whose data belongs at a path. */
interface PlacedResult extends ExecutionResult {
  readonly path?: readonly (string | number)[];
}

/**
 * Sorts the errors of a result by their places in its data. They come in an order that depends on how long each call took.
 * Errors below a place whose data is null keep the order in which they came.
 */
export function inResponseOrder({ errors = [], data, path = [] }: PlacedResult): readonly GraphQLError[] {
  if (errors.length < 2) return errors;
  const ranksIn = new Map<object, ReadonlyMap<string, number>>();

  function rankOf(container: unknown, key: string | number): number {
    if (typeof key === 'number') return key;
    if (typeof container !== 'object' || container === null) return 0;
    const ranks = ranksIn.get(container) ?? new Map(Object.keys(container).map((name, index) => [name, index]));
    ranksIn.set(container, ranks);
    return ranks.get(key) ?? 0;
  }

  const ranked = errors.map((error) => {
    let container: unknown = data;
    const ranks = (error.path ?? []).slice(path.length).map((key) => {
      const rank = rankOf(container, key);
      container = (container as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
      return rank;
    });
    return { error, ranks };
  });
  return ranked.sort((one, other) => compare(one.ranks, other.ranks)).map(({ error }) => error);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((rank, index) => rank !== right[index]);
  return at < 0 || at >= right.length ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Formats a failure as GraphQL does, and notes its codes for the log and the metrics. */
export function reportFailure(failure: unknown, request: Request): readonly GraphQLError[] {
  const reported = new ErrorReport(request).report([failure]);
  request.noteErrors(reported.map(({ extensions }) => String(extensions['code'])));
  return reported;
}

/** Sends a failure outside of GraphQL as `{"errors":[…]}`, formatted as in GraphQL. Without a given status, the first error decides it. */
export function sendErrors(request: Request, failure: unknown, status?: number): void {
  const { res } = request;
  const [{ code, details } = new GatewayError('INTERNAL_SERVER_ERROR')] = failuresOf(failure);
  const chosen = status ?? statusOf(code);
  if (details.retryAfterSeconds !== undefined) res.setHeader('retry-after', details.retryAfterSeconds);
  if (chosen === 401) res.setHeader('www-authenticate', challenge);
  const errors = reportFailure(failure, request).map(({ message, extensions }) => ({ message, extensions }));
  sendJson(res, chosen, { errors });
}

/** Responds with a failure as `sendErrors` does, or cuts off a response that has begun. */
export function sendFailure(request: Request, failure: unknown): void {
  // Nobody would read a response, and a failure that follows from the client's leaving is no fault of the gateway.
  if (request.signal.aborted) return;
  if (request.res.headersSent) {
    reportFailure(failure, request);
    request.res.destroy();
    return;
  }
  setHeadersForCaller(request);
  sendErrors(request, failure);
}
