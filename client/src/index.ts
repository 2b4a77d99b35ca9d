export { downloadCharges, type ChargesReport } from './csv.ts';
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
export { formatDecimal, parseExactly, scalars, type Decimal, type DecimalFormat } from './values.ts';
