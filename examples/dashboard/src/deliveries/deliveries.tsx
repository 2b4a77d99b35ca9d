import { useState } from 'react';
import { failuresAt, isLost, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { DeliveriesDocument, type WebhookDeliveryFilter } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { head, type PageArguments } from '../parts/page-arguments.ts';
import { Pager } from '../parts/pager.tsx';
import { Loading, Section } from '../parts/section.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { filterArguments, FilterForm } from './filter-form.tsx';
import { LiveDeliveries } from './live-deliveries.tsx';

const size = 15;

/** Webhook deliveries, newest first: page by page, or the newest with those that come live. */
export function Deliveries() {
  const [filter, setFilter] = useState<WebhookDeliveryFilter | null>(null);
  const [page, setPage] = useState<PageArguments>(head(size));
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const { data, failures, isLoading, retry } = useRead(DeliveriesDocument, { ...page, filter });
  const own = failuresAt(failures, 'webhookDeliveries');
  const { ofFields, ofSection } = sortOut(own, filterArguments);
  // The rows of another page would stand under this one's numbers.
  const list = isLost(own) ? null : data?.webhookDeliveries;
  const listed = list?.nodes.filter((node) => node !== null) ?? [];
  const toggleLive = (): void => {
    setLive(!isLive);
    setPage(head(size));
    // Pages are of the list as it is, with all that has come meanwhile.
    if (isLive) retry();
  };
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
      >
        <button type="button" className="live" aria-pressed={isLive} onClick={toggleLive}>
          Live
        </button>
      </FilterForm>
      <FailureNotice
        what={list == null ? 'The deliveries' : 'Part of the deliveries'}
        failures={ofSection}
        onRetry={retry}
      />
      {data === null && isLoading && <Loading />}
      {isLive && (
        <LiveDeliveries
          key={JSON.stringify([round, filter])}
          filter={filter}
          listed={listed}
          onConnected={retry}
          onRetry={() => setRound(round + 1)}
        >
          {(rows) => <DeliveryTable rows={rows} />}
        </LiveDeliveries>
      )}
      {!isLive && list != null && (
        <>
          <DeliveryTable rows={listed} />
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
