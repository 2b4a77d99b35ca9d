import { errors } from 'undici';
import type { CancelSignal } from '../../cancellation.ts';
import { GatewayError } from '../../errors.ts';
import { UnansweredError } from '../response/wire-response.ts';

/**
 * An UnansweredError for a failure to connect and for a connection that ended without a response; any other failure as it is.
 * After a time-out the upstream may still be at work.
 */
export function unansweredError(failure: unknown, cause: unknown): unknown {
  if (!(failure instanceof GatewayError)) return failure;
  const isConnecting = cause instanceof errors.ConnectTimeoutError;
  if (failure.code !== 'UPSTREAM_UNAVAILABLE' && !isConnecting) return failure;
  return new UnansweredError(failure.code, { cause });
}

/** The reason of an aborted signal, as an Error. */
export function abortReason(signal: CancelSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The caller has left.');
}

/** The GatewayError for an error of undici; an abort as it is. */
export function gatewayErrorOf(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new GatewayError('UPSTREAM_TIMEOUT', { cause: error });
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return new GatewayError('UPSTREAM_BAD_RESPONSE', { cause: error });
  }
  if (error instanceof errors.RequestAbortedError) return error;
  return new GatewayError('UPSTREAM_UNAVAILABLE', { cause: error });
}
