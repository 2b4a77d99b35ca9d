import type { ReactElement } from 'react';
import { share } from './caller.ts';

interface Copy {
  /** What it is, such as "link". */
  readonly what: string;
  readonly text: string;
  /** False: it is to be copied by hand. */
  readonly isCopied: boolean;
}

/** What was copied last; null when nothing was, or no longer matters. */
export const copied = share<Copy | null>(null);

/** Copies a text. The browser may refuse, and has no clipboard where a page came over plain HTTP from another machine. */
export function copy(what: string, text: string): void {
  const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('There is no clipboard.'));
  copying.then(
    () => copied.set({ what, text, isCopied: true }),
    () => copied.set({ what, text, isCopied: false }),
  );
}

/** Shows what was copied, ready to be copied by hand as well. */
export function Copied(): ReactElement {
  const last = copied.use();
  return (
    <div role="status">
      {last !== null && (
        <div className="row copied">
          <span>{last.isCopied ? `Copied the ${last.what}, without your key.` : `Copy the ${last.what} by hand:`}</span>
          <input aria-label={`The ${last.what}`} readOnly value={last.text} onFocus={({ target }) => target.select()} />
          <button type="button" onClick={() => copied.set(null)}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}
