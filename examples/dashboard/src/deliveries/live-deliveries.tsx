import type { ReactNode } from 'react';
import { sortOut } from '../gateway/failure.ts';
import type { DeliveryRowFragment, WebhookDeliveryFilter } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { count } from '../values/wording.ts';
import { together, useArrivals } from './arrivals.ts';
import { filterLabels } from './filter.ts';

interface LiveDeliveriesProps {
  readonly filter: WebhookDeliveryFilter;
  /** The head of the list. */
  readonly listed: readonly DeliveryRowFragment[];
  /** Called when the list must be read again, for what the stream does not bring. */
  readonly onGap: () => void;
  readonly onRetry: () => void;
  /** Shows all rows; those that came by the stream are told by their `nodeId`. */
  readonly children: (rows: readonly DeliveryRowFragment[], arrived: ReadonlySet<string>) => ReactNode;
}

const wording = { LIVE: 'Live', PAUSED: 'Paused', ENDED: 'No longer live' };

/** The newest deliveries, to which others come by themselves for as long as this is shown. */
export function LiveDeliveries({ filter, listed, onGap, onRetry, children }: LiveDeliveriesProps) {
  const { arrivals, failures, state } = useArrivals(filter, onGap);
  const hasEnded = state === 'ENDED';
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
        {wording[state ?? 'LIVE']}: {count(arrivals.count)} new
      </p>
    </>
  );
}
