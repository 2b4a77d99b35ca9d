/** Every kind of failure: the status of a response that holds nothing else, and a message where there is no better one. It is closed. */
const catalogue = {
  BAD_USER_INPUT: { status: 400, retryable: false, text: 'The value of an argument cannot be used.' },
  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    text: 'The upstream does not accept the API key that was sent with this request.',
  },
  FORBIDDEN: { status: 403, retryable: false, text: 'The API key is valid but lacks permission for this resource.' },
  NOT_FOUND: { status: 404, retryable: false, text: 'The upstream has no such resource.' },
  UNPROCESSABLE_ENTITY: {
    status: 422,
    retryable: false,
    text: 'The upstream understood the request but cannot carry it out.',
  },
  RATE_LIMITED: { status: 429, retryable: true, text: 'Too many requests for this API key. Wait before trying again.' },
  UPSTREAM_ERROR: { status: 502, retryable: false, text: 'The upstream reported an error of its own.' },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true, text: 'The upstream did not answer in time.' },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    retryable: true,
    text: 'The upstream cannot be reached, or ended the connection before its response was whole.',
  },
  UPSTREAM_BAD_RESPONSE: {
    status: 502,
    retryable: false,
    text: 'The response of the upstream does not follow its contract.',
  },
  QUERY_TOO_COMPLEX: {
    status: 400,
    retryable: false,
    text: 'The query is beyond the limits of this gateway. Ask for less at a time.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    retryable: false,
    text: 'The gateway failed. Give the requestId to its maintainers.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; text: string }>;

/** The value of `extensions.code`, on which a client may branch. */
export type ErrorCode = keyof typeof catalogue;

/** The names and list positions from a field to one of its arguments, e.g. `["filter", "startedAt", "gte"]`. */
export type ArgumentPath = readonly (string | number)[];

/** The upstream's report of its own failure. The caller whose key was used may see it. */
export interface UpstreamFault {
  /** The name of the endpoint, e.g. `GET /charges_summary`; never an address. */
  readonly operation: string;
  /** The HTTP status; absent where there was no response. */
  readonly status?: number;
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly source?: { readonly parameter?: string; readonly pointer?: string };
  readonly meta?: { readonly url: string };
}

/** How a response of the upstream breaks its contract. It is the label of a metric, so the set is closed. */
export type ViolationKind = 'wrong_type' | 'missing' | 'unknown_value' | 'contradiction';

/** One breach of the upstream's contract, as metrics count it. */
export interface Violation {
  /** A field of the schema, e.g. `IpConnection.createdAt`; never a text of a client or of the upstream. */
  readonly coordinate: string;
  readonly kind: ViolationKind;
}

export interface ErrorDetails {
  readonly message?: string;
  /** Replaces the default of the code where the HTTP status decides: a 5xx is worth another attempt, a 4xx is not. */
  readonly retryable?: boolean;
  readonly argument?: ArgumentPath | undefined;
  readonly retryAfterSeconds?: number;
  /** For QUERY_TOO_COMPLEX: the allowed and the actual amount, in the unit that the message names. */
  readonly excess?: { readonly limit: number; readonly actual: number };
  readonly upstream?: UpstreamFault;
  /** For UPSTREAM_BAD_RESPONSE: the breach of the contract, where it is known. Metrics count it, and no client sees it. */
  readonly violation?: Violation | undefined;
  readonly cause?: unknown;
}

/**
 * An error without a stack: to capture one takes longer than everything else about a field. It is made for a client, and one response of
 * the upstream may cause a thousand of them.
 */
export class StacklessError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The only error whose message may reach a client. It is thrown once, where the failure is understood. Only `http/` turns it into
 * a GraphQL error or a JSON body. `cause` is for the log and never leaves the process.
 */
export class GatewayError extends StacklessError {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { text, retryable } = catalogue[code];
    super(details.message ?? text, { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.retryable = details.retryable ?? retryable;
    this.details = details;
  }

  /** Returns the same failure with some details changed. */
  with(changes: ErrorDetails): GatewayError {
    return new GatewayError(this.code, { ...this.details, ...changes });
  }
}

/** Several failures of one upstream response. Each becomes a GraphQL error of its own at the same path. */
export class GatewayErrors extends StacklessError {
  readonly errors: readonly GatewayError[];
  /** How many further failures the response reported, which are not among `errors`. */
  readonly more: number;

  constructor(errors: readonly GatewayError[], more = 0) {
    super(errors.map((error) => error.message).join(' '));
    this.name = 'GatewayErrors';
    this.errors = errors;
    this.more = more;
  }
}

/**
 * Returns the failures that `error` stands for. An error of any other class becomes one masked INTERNAL_SERVER_ERROR with `error`
 * as its cause.
 */
export function gatewayErrorsOf(error: unknown): readonly GatewayError[] {
  if (error instanceof GatewayError) return [error];
  if (error instanceof GatewayErrors) return error.errors;
  return [new GatewayError('INTERNAL_SERVER_ERROR', { cause: error })];
}

/** Returns the breaches of the upstream's contract that an error reports; none for most errors. */
export function violationsOf(error: unknown): readonly Violation[] {
  const errors = error instanceof GatewayErrors ? error.errors : [error];
  return errors.flatMap((each) => (each instanceof GatewayError ? (each.details.violation ?? []) : []));
}

/** Returns the HTTP status of a response that holds nothing but a failure with this code. */
export function statusOf(code: ErrorCode): number {
  return catalogue[code].status;
}

/** Creates a BAD_USER_INPUT for the argument at a path. The expectation is its message. */
export function badArgument(argument: ArgumentPath, expectation: string): GatewayError {
  return new GatewayError('BAD_USER_INPUT', { message: expectation, argument });
}
