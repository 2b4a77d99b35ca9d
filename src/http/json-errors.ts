import type { ServerResponse } from 'node:http';
import { gatewayErrorsOf, type ErrorCode } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { extensionsOf } from './mask-errors.ts';

const statuses: Readonly<Record<ErrorCode, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  UNPROCESSABLE_ENTITY: 422,
  RATE_LIMITED: 429,
  UPSTREAM_ERROR: 502,
  UPSTREAM_TIMEOUT: 504,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_BAD_RESPONSE: 502,
  QUERY_TOO_COMPLEX: 400,
  INTERNAL_SERVER_ERROR: 500,
};

/** Answers a failure outside of GraphQL as `{"errors":[…]}`, worded as in GraphQL, with the status that fits the first. */
export function sendErrors(res: ServerResponse, exchange: Exchange, failure: unknown): void {
  const errors = gatewayErrorsOf(failure);
  const [first] = errors;
  exchange.errorCodes.push(...errors.map(({ code }) => code));
  if (first?.retryAfterSeconds !== undefined) res.setHeader('retry-after', first.retryAfterSeconds);
  res.writeHead(first === undefined ? 500 : statuses[first.code], {
    'content-type': 'application/json; charset=utf-8',
  });
  const body = errors.map((error) => ({ message: error.message, extensions: extensionsOf(error, exchange.requestId) }));
  res.end(JSON.stringify({ errors: body }));
}
