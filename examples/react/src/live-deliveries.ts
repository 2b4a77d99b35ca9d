import { print } from 'graphql';
import { useEffect, useState } from 'react';
import { liveRows } from '@switchboard-gateway/client';
import { shareFeed, type FeedError } from '@switchboard-gateway/client/feed';
import { url } from './client.ts';
import { graphql } from './generated';
import type { DeliveryRowFragment } from './generated/graphql.ts';

const row = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id
    status
    startedAt
    webhook {
      eventType
    }
  }
`);

const states = { LIVE: 'Live', PAUSED: 'Paused: what appears meanwhile comes later', ENDED: 'No longer live' };

/** The rows of a connection's list that is live, the newest first. `read` reads the list from the network. */
export function useLiveDeliveries(
  connectionId: string,
  key: string,
  listed: readonly DeliveryRowFragment[],
  read: () => unknown,
) {
  const [arrived, setArrived] = useState<readonly DeliveryRowFragment[]>([]);
  const [state, setState] = useState<keyof typeof states>('PAUSED');
  const [failure, setFailure] = useState<readonly FeedError[]>();
  useEffect(() => {
    let hasBegun = false;
    const options = { url, key, filter: { connectionId }, selection: '...DeliveryRow', fragments: print(row) };
    return shareFeed<DeliveryRowFragment>(options, (event) => {
      if (event.type === 'delivery') setArrived((before) => [...before, event.delivery]);
      if (event.type === 'end') setFailure(event.errors);
      if (event.type === 'end') setState('ENDED');
      if (event.type !== 'state') return;
      setState(event.state);
      if (event.state === 'LIVE' && (!hasBegun || event.missed)) void read();
      hasBegun ||= event.state === 'LIVE';
    });
  }, [connectionId, key, read]);
  return { rows: liveRows(arrived, listed), state: states[state], failure };
}
