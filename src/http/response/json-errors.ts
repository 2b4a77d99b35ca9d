import type { ServerResponse } from 'node:http';
import { GatewayError, gatewayErrorsOf } from '../../errors.ts';
import { ErrorReport } from './error-report.ts';
import type { Exchange } from '../request/exchange.ts';
import { formattableFailure } from './mask-errors.ts';
import { statusOf } from './status.ts';

/**
 * Sends a failure outside of GraphQL as `{"errors":[…]}`, formatted as in GraphQL. Without a given status, the first error
 * decides it.
 */
export function sendErrors(res: ServerResponse, exchange: Exchange, failure: unknown, status?: number): void {
  const failures = gatewayErrorsOf(failure);
  const [{ code, retryAfterSeconds } = new GatewayError('INTERNAL_SERVER_ERROR')] = failures;
  if (retryAfterSeconds !== undefined) res.setHeader('retry-after', retryAfterSeconds);
  const reported = new ErrorReport().report([formattableFailure(failure, exchange, () => {})]);
  exchange.record.noteErrors(reported.map(({ extensions }) => String(extensions['code'])));
  const body = JSON.stringify({
    errors: reported.map(({ message, extensions: { http: _http, ...extensions } }) => ({ message, extensions })),
  });
  res.writeHead(status ?? statusOf(code), {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
