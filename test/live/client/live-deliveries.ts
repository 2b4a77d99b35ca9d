import { shareFeed } from '../../../client/src/feed.ts';
import { liveRows } from '../../../client/src/index.ts';

interface Delivery {
  readonly id: string;
  readonly status: string | null;
}

type Deliveries = readonly Delivery[];

/** Shows a list that is live, until the function that it returns is called. `read` reads the list from the network. */
export function showDeliveries(
  url: string,
  key: string,
  read: () => Promise<Deliveries>,
  show: (rows: Deliveries) => void,
) {
  let arrived: Deliveries = [];
  let listed: Promise<Deliveries> | null = null;
  return shareFeed<Delivery>({ url, key, selection: 'id status' }, (event) => {
    if (event.type === 'delivery') arrived = [...arrived, event.delivery];
    if (event.type === 'state' && event.state === 'LIVE' && (listed === null || event.missed)) listed = read();
    listed?.then((rows) => show(liveRows(arrived, rows)), console.error);
  });
}
