export const modern = 'application/graphql-response+json';

const codes =
  /^(?:BAD_USER_INPUT|UNAUTHENTICATED|FORBIDDEN|NOT_FOUND|UNPROCESSABLE_ENTITY|RATE_LIMITED|UPSTREAM_\w+|QUERY_TOO_COMPLEX|GRAPHQL_\w+|BAD_REQUEST|OPERATION_RESOLUTION_FAILURE)$/;

/** A response to a GraphQL request as it came. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Told {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: unknown; readonly retryable?: unknown; readonly requestId?: unknown };
}

/** The faults of a response, as sentences; none where it keeps all promises. */
export function faultsOf({ status, type, text }: Answer, accept: string): readonly string[] {
  const faults: string[] = [];
  const { data, errors = [] } = JSON.parse(text) as { readonly data?: unknown; readonly errors?: readonly Told[] };
  if (!type.startsWith(accept)) faults.push(`the type is ${type}`);
  const isFitting = data === undefined ? (status >= 400 && status < 500) || accept !== modern : status === 200;
  if (!isFitting || status >= 500) faults.push(`the status is ${status}`);
  if (data === undefined && errors.length === 0) faults.push('there is neither data nor an error');
  for (const { message, path, extensions } of errors) {
    if (!codes.test(String(extensions?.code))) faults.push(`the code is ${String(extensions?.code)}: ${message}`);
    if (typeof extensions?.retryable !== 'boolean' || typeof extensions.requestId !== 'string' || message === '')
      faults.push(`an error is not whole: ${message}`);
    if (data != null && (path === undefined || !leadsToNull(data, path)))
      faults.push(`an error at ${String(path)} has a value: ${message}`);
    if (/\n {4}at |node:|127\.0\.0\.1/.test(message)) faults.push(`an error reveals its inside: ${message}`);
  }
  return faults;
}

function leadsToNull(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const name of path) {
    if (value === null) return true;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value === null;
}
