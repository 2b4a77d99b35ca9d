import type { Failure } from '../gateway/failure.ts';

interface FailureNoticeProps {
  readonly failures: readonly Failure[];
  readonly onRetry: () => void;
  /** What could not be read, as the head of the notice. */
  readonly what: string;
}

/** What went wrong in a section: code, message, the id to quote, and a way to try again. Nothing where nothing did. */
export function FailureNotice({ failures, onRetry, what }: FailureNoticeProps) {
  if (failures.length === 0) return null;
  return (
    <div className="notice" role="alert">
      <div>
        <strong>{what} could not be read.</strong>
        <ul>
          {distinct(failures).map(({ code, message, requestId }) => (
            <li key={code + message}>
              <code className="code">{code}</code> {message}
              {requestId !== null && <small> Request {requestId}</small>}
            </li>
          ))}
        </ul>
      </div>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Fields of one request often fail for one reason. */
function distinct(failures: readonly Failure[]): readonly Failure[] {
  return [...new Map(failures.map((failure) => [failure.code + failure.message, failure])).values()];
}
