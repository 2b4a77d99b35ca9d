import type { ServerResponse } from 'node:http';
import { GraphQLError, type GraphQLFormattedError, type ExecutionResult } from 'graphql';
import { gatewayErrorsOf, GatewayError, statusOf, GatewayErrors, type ErrorCode } from '../../errors.ts';
import type { Lifetime } from '../../cancellation.ts';
import { errorsPerResponse, messageLength } from '../../bounds.ts';
import { FieldFailure } from '../../graphql/schema/field-middleware.ts';
import { withHiddenQuotes, withShortQuotes } from '../../graphql/execution/message-quote.ts';
import { placeOf } from '../../limits/document-text.ts';
import { describeFailure, type Log } from '../../telemetry/log.ts';
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

/** Wraps a failure of a whole request as a GraphQLError, which `formattableFailure` formats. */
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
  { requestId, hideKey }: Pick<Request, 'requestId' | 'hideKey'>,
  logCause: (cause: unknown) => void,
  signupUrl: string | null,
): FormattableFailure {
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
      return toGraphqlError(message, extensions);
    },
  };
}

/** A message without the caller's key in what it quotes, and without halves of characters. */
function shownMessage(message: string, hideKey: Request['hideKey']): string {
  return withHiddenQuotes(message, (text) => hideKey(text)).toWellFormed();
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

/** Other extensions, such as Yoga's, may quote the request's body. */
function requestExtensionsOf({ extensions }: GraphQLError, requestId: string): Extensions {
  const { code = 'BAD_USER_INPUT' satisfies ErrorCode } = extensions;
  return { code, retryable: false, requestId };
}

/** Errors of values of one schema coordinate in one response (interface: "Names"). */
export const errorsPerCoordinate = 20;

/** Characters of the errors of one response as JSON, of more than one: a path is as long as the names that the client gave to fields. */
const errorsLength = 65_536;

/** What failed at one place of a response: one failure or several, each of which can be formatted as an error. */
interface FormattableFailure {
  /** The field whose value the schema cannot represent; null for any other failure, which has a reason of its own. */
  readonly coordinate: string | null;
  /** How many failures can be formatted. */
  readonly count: number;
  /** How many further failures there were, which cannot be formatted. */
  readonly more: number;
  /** Formats the failure at an index, counted from 0. */
  readonly format: (index: number) => GraphQLError;
}

/** The errors of one coordinate in a response, and of those the last ones of its latest part. */
interface Reported {
  count: number;
  /** The last error that this part reports; null if it reports none. */
  last: GraphQLError | null;
  /** How many errors of this part are not reported. */
  unreported: number;
}

/**
 * Chooses the errors that one response reports: at most `errorsPerCoordinate` of one coordinate of the schema, and
 * `errorsPerResponse` of all. The last error says how many are missing. Those are counted and never formatted.
 */
export class ErrorReport {
  #count = 0;
  #length = 0;
  readonly #byCoordinate = new Map<string | null, Reported>();

  /** Formats the errors of one part of the response. Unless `othersFollow`, it is the last part. */
  report(failures: readonly FormattableFailure[], othersFollow = false): readonly GraphQLError[] {
    const errors: GraphQLError[] = [];
    for (const reported of this.#byCoordinate.values()) Object.assign(reported, { last: null, unreported: 0 });
    for (const { coordinate, count, more, format } of failures) {
      const reported = this.#byCoordinate.get(coordinate) ?? { count: 0, last: null, unreported: 0 };
      this.#byCoordinate.set(coordinate, reported);
      let index = 0;
      for (; index < count && !this.#isFull && !isUsedUp(coordinate, reported); index++) {
        const error = (reported.last = format(index));
        reported.count++;
        errors.push(error);
        this.#count++;
        this.#length += JSON.stringify(error).length;
      }
      reported.unreported += count - index + more;
    }
    this.#addRest(errors.at(-1), othersFollow);
    return errors;
  }

  get #isFull(): boolean {
    return this.#count >= errorsPerResponse || this.#length >= errorsLength;
  }

  /** Adds the number of unreported errors to the last message of each coordinate, and to the last message of a full report. */
  #addRest(lastOfAll: GraphQLError | undefined, othersFollow: boolean): void {
    const isFull = this.#isFull;
    let unreportedOfAll = 0;
    for (const [coordinate, reported] of this.#byCoordinate) {
      const { last, unreported } = reported;
      unreportedOfAll += unreported;
      if (coordinate === null || last === null || (isFull && last === lastOfAll)) continue;
      last.message += restOf(unreported, coordinate, othersFollow && (isFull || isUsedUp(coordinate, reported)));
    }
    if (lastOfAll !== undefined && isFull) lastOfAll.message += restOf(unreportedOfAll, 'this response', othersFollow);
  }
}

function isUsedUp(coordinate: string | null, { count }: Reported): boolean {
  return coordinate !== null && count >= errorsPerCoordinate;
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
export function reportFailure(
  failure: unknown,
  request: Request,
  signupUrl: string | null,
  logCause: (cause: unknown) => void = () => {},
): readonly GraphQLError[] {
  const reported = new ErrorReport().report([formattableFailure(failure, request, logCause, signupUrl)]);
  request.noteErrors(reported.map(({ extensions }) => String(extensions['code'])));
  return reported;
}

/** Sends a failure outside of GraphQL as `{"errors":[…]}`, formatted as in GraphQL. Without a given status, the first error decides it. */
export function sendErrors(
  request: Request,
  failure: unknown,
  { status, signupUrl = null }: { readonly status?: number; readonly signupUrl?: string | null } = {},
): void {
  const { res } = request;
  const failures = gatewayErrorsOf(failure);
  const [{ code, retryAfterSeconds } = new GatewayError('INTERNAL_SERVER_ERROR')] = failures;
  const chosen = status ?? statusOf(code);
  if (retryAfterSeconds !== undefined) res.setHeader('retry-after', retryAfterSeconds);
  if (chosen === 401) res.setHeader('www-authenticate', challenge);
  // A cache might keep a 404, for example, which is of this moment and names its request.
  if (!res.hasHeader('cache-control')) res.setHeader('cache-control', 'no-store');
  const reported = reportFailure(failure, request, signupUrl);
  const errors = reported.map(({ message, extensions }) => ({ message, extensions }));
  const body = JSON.stringify({ errors });
  res.writeHead(chosen, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}

/** Logs what an INTERNAL_SERVER_ERROR hides from the client, with the ids of its request. */
export function logInternalError(
  log: Log,
  { requestId, signal, trace }: Pick<Request, 'requestId' | 'trace'> & Pick<Lifetime, 'signal'>,
  cause: unknown,
): void {
  // A failure that follows from the client's leaving is no fault of the gateway.
  if (signal.aborted) return;
  log.error({ requestId, ...trace?.ids, error: describeFailure(cause) }, 'internal error');
}
