import { useId, type ReactElement, cloneElement } from 'react';
import type { Failure } from '../gateway/failure.ts';

interface ControlProps {
  readonly id?: string;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string | undefined;
}

interface FieldProps {
  readonly label: string;
  /** The argument that this field fills: errors that name it are shown here. */
  readonly argument: string;
  readonly failures: readonly Failure[];
  readonly hint?: string;
  /** An input or select; it is given its id and told of its error. */
  readonly children: ReactElement<ControlProps>;
}

/** A labelled control with the gateway's errors for its argument beside it. */
export function Field({ label, argument, failures, hint, children }: FieldProps) {
  const id = useId();
  const own = failures.filter((failure) => failure.argument === argument);
  const describing = [hint !== undefined && `${id}-hint`, own.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-invalid': own.length > 0,
        'aria-describedby': describing === '' ? undefined : describing,
      })}
      {hint !== undefined && (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
      {own.length > 0 && (
        <p id={`${id}-error`} className="field-error" role="alert">
          <code className="code">{own[0]?.code}</code> {own[0]?.message}
        </p>
      )}
    </div>
  );
}
