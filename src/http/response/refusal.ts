import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { gatewayErrorsOf, GatewayError, statusOf } from '../../errors.ts';

/** The WWW-Authenticate of every response with status 401 (RFC 6750, section 3). */
export const challenge = 'Bearer';

/** Why an operation does not run, and the status of the response that says so. */
export class Refusal {
  readonly errors: readonly GraphQLError[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #status: number;
  /** Whether the status is 200 where the response is as old clients know it. */
  readonly #isTold: boolean;

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
export function failuresOf(error: unknown): readonly GatewayError[] {
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return [new GatewayError('QUERY_TOO_COMPLEX', { message: 'The query is nested too deeply to be read.' })];
  return gatewayErrorsOf(error);
}
