import { createContext, useId, type ReactNode, type SubmitEvent } from 'react';
import type { Failure } from '../gateway/failure.ts';
import { worded, type Labels } from '../gateway/failure-wording.ts';

/** What a form's fields know of it. */
interface FormState {
  readonly labels: Labels;
  /** The id of the error of an argument, or of one that it is a part of, such as a range; null where there is none. */
  readonly errorIdOf: (argument: string) => string | null;
}

/** The form around a field. */
export const FormContext = createContext<FormState>({ labels: {}, errorIdOf: () => null });

interface FormProps {
  readonly label: string;
  /** The labels of its fields. */
  readonly labels: Labels;
  /** Those of its arguments. */
  readonly failures: readonly Failure[];
  readonly onSend: () => void;
  readonly children: ReactNode;
}

/** A form in a row, with errors of its fields below it: they move no field and no button. */
export function Form({ label, labels, failures, onSend, children }: FormProps) {
  const id = useId();
  const first = new Map(failures.map((failure) => [failure.argument, failure]).toReversed() as [string, Failure][]);
  const errorIdOf = (argument: string): string | null => {
    const named = [...first.keys()].find((name) => argument === name || argument.startsWith(`${name}.`));
    return named === undefined ? null : `${id}-${named}-error`;
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onSend();
  };
  return (
    <form className="form" aria-label={label} onSubmit={send}>
      <div className="form-row">
        <FormContext value={{ labels, errorIdOf }}>{children}</FormContext>
      </div>
      {[...first].map(([argument, { message }]) => (
        <p key={argument} id={`${id}-${argument}-error`} className="field-error" role="alert">
          <strong>{labels[argument]}:</strong> {worded(message, labels)}
        </p>
      ))}
    </form>
  );
}
