import { useLiveDeliveries } from '../../../../../client/src/react.ts';

interface Delivery {
  readonly id: string;
  readonly status: string | null;
}

/** The deliveries of one status, as they appear. */
export function LiveDeliveries({ url, apiKey, status }: { url: string; apiKey: string; status: string }) {
  const { deliveries, state } = useLiveDeliveries<Delivery>({
    url,
    key: apiKey,
    filter: { status: { eq: status } },
    selection: 'id status',
  });
  return (
    <>
      <p role="status">{state}</p>
      <ul>
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            {delivery.id} {delivery.status}
          </li>
        ))}
      </ul>
    </>
  );
}
