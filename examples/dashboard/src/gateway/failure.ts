import type { CombinedError } from 'urql';

/** One thing that went wrong, in the terms of the gateway's error catalogue. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Where in the answer it belongs: response names and list positions. Empty for a request that failed as a whole. */
  readonly path: readonly (string | number)[];
  /** The argument at fault, e.g. `filter.connectionName.contains`; empty where none is named. */
  readonly argument: string;
  readonly requestId: string | null;
}

interface WireError {
  readonly message?: unknown;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Reads an error as GraphQL answers and the CSV export alike carry it. */
export function failureOf({ message, path = [], extensions = {} }: WireError): Failure {
  const { code, argument, requestId } = extensions;
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    message: typeof message === 'string' ? message : 'The gateway gave no reason.',
    path,
    argument: Array.isArray(argument) ? argument.join('.') : '',
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

/** What the page calls a request that never came back. */
export function unreachable(): Failure {
  const message = 'The gateway cannot be reached.';
  return { code: 'NETWORK_ERROR', message, path: [], argument: '', requestId: null };
}

/** All failures of an answer. */
export function failuresOf(error: CombinedError | undefined): readonly Failure[] {
  if (error === undefined) return [];
  return error.graphQLErrors.length === 0 ? [unreachable()] : error.graphQLErrors.map(failureOf);
}

/** Those of a field, by its name in the answer; a request that failed as a whole failed for each of its fields. */
export function failuresAt(failures: readonly Failure[], field: string): readonly Failure[] {
  return failures.filter(({ path }) => path.length === 0 || path[0] === field);
}

/** Whether a field failed as a whole, and not just a part of what is below it. */
export function isLost(failures: readonly Failure[]): boolean {
  return failures.some(({ path }) => path.length <= 1);
}

/** Those that a form shows beside its fields, and those that are left for the section. */
export function sortOut(failures: readonly Failure[], fields: readonly string[]) {
  return {
    ofFields: failures.filter(({ argument }) => fields.includes(argument)),
    ofSection: failures.filter(({ argument }) => !fields.includes(argument)),
  };
}
