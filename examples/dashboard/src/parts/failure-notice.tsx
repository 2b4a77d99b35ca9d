import { isRefusal, type Failure } from '../gateway/failure.ts';
import { titleOf, worded, type Labels } from '../gateway/failure-wording.ts';
import { CopyButton } from './copy-button.tsx';

interface FailureNoticeProps {
  readonly failures: readonly Failure[];
  readonly onRetry: () => void;
  /** What could not be read, as the head of the notice. */
  readonly what: string;
  /** Whether the figures below are from before. */
  readonly isOld?: boolean;
  readonly labels?: Labels;
}

const noLabels: Labels = {};

/**
 * What went wrong in a section: in words, with the id to quote, and a way to try again where that may help. Nothing where
 * nothing did, nor for a refused key, which the page reports on top.
 */
export function FailureNotice({ failures, onRetry, what, isOld = false, labels = noLabels }: FailureNoticeProps) {
  const own = distinct(failures.filter((failure) => !isRefusal(failure)));
  if (own.length === 0) return null;
  return (
    <div className="notice" role="alert" ref={passFocusOn}>
      <div>
        <strong>{what} could not be read.</strong>
        {isOld && ' What is shown was read before.'}
        <ul>
          {own.map(({ code, message, requestId }) => (
            <li key={code + message} data-code={code}>
              <span className="code">{titleOf(code)}</span> {worded(message, labels)}
              {requestId !== null && (
                <small>
                  Request {requestId} <CopyButton what="request id" text={requestId} />
                </small>
              )}
            </li>
          ))}
        </ul>
      </div>
      {own.some(({ retryable }) => retryable) && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** When a notice goes, the keyboard's focus stays in its section. */
function passFocusOn(notice: HTMLElement | null): () => void {
  return () => {
    if (notice?.contains(document.activeElement) === true) notice.closest('section')?.focus({ preventScroll: true });
  };
}

/** Fields of one request often fail for one reason. */
function distinct(failures: readonly Failure[]): readonly Failure[] {
  return [...new Map(failures.map((failure) => [failure.code + failure.message, failure])).values()];
}
