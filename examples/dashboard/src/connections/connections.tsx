import type { SortingState } from '@tanstack/react-table';
import { useState, type SubmitEvent } from 'react';
import { failuresAt, isLost, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ConnectionsDocument, type IpConnectionOrder } from '../generated/documents.ts';
import { DataTable } from '../parts/data-table.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Field } from '../parts/field.tsx';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import { Pager } from '../parts/pager.tsx';
import { head, type PageArguments } from '../parts/page-arguments.ts';
import { Loading, Section } from '../parts/section.tsx';
import { columns } from './columns.tsx';

const size = 15;
const nameArgument = 'filter.connectionName.contains';

/** The table's order as the schema's; null for the list's own. */
function orderOf([column]: SortingState): IpConnectionOrder | null {
  if (column === undefined) return null;
  return { field: column.id as IpConnectionOrder['field'], direction: column.desc ? 'DESC' : 'ASC' };
}

/** The account's connections: filtered, sorted and cut into pages by the gateway. */
export function Connections() {
  const [draft, setDraft] = useState('');
  const [name, setName] = useState('');
  const [sorting, setSorting] = useState<SortingState>([]);
  const [page, setPage] = useState<PageArguments>(head(size));
  const { data, failures, isLoading, retry } = useRead(ConnectionsDocument, {
    ...page,
    filter: name === '' ? null : { connectionName: { contains: name } },
    orderBy: orderOf(sorting),
  });
  const own = failuresAt(failures, 'ipConnections');
  const { ofFields, ofSection } = sortOut(own, [nameArgument]);
  // The rows of another page would stand under this one's numbers.
  const list = isLost(own) ? null : data?.ipConnections;

  // A cursor belongs to its list: another filter or order begins at the head.
  const filter = (contains: string): void => {
    setName(contains);
    setPage(head(size));
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    filter(draft);
  };
  return (
    <Section
      id="connections"
      title="Connections"
      lead="IP connections, the most recently created first unless sorted otherwise."
      isLoading={isLoading}
    >
      <form className="form-row" aria-label="Filter of connections" onSubmit={send}>
        <Field
          label="Name contains"
          argument={nameArgument}
          failures={ofFields}
          hint="Three characters or more, in any case"
        >
          <input type="search" value={draft} onChange={({ target }) => setDraft(target.value)} />
        </Field>
        <FilterButtons
          onClear={() => {
            setDraft('');
            filter('');
          }}
        />
      </form>
      <FailureNotice
        what={list == null ? 'The connections' : 'Part of the connections'}
        failures={ofSection}
        onRetry={retry}
      />
      {data === null && isLoading && <Loading />}
      {list != null && (
        <>
          <DataTable
            label="Connections"
            columns={columns}
            rows={list.nodes.filter((node) => node !== null)}
            idOf={({ nodeId }) => nodeId}
            sorting={sorting}
            onSorting={(next) => {
              setSorting(next);
              setPage(head(size));
            }}
          />
          <Pager
            noun="connections"
            size={size}
            held={list.nodes.length}
            offset={list.offset}
            total={list.totalCount}
            pageInfo={list.pageInfo}
            isLoading={isLoading}
            onTurn={setPage}
          />
        </>
      )}
    </Section>
  );
}
