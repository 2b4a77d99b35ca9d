import { useQuery } from '@apollo/client/react';
import { useLiveDeliveries } from '@switchboard-gateway/client/react';
import { print } from 'graphql';
import { url } from './client.ts';
import { Failure } from './failure.tsx';
import { graphql, useFragment } from './generated';
import type { DeliveryRowFragment } from './generated/graphql.ts';

const deliveryRow = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id
    status
    startedAt
    webhook {
      eventType
    }
  }
`);

const connectionQuery = graphql(`
  query Connection($id: ID!) {
    ipConnection(id: $id) {
      id
      connectionName
      active
      transportProtocol
      webhookEventUrl
      webhookDeliveries(first: 20) {
        edges {
          node {
            id
            ...DeliveryRow
          }
        }
      }
    }
  }
`);

const states = { LIVE: 'Live', PAUSED: 'Paused: what appears meanwhile comes later', ENDED: 'No longer live' };

/** One connection with its newest deliveries, and those that appear while the page is open. */
export function Connection({ id, apiKey }: { id: string; apiKey: string }) {
  const { data, error, loading, refetch } = useQuery(connectionQuery, { variables: { id } });
  const connection = data?.ipConnection;
  const nodes = connection?.webhookDeliveries?.edges.flatMap((edge) => edge?.node ?? []) ?? [];
  const { deliveries, state, errors } = useLiveDeliveries<DeliveryRowFragment>({
    url,
    key: apiKey,
    filter: { connectionId: id },
    selection: '...DeliveryRow',
    fragments: print(deliveryRow),
    listed: useFragment(deliveryRow, nodes),
    read: refetch,
  });
  return (
    <>
      <p>
        <a href="#/connections">All connections</a>
      </p>
      <h1>{connection?.connectionName ?? 'Connection'}</h1>
      <Failure of={error ?? (state === 'ENDED' ? errors : null)} retry={refetch} />
      {!connection && !error && <p role="status">{loading ? 'Loading…' : 'There is no such connection.'}</p>}
      {connection && (
        <>
          <dl>
            <dt>State</dt>
            <dd>{connection.active === false ? 'switched off' : 'active'}</dd>
            <dt>Transport</dt>
            <dd>{connection.transportProtocol}</dd>
            <dt>Webhooks go to</dt>
            <dd>{connection.webhookEventUrl}</dd>
          </dl>
          <h2>Deliveries</h2>
          <p role="status">{states[state]}</p>
          <ul className="rows">
            {deliveries.map((row) => (
              <li key={row.id}>
                <span>{row.webhook?.eventType ?? 'unknown event'}</span>
                <span className={row.status === 'failed' ? 'failed' : undefined}>{row.status}</span>
                <time dateTime={row.startedAt ?? undefined}>{row.startedAt?.slice(0, 19).replace('T', ' ')}</time>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
