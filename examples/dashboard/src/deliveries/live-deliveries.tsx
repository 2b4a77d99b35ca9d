import type { ReactNode } from 'react';
import { isLost, sortOut } from '../gateway/failure.ts';
import type { DeliveryRowFragment, WebhookDeliveryFilter } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { count } from '../values/wording.ts';
import { together, useArrivals } from './arrivals.ts';
import { filterLabels } from './filter.ts';

interface LiveDeliveriesProps {
  readonly filter: WebhookDeliveryFilter | null;
  /** The head of the list. */
  readonly listed: readonly DeliveryRowFragment[];
  /** Told when the list must be read again, for what appeared before the stream began. */
  readonly onConnected: () => void;
  readonly onRetry: () => void;
  /** Shows all rows; those that came by the stream are told by their `nodeId`. */
  readonly children: (rows: readonly DeliveryRowFragment[], arrived: ReadonlySet<string>) => ReactNode;
}

/** The newest deliveries, to which others come by themselves for as long as this is shown. */
export function LiveDeliveries({ filter, listed, onConnected, onRetry, children }: LiveDeliveriesProps) {
  const { arrivals, failures } = useArrivals(filter, onConnected);
  // A stream ends by failing as a whole; what fails below that is a part of one delivery.
  const hasEnded = isLost(failures);
  // What is wrong with the filter, the list's own failure says beside its fields.
  const { ofSection } = sortOut(failures, Object.keys(filterLabels));
  return (
    <>
      <FailureNotice
        what={hasEnded ? 'New deliveries' : 'Part of the new deliveries'}
        failures={ofSection}
        onRetry={onRetry}
      />
      {children(together(arrivals.rows, listed), new Set(arrivals.rows.map(({ nodeId }) => nodeId)))}
      <p role="status">
        {hasEnded ? 'No longer live' : 'Live'}: {count(arrivals.count)} new
      </p>
    </>
  );
}
