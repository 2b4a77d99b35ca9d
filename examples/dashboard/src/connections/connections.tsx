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
const labels = { [nameArgument]: 'Name contains' };

/** The account's connections: filtered, sorted and cut into pages by the gateway. */
export function Connections() {
  const address = useAddress();
  const name = address.get('name') ?? '';
  const sorting = sortingOf(address.get('order') ?? '');
  const [draft, setDraft] = useDraft({ name });
  const filter = { connectionName: { contains: name } };
  const orderBy = orderOf(sorting);
  const [page, setPage] = usePage(size, [filter, orderBy]);
  const { data, old, failures, isLoading, retry } = useRead(ConnectionsDocument, { ...page, filter, orderBy });
  const { ofFields, ofSection } = sortOut(failuresAt(failures, 'ipConnections'), [nameArgument]);
  const isOld = old.includes('ipConnections');
  const list = data?.ipConnections;
  const send = (next: string): void => {
    if (next === name) retry();
    else changeAddress({ name: next });
  };
  const clear = (): void => {
    setDraft({ name: '' });
    changeAddress({ name: '' });
  };
  return (
    <Section
      id="connections"
      title="Connections"
      lead="IP connections, the most recently created first unless sorted otherwise. A row opens to all settings."
      isLoading={isLoading}
    >
      <Form label="Filter of connections" labels={labels} failures={ofFields} onSend={() => send(draft.name)}>
        <Field argument={nameArgument} hint="Three characters or more, in any case">
          <input type="search" value={draft.name} onChange={({ target }) => setDraft({ name: target.value })} />
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
      {list?.nodes.length === 0 && <NoConnections name={name} />}
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

function NoConnections({ name }: { readonly name: string }) {
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
