import { useState } from 'react';
import { failuresAt } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { DeliveryFailuresDocument, type WebhookDeliveryFilter } from '../generated/documents.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { FoldingRow } from '../parts/folding-row.tsx';
import { Moment } from '../parts/moment.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { count, moment, nothing } from '../values/wording.ts';

interface FailuresProps {
  /** When the deliveries began. */
  readonly startedAt: WebhookDeliveryFilter['startedAt'];
}

/** What fails and why, the most frequent first: read once it is opened. */
export function Failures({ startedAt }: FailuresProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What fails, and why</summary>
      {isOpen && <Groups startedAt={startedAt} />}
    </details>
  );
}

function Groups({ startedAt }: FailuresProps) {
  const { data, failures, isLoading, retry } = useRead(DeliveryFailuresDocument, { filter: { startedAt } });
  const found = data?.deliveryFailures;
  return (
    <div aria-busy={isLoading}>
      <FailureNotice what="The failures" failures={failuresAt(failures, 'deliveryFailures')} onRetry={retry} />
      {data === null && isLoading && <Skeleton rows={4} />}
      {found?.groups.length === 0 && <Empty title="Nothing has failed.">Choose a longer time above.</Empty>}
      {found != null && found.groups.length > 0 && (
        <>
          <div className="table-frame stacked" tabIndex={0} role="group" aria-label="Failures">
            <table>
              <thead>
                <tr>
                  <th scope="col">Address</th>
                  <th scope="col">Answer</th>
                  <th scope="col">Error</th>
                  <th scope="col" className="number">
                    Deliveries
                  </th>
                  <th scope="col">Newest (UTC)</th>
                </tr>
              </thead>
              <tbody>
                {found.groups.map(({ address, httpStatus, errorCode, title, count: deliveries, newest }) => (
                  <FoldingRow
                    key={JSON.stringify([address, httpStatus, errorCode, title])}
                    heading={address ?? nothing}
                  >
                    <td data-label="Answer" className="folded">
                      {httpStatus ?? 'none'}
                    </td>
                    <td data-label="Error">
                      {[errorCode, title].filter((part) => part !== null).join(' ') || nothing}
                    </td>
                    <td data-label="Deliveries" className="number">
                      {count(deliveries)}
                    </td>
                    <td data-label="Newest (UTC)" className="folded">
                      <Moment>{moment(newest?.startedAt)}</Moment>
                    </td>
                  </FoldingRow>
                ))}
              </tbody>
            </table>
          </div>
          {!found.isWhole && <p className="hint">Of the newest {count(found.examined)} deliveries.</p>}
        </>
      )}
    </div>
  );
}
