import { gatewayErrorsIn, isRetryable, retryAfterSecondsOf } from '../../client/src/index.ts';

/** What a form shows of a failure. */
export function noticeOf(failure: Error) {
  const [error] = gatewayErrorsIn(failure);
  return {
    text: error?.message ?? failure.message,
    isRefusedKey: error?.extensions.code === 'UNAUTHENTICATED',
    field: error?.extensions.argument?.join('.') ?? null,
    mayTryAgain: isRetryable(failure),
    waitSeconds: retryAfterSecondsOf(failure) ?? 0,
  };
}
