import { useState } from 'react';
import { failuresAt, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { DeliveriesDocument } from '../generated/documents.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { OldFigures } from '../parts/old-figures.tsx';
import { head } from '../parts/page-arguments.ts';
import { Pager } from '../parts/pager.tsx';
import { usePage } from '../parts/paging.ts';
import { Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { changeAddress, useAddress } from '../session/address.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { draftOf, filterLabels, filterOf, parametersOf, type DeliveryDraft } from './filter.ts';
import { Failures } from './failures.tsx';
import { FilterForm } from './filter-form.tsx';
import { LiveDeliveries } from './live-deliveries.tsx';

const size = 15;

/** Webhook deliveries, newest first: page by page, or the newest with those that come live. */
export function Deliveries() {
  const sent = draftOf(useAddress());
  const filter = filterOf(sent);
  const isFiltered = Object.values(sent).some((value) => value !== '');
  const [page, setPage] = usePage(size, filter);
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const { data, old, failures, isLoading, retry } = useRead(DeliveriesDocument, { ...page, filter });
  const { ofFields, ofSection } = sortOut(failuresAt(failures, 'webhookDeliveries'), Object.keys(filterLabels));
  const isOld = old.includes('webhookDeliveries');
  const list = data?.webhookDeliveries;
  const listed = list?.nodes.filter((node) => node !== null) ?? [];
  const send = (draft: DeliveryDraft): void => {
    setPage(head(size));
    if (JSON.stringify(draft) === JSON.stringify(sent)) retry();
    else changeAddress(parametersOf(draft));
  };
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
      <FilterForm sent={sent} failures={ofFields} onSend={send}>
        <button type="button" className="live" aria-pressed={isLive} onClick={toggleLive}>
          Live
        </button>
      </FilterForm>
      <Failures startedAt={filter.startedAt} />
      <FailureNotice
        what={list == null || isOld ? 'The deliveries' : 'Part of the deliveries'}
        failures={ofSection}
        isOld={isOld}
        labels={filterLabels}
        onRetry={retry}
      />
      <OldFigures isShown={isOld && ofFields.length > 0} />
      {data === null && isLoading && <Skeleton rows={15} />}
      {isLive && (
        <LiveDeliveries
          key={JSON.stringify([round, filter])}
          filter={filter}
          listed={listed}
          onGap={retry}
          onRetry={() => setRound(round + 1)}
        >
          {(rows, arrived) =>
            rows.length === 0 ? (
              <NoDeliveries isFiltered={isFiltered} />
            ) : (
              <DeliveryTable rows={rows} arrived={arrived} />
            )
          }
        </LiveDeliveries>
      )}
      {!isLive && list?.nodes.length === 0 && <NoDeliveries isFiltered={isFiltered} />}
      {!isLive && list != null && list.nodes.length > 0 && <DeliveryTable rows={listed} />}
      {!isLive && list != null && (
        <Pager
          noun="deliveries"
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

function NoDeliveries({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No delivery matches the filter.">
        Try a longer time or another status, or press Clear to see all.
      </Empty>
    );
  return (
    <Empty title="There are no deliveries.">
      Give a connection a webhook address at the platform, and press Live to see its events as they come.
    </Empty>
  );
}
