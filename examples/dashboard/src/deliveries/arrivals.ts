import { useState } from 'react';
import { useSubscription } from 'urql';
import type { StreamContext } from '../gateway/client.ts';
import { failuresOf, type Failure } from '../gateway/failure.ts';
import { NewDeliveriesDocument, type DeliveryRowFragment, type WebhookDeliveryFilter } from '../generated/documents.ts';

/** The deliveries since the stream began. */
export interface Arrivals {
  readonly rows: readonly DeliveryRowFragment[];
  /** How many there were, of which `rows` has the newest. */
  readonly count: number;
}

interface Following {
  readonly arrivals: Arrivals;
  readonly failures: readonly Failure[];
}

/** The most rows that an open page keeps. */
const most = 100;
const none: Arrivals = { rows: [], count: 0 };

/** Follows new deliveries for as long as it is mounted; another filter needs another mount. */
export function useArrivals(filter: WebhookDeliveryFilter | null, onConnected: () => void): Following {
  // urql begins a stream anew whenever it is given another context.
  const [context] = useState<StreamContext>({ onConnected });
  const [{ data, error }] = useSubscription(
    { query: NewDeliveriesDocument, variables: { filter }, context },
    (arrivals: Arrivals | undefined, { webhookDeliveries }) => withOne(arrivals ?? none, webhookDeliveries),
  );
  return { arrivals: data ?? none, failures: failuresOf(error) };
}

/** When an error ends the stream, urql returns the delivery before it once more. */
function withOne({ rows, count }: Arrivals, delivery: DeliveryRowFragment): Arrivals {
  if (rows[0]?.nodeId === delivery.nodeId) return { rows, count };
  return { rows: [delivery, ...rows].slice(0, most), count: count + 1 };
}

/** All known rows of a list, each once, newest first: a row that appears late gets its place among the others. */
export function together(
  arrived: readonly DeliveryRowFragment[],
  listed: readonly DeliveryRowFragment[],
): readonly DeliveryRowFragment[] {
  const each = new Map([...arrived, ...listed].map((delivery) => [delivery.nodeId, delivery]));
  return [...each.values()].sort((a, b) => startOf(b) - startOf(a));
}

function startOf({ startedAt }: DeliveryRowFragment): number {
  return startedAt === null ? -Infinity : Date.parse(startedAt);
}
