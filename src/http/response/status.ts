import type { ErrorCode } from '../../errors.ts';

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

/** Returns the HTTP status of a response that holds nothing but a failure with this code. */
export function statusOf(code: ErrorCode): number {
  return statuses[code];
}

/** The WWW-Authenticate of every response with status 401 (RFC 6750, section 3). */
export const challenge = 'Bearer';
