import type { DeliveryRowFragment } from '../generated/documents.ts';
import { DataTable } from '../parts/data-table.tsx';
import { moment } from '../values/wording.ts';
import { Attempts } from './attempts.tsx';
import { columns } from './columns.tsx';

interface DeliveryTableProps {
  readonly rows: readonly DeliveryRowFragment[];
  /** The `nodeId` of those that came while the table was shown. */
  readonly arrived?: ReadonlySet<string>;
}

/** Deliveries, whose rows open to their attempts. */
export function DeliveryTable({ rows, arrived }: DeliveryTableProps) {
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      rows={[...rows]}
      idOf={({ nodeId }) => nodeId}
      openerOf={({ startedAt }) => `Attempts of the delivery of ${moment(startedAt)}`}
      detailsOf={({ nodeId }) => <Attempts nodeId={nodeId} />}
      isNew={({ nodeId }) => arrived?.has(nodeId) === true}
    />
  );
}
