import { useLiveDeliveries } from '../../../../../client/src/react.ts';

interface Row {
  readonly id: string;
  readonly status: string | null;
}

/** The deliveries of one status, as they appear. */
export function LiveDeliveries({ url, apiKey, status }: { url: string; apiKey: string; status: string }) {
  const filter = { status: { eq: status } };
  const { deliveries, state } = useLiveDeliveries<Row>({ url, key: apiKey, filter, selection: 'id status' });
  return (
    <>
      <p role="status">{state}</p>
      <ul>
        {deliveries.map((row) => (
          <li key={row.id}>
            {row.id} {row.status}
          </li>
        ))}
      </ul>
    </>
  );
}
