import { shareFeed } from '../../../client/src/feed.ts';
import { liveRows } from '../../../client/src/index.ts';

type Deliveries = readonly { readonly id: string }[];

/** Shows a live list, until the function that it returns is called. `read` reads it from the network. */
export function showDeliveries(
  url: string,
  key: string,
  read: () => Promise<Deliveries>,
  show: (rows: Deliveries) => void,
) {
  let arrived: Deliveries = [];
  let listed: Promise<Deliveries> | null = null;
  return shareFeed<Deliveries[number]>({ url, key, selection: 'id' }, (event) => {
    if (event.type === 'delivery') arrived = [...arrived, event.delivery];
    if (event.type === 'state' && event.state === 'LIVE' && (listed === null || event.missed)) listed = read();
    listed?.then((rows) => show(liveRows(arrived, rows)), console.error);
  });
}
