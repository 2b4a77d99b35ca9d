import type { ReactNode } from 'react';
import type { Failure } from '../gateway/failure.ts';
import type { Labels } from '../gateway/failure-wording.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Presets, type Preset } from '../parts/presets.tsx';
import { fieldValueOf, type Period } from '../values/day.ts';

/** The arguments that this form fills, and its labels for them. */
export const periodLabels: Labels = { startDate: 'From', endDate: 'To, exclusive' };

interface PeriodFormProps {
  readonly label: string;
  /** What is typed in. */
  readonly draft: Period;
  /** What is shown. */
  readonly period: Period;
  readonly presets: readonly Preset[];
  readonly hint: string;
  readonly failures: readonly Failure[];
  readonly onDraft: (draft: Period) => void;
  readonly onSend: (period: Period) => void;
  /** What else stands in the form's row. */
  readonly children?: ReactNode;
}

/** Two dates; whether they make a period is the gateway's to say, beside the field that it names. */
export function PeriodForm(props: PeriodFormProps) {
  const { label, draft, period, presets, hint, failures, onDraft, onSend, children } = props;
  const input = (name: keyof Period) => (
    <input
      type="date"
      required
      value={fieldValueOf(draft[name])}
      onChange={({ target }) => onDraft({ ...draft, [name]: target.value })}
    />
  );
  return (
    <Form label={label} labels={periodLabels} failures={failures} onSend={() => onSend(draft)}>
      <Field argument="startDate">{input('startDate')}</Field>
      <Field argument="endDate" hint={hint}>
        {input('endDate')}
      </Field>
      <div className="buttons">
        <button type="submit" className="primary">
          Show
        </button>
        {children}
      </div>
      <Presets
        presets={presets}
        current={period}
        onPick={(picked) => {
          onDraft(picked);
          onSend(picked);
        }}
      />
    </Form>
  );
}
