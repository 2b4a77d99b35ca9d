import { useCallback, useState, type ReactElement } from 'react';

/** A text that was copied, or is to be copied by hand. */
interface Copy {
  /** What it is, such as "link"; null where there is none. */
  readonly what: string | null;
  readonly text: string;
  readonly isCopied: boolean;
  readonly put: (what: string, text: string) => void;
  readonly close: () => void;
}

const nothing = { what: null, text: '', isCopied: false };

export function useCopy(): Copy {
  const [shown, show] = useState<Pick<Copy, 'what' | 'text' | 'isCopied'>>(nothing);
  const close = useCallback(() => show(nothing), []);
  return {
    ...shown,
    put(what, text) {
      // The browser may refuse, and has no clipboard where a page came over plain HTTP from another machine.
      const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('There is no clipboard.'));
      copying.then(
        () => show({ what, text, isCopied: true }),
        () => show({ what, text, isCopied: false }),
      );
    },
    close,
  };
}

/** Shows what was copied, ready to be copied by hand as well. */
export function Copied({ what, text, isCopied, close }: Copy): ReactElement {
  return (
    <div role="status">
      {what !== null && (
        <div className="row copied">
          <span>{isCopied ? `Copied the ${what}, without your key.` : `Copy the ${what} by hand:`}</span>
          <input aria-label={`The ${what}`} readOnly value={text} onFocus={({ target }) => target.select()} />
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}
