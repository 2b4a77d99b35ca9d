import type { TypedDocumentString } from './generated/graphql';

interface FieldError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly retryable: boolean; readonly argument?: readonly string[] };
}

/** A response with errors. `data` holds the fields that did not fail; it is missing where the whole request was refused. */
export class GatewayError extends Error {
  readonly errors: readonly FieldError[];
  readonly data: unknown;

  constructor(errors: readonly FieldError[], data: unknown) {
    super(errors[0]?.message);
    this.errors = errors;
    this.data = data;
  }
}

/** A function that sends documents with one caller's key. */
export const createExecute =
  (url: string, key: string) =>
  async <Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<Result> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: document, variables }),
    });
    const { data, errors } = await response.json();
    if (errors !== undefined) throw new GatewayError(errors, data);
    return data;
  };
