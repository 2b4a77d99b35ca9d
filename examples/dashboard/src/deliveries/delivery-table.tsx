import { useMemo, useState } from 'react';
import type { DeliveryRowFragment } from '../generated/documents.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Attempts } from './attempts.tsx';
import { columnsWith } from './columns.tsx';

/** Deliveries, whose rows open to their attempts. */
export function DeliveryTable({ rows }: { readonly rows: readonly DeliveryRowFragment[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => {
    const toggle = (nodeId: string): void => {
      setOpen((ids) => (ids.has(nodeId) ? ids.difference(new Set([nodeId])) : ids.union(new Set([nodeId]))));
    };
    return columnsWith((nodeId) => open.has(nodeId), toggle);
  }, [open]);
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      rows={[...rows]}
      idOf={({ nodeId }) => nodeId}
      below={({ nodeId }) => (open.has(nodeId) ? <Attempts nodeId={nodeId} /> : null)}
    />
  );
}
