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
function statusOfError(error: GraphQLError): number | undefined {
  const cause = causeOf(error);
  return cause instanceof GraphQLError ? undefined : Math.max(...failuresOf(cause).map(({ code }) => statusOf(code)));
}

/** What is behind an error that only gives it a place in the document or the response. An error of GraphQL itself is its own cause. */
function causeOf(error: unknown): unknown {
  return isPlaced(error) && error.originalError !== undefined ? causeOf(error.originalError) : error;
}

function isPlaced(error: unknown): error is GraphQLError | FieldFailure {
  return error instanceof GraphQLError || error instanceof FieldFailure;
}

/** A full call stack means a deep document: every other part of a request is read without recursion. */
function failuresOf(cause: unknown): readonly GatewayError[] {
  if (cause instanceof RangeError && /call stack/i.test(cause.message))
    return [new GatewayError('QUERY_TOO_COMPLEX', { message: 'The query is nested too deeply to be read.' })];
  return gatewayErrorsOf(cause);
}

/** Locations in the document that one error names. A field may be selected three thousand times. */
export const locationsPerError = 10;

/** An error of graphql-js about the request (syntax, validation, variables), or any other failure. */
type Failure = GraphQLError | GatewayError;

/**
 * The one place where an Error becomes a GraphQLError:
 * - A GatewayError keeps its message. Several of one upstream response become several errors at the same path.
 * - An error of graphql-js about the request keeps its message, without the caller's key and with short quotes.
 * - Any other error is masked.
 * An UNAUTHENTICATED error says where a key is to be had.
 */
function formatted(error: unknown, failure: Failure, request: Request): GraphQLError {
  const { path = null, nodes = [] } = isPlaced(error) ? error : {};
  const { locations } = error instanceof GraphQLError ? error : {};
  const shown = new GraphQLError(messageOf(failure, request), { path, extensions: extensionsOf(failure, request) });
  const places = nodes.slice(0, locationsPerError).flatMap((node) => placeOf(node) ?? []);
  return Object.assign(shown, places.length > 0 ? { locations: places } : locations && { locations });
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

/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;

/** Characters of the errors of one response as JSON, of more than one: a path is as long as the names that the client gave to fields. */
const errorsLength = 65_536;

/** How many more errors a response tells of one coordinate of the schema, or of all. */
interface Quota {
  readonly whole: string;
  room: number;
  /** The last error that this part of the response tells; null where it tells none. */
  last: GraphQLError | null;
  /** How many errors of this part are not told. */
  rest: number;
}

function quotaOf(whole: string, room: number): Quota {
  return { whole, room, last: null, rest: 0 };
}

/**
 * The errors that one response reports: at most `errorsPerCoordinate` of one coordinate of the schema, and `errorsPerResponse` of all.
 * The last of these says how many are missing. Those are counted and never formatted.
 */
export class ErrorReport {
  readonly #request: Request;
  readonly #signal: CancelSignal;
  readonly #all = quotaOf('this response', errorsPerResponse);
  readonly #byCoordinate = new Map<string, Quota>();
  #length = 0;

  /** The causes of INTERNAL_SERVER_ERRORs are logged, until the signal aborts. */
  constructor(request: Request, signal: CancelSignal = request.signal) {
    this.#request = request;
    this.#signal = signal;
  }

  /** Formats the errors of one part of the response. Unless `othersFollow`, it is the last part. */
  report(errors: readonly unknown[], othersFollow = false): readonly GraphQLError[] {
    const told: GraphQLError[] = [];
    for (const error of errors) {
      const cause = causeOf(error);
      const quotas = this.#quotasFor(error, cause);
      if (cause instanceof GatewayErrors) this.#all.rest += cause.more;
      for (const failure of cause instanceof GraphQLError ? [cause] : failuresOf(cause)) {
        if (quotas.every(({ room }) => room > 0)) told.push(this.#add(error, failure, quotas));
        else for (const quota of quotas) quota.rest++;
      }
    }
    for (const quota of [...this.#byCoordinate.values(), this.#all]) {
      const isFull = quota.room === 0 || this.#all.room === 0;
      if (isFull && quota.last !== null) quota.last.message += restOf(quota, othersFollow);
      Object.assign(quota, { last: null, rest: 0 });
    }
    return told;
  }

  /** Values of one coordinate that the schema cannot represent have a quota of their own. */
  #quotasFor(error: unknown, cause: unknown): readonly Quota[] {
    const isValue = cause instanceof GatewayError && cause.details.violation !== undefined;
    if (!isValue || !(error instanceof FieldFailure)) return [this.#all];
    const { coordinate } = error;
    const create = (): Quota => quotaOf(coordinate, errorsPerCoordinate);
    return [this.#byCoordinate.getOrInsertComputed(coordinate, create), this.#all];
  }

  #add(error: unknown, failure: Failure, quotas: readonly Quota[]): GraphQLError {
    const shown = formatted(error, failure, this.#request);
    if (failure instanceof GatewayError && failure.code === 'INTERNAL_SERVER_ERROR')
      this.#request.logInternalError(failure.cause, this.#signal);
    for (const quota of quotas) Object.assign(quota, { room: quota.room - 1, last: shown });
    this.#length += JSON.stringify(shown).length;
    if (this.#length >= errorsLength) this.#all.room = 0;
    return shown;
  }
}

function restOf({ rest, whole }: Quota, othersFollow: boolean): string {
  if (rest === 0) return othersFollow ? ` (Later errors of ${whole} are not reported.)` : '';
  const missing = rest === 1 ? `1 more error of ${whole} is` : `${rest} more errors of ${whole} are`;
  return ` (${missing} not reported${othersFollow ? ', nor are later ones' : ''}.)`;
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
