import { cloneElement, useContext, useId, type ReactElement } from 'react';
import { FormContext } from './form.tsx';

interface ControlProps {
  readonly id?: string;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string | undefined;
}

interface FieldProps {
  /** The argument that this field fills: its form has a label for it, and errors that name it. */
  readonly argument: string;
  readonly hint?: string;
  /** An input or select; it is given its id and told of its error. */
  readonly children: ReactElement<ControlProps>;
}

/** A labelled control that points to the gateway's error for its argument. */
export function Field({ argument, hint, children }: FieldProps) {
  const id = useId();
  const { labels, errorIdOf } = useContext(FormContext);
  const errorId = errorIdOf(argument);
  const describing = [hint === undefined ? null : `${id}-hint`, errorId].filter((part) => part !== null).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{labels[argument]}</label>
      {cloneElement(children, {
        id,
        'aria-invalid': errorId !== null,
        'aria-describedby': describing === '' ? undefined : describing,
      })}
      {hint !== undefined && (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
