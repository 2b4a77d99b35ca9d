import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { GatewayError, gatewayErrorsOf } from '../../errors.ts';
import { ErrorReport } from './error-report.ts';
import type { Exchange } from '../request/exchange.ts';
import { formattableFailure } from './mask-errors.ts';
import { challenge, statusOf } from './status.ts';

/** What the formatting of failures needs besides the exchange. */
export interface FailureFormat {
  /** Where a key is to be had; null where nobody says. */
  readonly signupUrl: string | null;
  readonly logCause?: (cause: unknown) => void;
}

/** Formats a failure as GraphQL does, and notes its codes for the log and the metrics. */
export function reportFailure(
  failure: unknown,
  exchange: Exchange,
  { signupUrl, logCause = () => {} }: FailureFormat,
): readonly GraphQLError[] {
  const reported = new ErrorReport().report([formattableFailure(failure, exchange, logCause, signupUrl)]);
  exchange.record.noteErrors(reported.map(({ extensions }) => String(extensions['code'])));
  return reported;
}

/**
 * Sends a failure outside of GraphQL as `{"errors":[…]}`, formatted as in GraphQL. Without a given status, the first error
 * decides it.
 */
export function sendErrors(
  res: ServerResponse,
  exchange: Exchange,
  failure: unknown,
  { status, signupUrl = null }: { readonly status?: number; readonly signupUrl?: string | null } = {},
): void {
  const failures = gatewayErrorsOf(failure);
  const [{ code, retryAfterSeconds } = new GatewayError('INTERNAL_SERVER_ERROR')] = failures;
  const chosen = status ?? statusOf(code);
  if (retryAfterSeconds !== undefined) res.setHeader('retry-after', retryAfterSeconds);
  if (chosen === 401) res.setHeader('www-authenticate', challenge);
  // A cache might keep a 404, for example, which is of this moment and names its request.
  if (!res.hasHeader('cache-control')) res.setHeader('cache-control', 'no-store');
  const reported = reportFailure(failure, exchange, { signupUrl });
  const body = JSON.stringify({
    errors: reported.map(({ message, extensions: { http: _http, ...extensions } }) => ({ message, extensions })),
  });
  res.writeHead(chosen, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
