import type { CombinedError } from 'urql';

/** One failure, in the terms of the gateway's error catalogue. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Its path in the result, response names and list positions; empty for a request that failed as a whole. */
  readonly path: readonly (string | number)[];
  /** The argument at fault, e.g. `filter.connectionName.contains`; empty where none is named. */
  readonly argument: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly requestId: string | null;
}

interface WireError {
  readonly message?: unknown;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads an error of a GraphQL result or of the CSV export. */
export function failureOf({ message, path = [], extensions = {} }: WireError): Failure {
  const { code, argument, requestId, retryable } = extensions;
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    message: typeof message === 'string' ? message : 'The gateway gave no reason.',
    path,
    argument: Array.isArray(argument) ? argument.join('.') : '',
    retryable: retryable === true,
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

/** The failure of a request without a response. */
export function unreachable(): Failure {
  const message = 'The gateway cannot be reached.';
  return { code: 'NETWORK_ERROR', message, path: [], argument: '', retryable: true, requestId: null };
}

/** All failures of a result. */
export function failuresOf(error: CombinedError | undefined): readonly Failure[] {
  if (error === undefined) return [];
  return error.graphQLErrors.length === 0 ? [unreachable()] : error.graphQLErrors.map(failureOf);
}

/** The failures of a field, by its response name; a request that failed as a whole failed for each of its fields. */
export function failuresAt(failures: readonly Failure[], field: string): readonly Failure[] {
  return failures.filter(({ path }) => path.length === 0 || path[0] === field);
}

/** Whether the platform refuses the key itself: the page says so once, on top. */
export function isRefusal({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'UNAUTHENTICATED';
}

/** The failures that a form shows beside its fields, and those that the section shows. */
export function sortOut(failures: readonly Failure[], fields: readonly string[]) {
  return {
    ofFields: failures.filter(({ argument }) => fields.includes(argument)),
    ofSection: failures.filter(({ argument }) => !fields.includes(argument)),
  };
}
