import type { ReactNode } from 'react';
import type { Failure } from '../gateway/failure.ts';
import { Field } from '../parts/field.tsx';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import { Form } from '../parts/form.tsx';
import { Presets } from '../parts/presets.tsx';
import { fieldValueOf, today } from '../values/day.ts';
import { presetsOf } from '../values/presets.ts';
import { useDraft } from '../session/draft.ts';
import { empty, filterLabels, minutesOf, type DeliveryDraft } from './filter.ts';

interface FilterFormProps {
  /** What is shown. */
  readonly sent: DeliveryDraft;
  readonly failures: readonly Failure[];
  readonly onSend: (draft: DeliveryDraft) => void;
  /** What else stands in the form's row. */
  readonly children?: ReactNode;
}

/** Status and range of start. The schema leaves the set of states open, so known ones are offered and others may be typed. */
export function FilterForm({ sent, failures, onSend, children }: FilterFormProps) {
  const [draft, setDraft] = useDraft(sent);
  const send = (next: DeliveryDraft): void => {
    setDraft(next);
    onSend(next);
  };
  const input = (name: keyof DeliveryDraft, type: string, list?: string) => (
    <input
      type={type}
      list={list}
      value={name === 'status' ? draft.status : fieldValueOf(draft[name])}
      onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
    />
  );
  const presets = presetsOf(today());
  const shown = presets.find(({ period }) => {
    const { from, to } = minutesOf(period);
    return sent.from === from && sent.to === to;
  });
  return (
    <Form label="Filter of deliveries" labels={filterLabels} failures={failures} onSend={() => onSend(draft)}>
      <Field argument="filter.status.eq" hint="Such as failed or delivered">
        {input('status', 'search', 'states')}
      </Field>
      <datalist id="states">
        <option value="delivered" />
        <option value="failed" />
      </datalist>
      <Field argument="filter.startedAt.gte">{input('from', 'datetime-local')}</Field>
      <Field argument="filter.startedAt.lte">{input('to', 'datetime-local')}</Field>
      <FilterButtons onClear={() => send(empty)}>{children}</FilterButtons>
      <Presets
        presets={presets}
        current={shown?.period ?? null}
        onPick={(period) => send({ ...draft, ...minutesOf(period) })}
      />
    </Form>
  );
}
