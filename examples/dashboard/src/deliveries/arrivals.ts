import { print } from 'graphql';
import { useEffect, useState } from 'react';
import { followDeliveries, type FeedEvent } from '../../../../client/src/feed.ts';
import { useAccess } from '../gateway/access.ts';
import { failureOf, type Failure } from '../gateway/failure.ts';
import {
  DeliveryRowFragmentDoc,
  type DeliveryRowFragment,
  type WebhookDeliveryFilter,
} from '../generated/documents.ts';

/** The deliveries since the stream began. */
export interface Arrivals {
  readonly rows: readonly DeliveryRowFragment[];
  /** How many there were, of which `rows` has the newest. */
  readonly count: number;
}

/** `PAUSED`: what appears at present comes later. `ENDED`: nothing comes any more. */
type State = 'LIVE' | 'PAUSED' | 'ENDED';

interface Following {
  readonly arrivals: Arrivals;
  /** Of the end, or of the last delivery that could not be shown whole. */
  readonly failures: readonly Failure[];
  /** Null until the gateway has told it. */
  readonly state: State | null;
}

/** The most rows that an open page keeps. */
const most = 100;
const nothing: Following = { arrivals: { rows: [], count: 0 }, failures: [], state: null };
const row = { selection: '...DeliveryRow', fragments: print(DeliveryRowFragmentDoc) };

/**
 * Follows new deliveries for as long as it is mounted; another filter needs another mount. Calls `onGap` where the list must be read
 * again: when the stream has begun, and when it has missed deliveries.
 */
export function useArrivals(filter: WebhookDeliveryFilter, onGap: () => void): Following {
  const { key } = useAccess();
  const [following, setFollowing] = useState(nothing);
  useEffect(() => {
    let hasBegun = false;
    return followDeliveries<DeliveryRowFragment>({ url: '/graphql', key, filter: { ...filter }, ...row }, (event) => {
      setFollowing((before) => after(before, event));
      if (event.type !== 'state' || event.state !== 'LIVE' || (hasBegun && !event.missed)) return;
      hasBegun = true;
      onGap();
    });
    // The filter and what is called are those of the mount.
  }, []);
  return following;
}

function after(before: Following, event: FeedEvent<DeliveryRowFragment>): Following {
  if (event.type === 'state') return { ...before, state: event.state };
  const failures = event.errors.length === 0 ? before.failures : event.errors.map(failureOf);
  if (event.type !== 'delivery') return { ...before, failures, state: event.type === 'end' ? 'ENDED' : before.state };
  const { rows, count } = before.arrivals;
  return { ...before, failures, arrivals: { rows: [event.delivery, ...rows].slice(0, most), count: count + 1 } };
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
