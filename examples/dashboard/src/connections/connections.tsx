import { failuresAt, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ConnectionsDocument } from '../generated/documents.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Field } from '../parts/field.tsx';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import { Form } from '../parts/form.tsx';
import { OldFigures } from '../parts/old-figures.tsx';
import { Pager } from '../parts/pager.tsx';
import { usePage } from '../parts/paging.ts';
import { Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { changeAddress, useAddress } from '../session/address.ts';
import { useDraft } from '../session/draft.ts';
import { columns } from './columns.tsx';
import { ConnectionDetails } from './connection-details.tsx';
import { orderOf, sortingOf, textOf } from './order.ts';

const size = 15;
const nameArgument = 'filter.connectionName.contains';
const stateArgument = 'filter.active';
const labels = { [nameArgument]: 'Name contains', [stateArgument]: 'State' };
const states: Readonly<Record<string, boolean>> = { on: true, off: false };

/** The account's connections: filtered, sorted and cut into pages by the gateway. */
export function Connections() {
  const address = useAddress();
  const name = address.get('name') ?? '';
  const state = address.get('state') ?? '';
  const sorting = sortingOf(address.get('order') ?? '');
  const [draft, setDraft] = useDraft({ name, state });
  const filter = { connectionName: { contains: name }, active: states[state] ?? null };
  const orderBy = orderOf(sorting);
  const [page, setPage] = usePage(size, [filter, orderBy]);
  const { data, old, failures, isLoading, retry } = useRead(ConnectionsDocument, { ...page, filter, orderBy });
  const { ofFields, ofSection } = sortOut(failuresAt(failures, 'ipConnections'), [nameArgument, stateArgument]);
  const isOld = old.includes('ipConnections');
  const list = data?.ipConnections;
  const send = (next: typeof draft): void => {
    if (next.name === name && next.state === state) retry();
    else changeAddress(next);
  };
  const clear = (): void => {
    setDraft({ name: '', state: '' });
    changeAddress({ name: '', state: '' });
  };
  return (
    <Section
      id="connections"
      title="Connections"
      lead="IP connections, the most recently created first unless sorted otherwise. A row opens to all settings."
      isLoading={isLoading}
    >
      <Form label="Filter of connections" labels={labels} failures={ofFields} onSend={() => send(draft)}>
        <Field argument={nameArgument} hint="Three characters or more, in any case">
          <input
            type="search"
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        </Field>
        <Field argument={stateArgument}>
          <select value={draft.state} onChange={({ target }) => setDraft({ ...draft, state: target.value })}>
            <option value="">On and off</option>
            <option value="on">On</option>
            <option value="off">Off</option>
          </select>
        </Field>
        <FilterButtons onClear={clear} />
      </Form>
      <FailureNotice
        what={list == null || isOld ? 'The connections' : 'Part of the connections'}
        failures={ofSection}
        isOld={isOld}
        labels={labels}
        onRetry={retry}
      />
      <OldFigures isShown={isOld && ofFields.length > 0} />
      {data === null && isLoading && <Skeleton rows={15} />}
      {list?.nodes.length === 0 && <NoConnections name={name} isOfState={state !== ''} />}
      {list != null && list.nodes.length > 0 && (
        <DataTable
          label="Connections"
          columns={columns}
          rows={list.nodes.filter((node) => node !== null)}
          idOf={({ nodeId }) => nodeId}
          sorting={sorting}
          onSorting={(next) => changeAddress({ order: textOf(next) })}
          openerOf={({ connectionName, nodeId }) => `Settings of ${connectionName ?? nodeId}`}
          detailsOf={({ nodeId }) => <ConnectionDetails nodeId={nodeId} />}
        />
      )}
      {list != null && (
        <Pager
          noun="connections"
          size={size}
          list={list}
          page={page}
          isLoading={isLoading}
          onTurn={setPage}
          onRetry={retry}
        />
      )}
    </Section>
  );
}

function NoConnections({ name, isOfState }: { readonly name: string; readonly isOfState: boolean }) {
  if (name === '' && isOfState) return <Empty title="No connection is in this state.">Press Clear to see all.</Empty>;
  if (name === '')
    return (
      <Empty title="This account has no connections.">
        Create one at the platform, then press Filter to read the list again.
      </Empty>
    );
  return (
    <Empty title={`No connection has “${name}” in its name.`}>
      Try a shorter part of it, or press Clear to see all.
    </Empty>
  );
}
