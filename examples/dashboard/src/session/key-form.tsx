import { useRef, type SubmitEvent } from 'react';

interface KeyFormProps {
  readonly hasKey: boolean;
  readonly onKey: (key: string | null) => void;
}

/**
 * Takes the caller's key. The field is read when it is sent and emptied at once: its text is never rendered, so that it is
 * in no attribute of the document either.
 */
export function KeyForm({ hasKey, onKey }: KeyFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (field.current !== null) field.current.value = '';
    if (key !== '') onKey(key);
  };
  return (
    <form className="key-form" onSubmit={send}>
      <label htmlFor="key">API key</label>
      <small id="key-state" role="status">
        {hasKey ? 'in use, kept in memory only' : 'kept in memory only'}
      </small>
      <input
        id="key"
        ref={field}
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        pattern="[\w.~+\/\-]+=*"
        title="Letters, digits and . _ ~ + / -"
        placeholder={hasKey ? 'another key' : ''}
        aria-describedby="key-state"
      />
      <button type="submit" className="primary">
        Use key
      </button>
      {hasKey && (
        <button type="button" onClick={() => onKey(null)}>
          Forget
        </button>
      )}
    </form>
  );
}
