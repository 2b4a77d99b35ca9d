export {
  gatewayErrorCodes,
  gatewayErrorsIn,
  isGatewayError,
  isRetryable,
  retryAfterSecondsOf,
  type GatewayError,
  type GatewayErrorCode,
  type UpstreamFault,
} from './errors.ts';
export { liveRows } from './live-rows.ts';
export { parseExactly, scalars, type Decimal } from './values.ts';
