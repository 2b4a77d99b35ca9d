import { useQuery } from '@apollo/client/react';
import { Failure } from './failure.tsx';
import { graphql, useFragment } from './generated';
import { DeliveryRowFragmentDoc } from './generated/graphql.ts';
import { useLiveDeliveries } from './live-deliveries.ts';

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

/** One connection with its newest deliveries, and those that appear while the page is open. */
export function Connection({ id, apiKey }: { id: string; apiKey: string }) {
  const { data, error, loading, refetch } = useQuery(connectionQuery, { variables: { id } });
  const connection = data?.ipConnection;
  const nodes = connection?.webhookDeliveries?.edges.flatMap((edge) => edge?.node ?? []) ?? [];
  const { rows, state, failure } = useLiveDeliveries(id, apiKey, useFragment(DeliveryRowFragmentDoc, nodes), refetch);
  return (
    <>
      <p>
        <a href="#/connections">All connections</a>
      </p>
      <h1>{connection?.connectionName ?? 'Connection'}</h1>
      <Failure of={error ?? failure} retry={refetch} />
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
          <p role="status">{state}</p>
          <ul className="rows">
            {rows.map((row) => (
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
