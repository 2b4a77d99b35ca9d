/** Every way in which a field can fail, with the text used when nobody has said anything better. The catalogue is closed. */
const catalogue = {
  BAD_USER_INPUT: { retryable: false, text: 'An argument cannot be used as it was given.' },
  UNAUTHENTICATED: {
    retryable: false,
    text: 'The upstream does not accept the API key that was sent with this request.',
  },
  FORBIDDEN: { retryable: false, text: 'The API key is valid but lacks permission for this resource.' },
  NOT_FOUND: { retryable: false, text: 'The upstream has no such resource.' },
  UNPROCESSABLE_ENTITY: { retryable: false, text: 'The upstream understood the request but cannot carry it out.' },
  RATE_LIMITED: { retryable: true, text: 'Too many requests for this API key. Wait before trying again.' },
  UPSTREAM_ERROR: { retryable: false, text: 'The upstream failed in a way of its own.' },
  UPSTREAM_TIMEOUT: { retryable: true, text: 'The upstream did not answer in time.' },
  UPSTREAM_UNAVAILABLE: {
    retryable: true,
    text: 'The upstream cannot be reached, or ended the connection before its answer was whole.',
  },
  UPSTREAM_BAD_RESPONSE: {
    retryable: false,
    text: 'The upstream answered with something that does not follow its contract.',
  },
  QUERY_TOO_COMPLEX: {
    retryable: false,
    text: 'The query is beyond the limits of this gateway. Ask for less at a time.',
  },
  INTERNAL_SERVER_ERROR: { retryable: false, text: 'The gateway failed. Give the requestId to its maintainers.' },
} as const satisfies Record<string, { retryable: boolean; text: string }>;

/** The value of `extensions.code`: what a client may branch on. */
export type ErrorCode = keyof typeof catalogue;

/** Names and list positions that lead from a field to one of its arguments, e.g. `["filter", "startedAt", "gte"]`. */
export type ArgumentPath = readonly (string | number)[];

/** What the upstream said of its own failure, fit to be shown to the caller whose key was used. */
export interface UpstreamFault {
  /** The operation's name, e.g. `GET /charges_summary`; never an address. */
  readonly operation: string;
  /** The HTTP status; absent where there was no answer. */
  readonly status?: number;
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly source?: { readonly parameter?: string; readonly pointer?: string };
  readonly meta?: { readonly url: string };
}

/** How an answer of the upstream breaks its contract. It is the label of a metric, so the set is closed. */
export type ViolationKind = 'wrong_type' | 'missing' | 'unknown_value' | 'contradiction' | 'ignored_filter';

/** What holds a value, and under which name or at which index: one value may be read by several fields. */
export interface Place {
  readonly holder: object;
  readonly key: string | number;
}

/** One departure of the upstream from its contract, as it is counted. */
export interface Violation {
  /** A field of the schema, e.g. `IpConnection.createdAt`; never what a client or the upstream wrote. */
  readonly coordinate: string;
  readonly kind: ViolationKind;
  /** Absent where no single value is at fault. */
  readonly place?: Place;
}

export interface ErrorDetails {
  readonly message?: string;
  /** Given where the status decides and not the code alone: a 5xx is worth another try, a 4xx is not. */
  readonly retryable?: boolean;
  readonly argument?: ArgumentPath;
  readonly retryAfterSeconds?: number;
  /** For QUERY_TOO_COMPLEX: what is allowed, and what was asked for, in the unit that the message names. */
  readonly excess?: { readonly limit: number; readonly actual: number };
  readonly upstream?: UpstreamFault;
  /** For UPSTREAM_BAD_RESPONSE: what of the contract is broken, where that can be told. It is counted and never shown. */
  readonly violation?: Violation;
  readonly cause?: unknown;
}

/** Does something whose errors keep no stack. To capture one takes longer than all else that is done about a field. */
export function withoutStacks<Value>(act: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return act();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** An error that keeps no stack: it is worded for a client, or leads to one that is, and a thousand may come of one answer. */
export class StacklessError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The only error whose words may reach a client. It is thrown once, where the failure is understood, travels as itself
 * and becomes a GraphQL error (or a JSON body) in `http/` alone. `cause` is for the log and never leaves the process.
 */
export class GatewayError extends StacklessError {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly argument: ArgumentPath | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly excess: ErrorDetails['excess'];
  readonly upstream: UpstreamFault | undefined;
  readonly violation: Violation | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? catalogue[code].text, { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.retryable = details.retryable ?? catalogue[code].retryable;
    this.argument = details.argument;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.excess = details.excess;
    this.upstream = details.upstream;
    this.violation = details.violation;
  }

  /** The same failure, of another argument or of none. */
  withArgument(argument: ArgumentPath | undefined): GatewayError {
    if (argument?.join() === this.argument?.join()) return this;
    const { message, retryable, retryAfterSeconds, excess, upstream, violation, cause } = this;
    return new GatewayError(this.code, {
      message,
      retryable,
      cause,
      ...(argument !== undefined && { argument }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(excess !== undefined && { excess }),
      ...(upstream !== undefined && { upstream }),
      ...(violation !== undefined && { violation }),
    });
  }
}

/** Several failures of one upstream answer: each becomes a GraphQL error of its own at the same path. */
export class GatewayErrors extends StacklessError {
  readonly errors: readonly GatewayError[];
  /** How many more the answer told, which are none of these. */
  readonly more: number;

  constructor(errors: readonly GatewayError[], more = 0) {
    super(errors.map((error) => error.message).join(' '));
    this.name = 'GatewayErrors';
    this.errors = errors;
    this.more = more;
  }
}

/**
 * The failures that `error` stands for; one masked INTERNAL_SERVER_ERROR, with `error` as its cause, for anything that
 * is not ours.
 */
export function gatewayErrorsOf(error: unknown): readonly GatewayError[] {
  if (error instanceof GatewayError) return [error];
  if (error instanceof GatewayErrors) return error.errors;
  return [new GatewayError('INTERNAL_SERVER_ERROR', { cause: error })];
}

/** What an error tells of broken promises of the upstream; none for most. */
export function violationsOf(error: unknown): readonly Violation[] {
  const errors = error instanceof GatewayErrors ? error.errors : [error];
  return errors.flatMap((each) => (each instanceof GatewayError ? (each.violation ?? []) : []));
}

/** BAD_USER_INPUT for one argument: the message says what was expected, the path says where. */
export function badArgument(argument: ArgumentPath, expectation: string): GatewayError {
  return new GatewayError('BAD_USER_INPUT', { message: expectation, argument });
}
