/** Every `extensions.code` of an error at a field, and of a request beyond the gateway's limits. The list is closed. */
export const gatewayErrorCodes = [
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNPROCESSABLE_ENTITY',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
  'QUERY_TOO_COMPLEX',
  'INTERNAL_SERVER_ERROR',
] as const;

/** An `extensions.code`, on which a page may branch. */
export type GatewayErrorCode = (typeof gatewayErrorCodes)[number];

/** What the platform's API reported of its own failure. */
export interface UpstreamFault {
  /** For example `GET /charges_summary`. */
  readonly operation: string;
  readonly status?: number;
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly source?: { readonly parameter?: string; readonly pointer?: string };
  readonly meta?: { readonly url: string };
}

/** An error of the gateway, as every GraphQL client hands it on. */
export interface GatewayError {
  /** For people: the API's own words where it has some. */
  readonly message: string;
  /** The field that is null for this error; absent where the whole request was refused. */
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: GatewayErrorCode;
    /** Whether the same request may succeed later. */
    readonly retryable: boolean;
    /** The path of the argument at fault, e.g. `["filter", "startedAt", "gte"]`; absent where it is not known. */
    readonly argument?: readonly (string | number)[];
    /** How long to wait, where the API says so. */
    readonly retryAfterSeconds?: number;
    /** With QUERY_TOO_COMPLEX: the allowed and the actual amount. */
    readonly limit?: number;
    readonly actual?: number;
    /** Absent where the gateway itself refused. */
    readonly upstream?: UpstreamFault;
    /** With UNAUTHENTICATED: where a key is to be had, where the gateway knows. */
    readonly signupUrl?: string;
    readonly requestId?: string;
  };
}

const codes: ReadonlySet<unknown> = new Set(gatewayErrorCodes);

/** Whether a value is one error of the gateway, of a certain code where one is given. */
export function isGatewayError(value: unknown, code?: GatewayErrorCode): value is GatewayError {
  const found = memberOf(memberOf(value, 'extensions'), 'code');
  return code === undefined ? codes.has(found) : found === code;
}

/**
 * The gateway's errors in whatever a client has thrown or returned: Apollo's CombinedGraphQLErrors, urql's CombinedError, Relay's and
 * graphql-request's errors, a response with `errors`, a list, one error, or null. None where the gateway cannot be
 * reached, or has refused the form of a request, such as a field that does not exist.
 */
export function gatewayErrorsIn(failure: unknown): readonly GatewayError[] {
  if (isGatewayError(failure)) return [failure];
  if (Array.isArray(failure)) return failure.filter((each) => isGatewayError(each));
  for (const name of ['errors', 'graphQLErrors']) {
    const list = memberOf(failure, name);
    if (Array.isArray(list)) return gatewayErrorsIn(list);
  }
  // graphql-request has the response within its error, and Relay the source of it.
  const inner = memberOf(failure, 'response') ?? memberOf(failure, 'source');
  return Array.isArray(memberOf(inner, 'errors')) ? gatewayErrorsIn(inner) : [];
}

/** Whether the same request may succeed later: each of the gateway's errors says so. False where there is none. */
export function isRetryable(failure: unknown): boolean {
  const errors = gatewayErrorsIn(failure);
  return errors.length > 0 && errors.every(({ extensions }) => extensions.retryable);
}

/** How long to wait before another attempt: the longest wait that an error names. Null where none does. */
export function retryAfterSecondsOf(failure: unknown): number | null {
  const waits = gatewayErrorsIn(failure).flatMap(({ extensions }) => extensions.retryAfterSeconds ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
