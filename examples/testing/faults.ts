import type { Part } from '@switchboard-gateway/gateway/testing';
import { texts } from './page.js';

/** How the sandbox is made to give each code. QUERY_TOO_COMPLEX is the gateway's own: LIMIT_COST gives it. */
export const faults = {
  BAD_USER_INPUT: 'bad-request',
  UNAUTHENTICATED: 'invalid',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not-found',
  UNPROCESSABLE_ENTITY: 'unknown-account',
  RATE_LIMITED: 'rate-limited',
  UPSTREAM_ERROR: 'failing',
  UPSTREAM_TIMEOUT: 'timeout',
  UPSTREAM_UNAVAILABLE: 'down',
  UPSTREAM_BAD_RESPONSE: 'malformed',
  INTERNAL_SERVER_ERROR: 'gateway-failing',
} as const satisfies Record<Exclude<keyof typeof texts, 'QUERY_TOO_COMPLEX'>, Part>;
