import { useMemo, useState } from 'react';
import { failuresAt, isLost, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { DeliveriesDocument, type WebhookDeliveryFilter } from '../generated/documents.ts';
import { DataTable } from '../parts/data-table.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Pager } from '../parts/pager.tsx';
import { head, type PageArguments } from '../parts/page-arguments.ts';
import { Loading, Section } from '../parts/section.tsx';
import { Attempts } from './attempts.tsx';
import { columnsWith } from './columns.tsx';
import { filterArguments, FilterForm } from './filter-form.tsx';

const size = 15;

/** Webhook deliveries, newest first, whose rows open to their attempts. */
export function Deliveries() {
  const [filter, setFilter] = useState<WebhookDeliveryFilter | null>(null);
  const [page, setPage] = useState<PageArguments>(head(size));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { data, failures, isLoading, retry } = useRead(DeliveriesDocument, { ...page, filter });
  const own = failuresAt(failures, 'webhookDeliveries');
  const { ofFields, ofSection } = sortOut(own, filterArguments);
  const columns = useMemo(() => {
    const toggle = (nodeId: string): void => {
      setOpen((ids) => (ids.has(nodeId) ? ids.difference(new Set([nodeId])) : ids.union(new Set([nodeId]))));
    };
    return columnsWith((nodeId) => open.has(nodeId), toggle);
  }, [open]);
  // The rows of another page would stand under this one's numbers.
  const list = isLost(own) ? null : data?.webhookDeliveries;
  return (
    <Section
      id="deliveries"
      title="Deliveries"
      lead="Events sent to webhook addresses, newest first. A row opens to its attempts."
      isLoading={isLoading}
    >
      <FilterForm
        failures={ofFields}
        onFilter={(next) => {
          setFilter(next);
          setPage(head(size));
        }}
      />
      <FailureNotice
        what={list == null ? 'The deliveries' : 'Part of the deliveries'}
        failures={ofSection}
        onRetry={retry}
      />
      {data === null && isLoading && <Loading />}
      {list != null && (
        <>
          <DataTable
            label="Deliveries"
            columns={columns}
            rows={list.nodes.filter((node) => node !== null)}
            idOf={({ nodeId }) => nodeId}
            below={({ nodeId }) => (open.has(nodeId) ? <Attempts nodeId={nodeId} /> : null)}
          />
          <Pager
            noun="deliveries"
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
