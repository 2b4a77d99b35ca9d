import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { Failure } from '../gateway/failure.ts';
import type { WebhookDeliveryFilter } from '../generated/documents.ts';
import { Field } from '../parts/field.tsx';
import { FilterButtons } from '../parts/filter-buttons.tsx';

/** What is typed in; empty fields do not limit. */
interface Draft {
  readonly status: string;
  readonly from: string;
  readonly to: string;
}

const empty: Draft = { status: '', from: '', to: '' };

/** The arguments that this form fills. */
export const filterArguments = ['filter.status.eq', 'filter.startedAt.gte', 'filter.startedAt.lte'];

/** The draft as the schema's filter; null where nothing limits. */
function filterOf({ status, from, to }: Draft): WebhookDeliveryFilter | null {
  if (status === '' && from === '' && to === '') return null;
  return {
    status: status === '' ? null : { eq: status },
    startedAt: { gte: momentOf(from, '00'), lte: momentOf(to, '59.999999') },
  };
}

/** The field has minutes and no zone, and is labelled UTC; null where it is empty. */
function momentOf(local: string, seconds: string): string | null {
  return local === '' ? null : `${local}:${seconds}Z`;
}

interface FilterFormProps {
  readonly failures: readonly Failure[];
  readonly onFilter: (filter: WebhookDeliveryFilter | null) => void;
  /** What else stands in the form's row. */
  readonly children?: ReactNode;
}

/** Status and range of start. The schema leaves the set of states open, so known ones are offered and others may be typed. */
export function FilterForm({ failures, onFilter, children }: FilterFormProps) {
  const [draft, setDraft] = useState(empty);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onFilter(filterOf(draft));
  };
  const input = (name: keyof Draft, type: string, list?: string) => (
    <input
      type={type}
      list={list}
      value={draft[name]}
      onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
    />
  );
  return (
    <form className="form-row" aria-label="Filter of deliveries" onSubmit={send}>
      <Field label="Status" argument="filter.status.eq" failures={failures} hint="Such as failed or delivered">
        {input('status', 'search', 'states')}
      </Field>
      <datalist id="states">
        <option value="delivered" />
        <option value="failed" />
      </datalist>
      <Field label="Started from (UTC)" argument="filter.startedAt.gte" failures={failures}>
        {input('from', 'datetime-local')}
      </Field>
      <Field label="Started until (UTC)" argument="filter.startedAt.lte" failures={failures}>
        {input('to', 'datetime-local')}
      </Field>
      <FilterButtons
        onClear={() => {
          setDraft(empty);
          onFilter(null);
        }}
      >
        {children}
      </FilterButtons>
    </form>
  );
}
