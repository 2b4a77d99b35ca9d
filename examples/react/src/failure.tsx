import { useEffect, useState } from 'react';
import { gatewayErrorsIn, isRetryable, retryAfterSecondsOf, type GatewayErrorCode } from '@switchboard-gateway/client';

const titles: Record<GatewayErrorCode, string> = {
  BAD_USER_INPUT: 'Something that was entered cannot be used',
  UNAUTHENTICATED: 'The API key is refused',
  FORBIDDEN: 'This key may not see this',
  NOT_FOUND: 'There is nothing here',
  UNPROCESSABLE_ENTITY: 'The platform cannot do this',
  RATE_LIMITED: 'Too many requests',
  UPSTREAM_ERROR: 'The platform has failed',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached',
  UPSTREAM_BAD_RESPONSE: 'The platform sent what cannot be read',
  QUERY_TOO_COMPLEX: 'This asks for too much',
  INTERNAL_SERVER_ERROR: 'Something broke on our side',
};

/** What went wrong, in words and by its code, with the argument at fault; and another attempt, where that may help. */
export function Failure({ of: failure, retry }: { of: unknown; retry: () => unknown }) {
  if (failure == null) return null;
  const errors = gatewayErrorsIn(failure);
  return (
    <section role="alert" className="failure">
      {errors.length === 0 && <h2>The gateway cannot be reached</h2>}
      {errors.map(({ message, path, extensions: { code, argument, requestId } }) => (
        <div key={path?.join('.') ?? code}>
          <h2>{titles[code]}</h2>
          <p>{message}</p>
          <p className="aside">
            <code>{code}</code>
            {argument && (
              <>
                {' at '}
                <code>{argument.join('.')}</code>
              </>
            )}
            {requestId && ` · request ${requestId}`}
          </p>
        </div>
      ))}
      {(errors.length === 0 || isRetryable(failure)) && (
        <Retry key={errors[0]?.extensions.requestId} waitSeconds={retryAfterSecondsOf(failure) ?? 0} retry={retry} />
      )}
    </section>
  );
}

function Retry({ waitSeconds, retry }: { waitSeconds: number; retry: () => unknown }) {
  const [isWaiting, setWaiting] = useState(waitSeconds > 0);
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), waitSeconds * 1000);
    return () => clearTimeout(timer);
  }, [waitSeconds]);
  return (
    <button disabled={isWaiting} onClick={() => void retry()}>
      {isWaiting ? `Try again in ${waitSeconds} s` : 'Try again'}
    </button>
  );
}
