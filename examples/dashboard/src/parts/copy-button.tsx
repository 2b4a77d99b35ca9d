import { useEffect, useState } from 'react';

interface CopyButtonProps {
  /** What is copied. */
  readonly text: string;
  /** What it is, e.g. "request id". */
  readonly what: string;
}

type Outcome = 'Copied' | 'Not copied';

/** How long the outcome is shown, in milliseconds. */
const shown = 2_000;

/** Copies a text to the clipboard, and says whether it is there. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), shown);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('Copied');
    } catch {
      // Without a secure origin, or where the browser's user has forbidden it.
      setOutcome('Not copied');
    }
  };
  return (
    <>
      <button type="button" className="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </button>
      <span className="copied" role="status">
        {outcome}
      </span>
    </>
  );
}
