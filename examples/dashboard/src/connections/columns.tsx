import { createColumnHelper } from '@tanstack/react-table';
import type { ConnectionsQuery } from '../generated/documents.ts';
import { features, type Columns } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';
import { day, nothing } from '../values/wording.ts';

/** A connection as this table shows it. */
export type Connection = NonNullable<NonNullable<ConnectionsQuery['ipConnections']>['nodes'][number]>;

const helper = createColumnHelper<typeof features, Connection>();

/** Null where it is not known. */
function stateOf({ active }: Connection): string | null {
  if (active === null) return null;
  return active ? 'on' : 'off';
}

/**
 * The columns of the connections table: the title of a row, its two facts, and the rest. The ids of the sortable ones are those of the
 * order field.
 */
export const columns: Columns<Connection> = helper.columns([
  helper.accessor('connectionName', {
    id: 'CONNECTION_NAME',
    header: 'Name',
    cell: ({ getValue }) => <span className="name">{getValue() ?? nothing}</span>,
  }),
  helper.accessor(stateOf, {
    id: 'ACTIVE',
    header: 'State',
    cell: ({ getValue }) => <Status state={getValue()} />,
  }),
  helper.accessor('createdAt', {
    id: 'CREATED_AT',
    header: 'Created',
    cell: ({ getValue }) => <Moment>{day(getValue())}</Moment>,
  }),
  helper.accessor('transportProtocol', {
    header: 'Transport',
    enableSorting: false,
    cell: ({ getValue }) => getValue() ?? nothing,
  }),
  helper.accessor(({ inbound }) => inbound?.sipRegion, {
    id: 'region',
    header: 'Region',
    enableSorting: false,
    cell: ({ getValue }) => getValue() ?? nothing,
  }),
  helper.accessor('tags', {
    header: 'Tags',
    enableSorting: false,
    cell: ({ getValue }) => <Tags tags={getValue() ?? []} />,
  }),
  helper.accessor(({ outbound }) => outbound?.ipAuthenticationTokenSet, {
    id: 'token',
    header: 'Token',
    enableSorting: false,
    // Whether there is a secret; the secret itself is never asked for.
    cell: ({ getValue }) => (getValue() === true ? 'set' : nothing),
  }),
  helper.accessor('webhookEventUrl', {
    header: 'Webhook address',
    enableSorting: false,
    cell: ({ getValue }) => <span className="address">{getValue() ?? nothing}</span>,
  }),
]) as Columns<Connection>;

function Tags({ tags }: { readonly tags: readonly (string | null)[] }) {
  if (tags.length === 0) return nothing;
  return (
    <span className="tags">
      {tags.map((tag, at) => (
        // Labels may repeat; they never move.
        <span key={at} className="tag">
          {tag ?? nothing}
        </span>
      ))}
    </span>
  );
}
