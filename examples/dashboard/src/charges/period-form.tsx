import type { ReactNode, SubmitEvent } from 'react';
import type { Failure } from '../gateway/failure.ts';
import { Field } from '../parts/field.tsx';
import type { Period } from '../values/day.ts';

/** The arguments that this form fills. */
export const periodArguments = ['startDate', 'endDate'];

interface PeriodFormProps {
  readonly label: string;
  /** What is typed in. */
  readonly draft: Period;
  readonly hint: string;
  readonly failures: readonly Failure[];
  readonly onDraft: (draft: Period) => void;
  readonly onSend: () => void;
  /** What else stands in the form's row. */
  readonly children?: ReactNode;
}

/** Two dates; whether they make a period is the gateway's to say, beside the field that it names. */
export function PeriodForm({ label, draft, hint, failures, onDraft, onSend, children }: PeriodFormProps) {
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onSend();
  };
  const input = (name: keyof Period) => (
    <input
      type="date"
      required
      value={draft[name]}
      onChange={({ target }) => onDraft({ ...draft, [name]: target.value })}
    />
  );
  return (
    <form className="form-row" aria-label={label} onSubmit={send}>
      <Field label="From" argument="startDate" failures={failures}>
        {input('startDate')}
      </Field>
      <Field label="To, exclusive" argument="endDate" failures={failures} hint={hint}>
        {input('endDate')}
      </Field>
      <div className="buttons">
        <button type="submit" className="primary">
          Show
        </button>
        {children}
      </div>
    </form>
  );
}
