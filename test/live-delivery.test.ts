import { subscribe, type EventStream } from './support/event-stream.ts';
import { expect, test } from './support/gateway.ts';
import { GrowingDeliveries } from './support/growing-deliveries.ts';

const quick = { SUBSCRIPTION_POLL_MS: '5' };
const all = 'subscription { webhookDeliveries { id } }';

const idsOf = ({ events }: EventStream): readonly unknown[] =>
  events.filter(({ name }) => name === 'next').map(({ data }) => data.data.webhookDeliveries.id);

test('sends what appears from now on, each once, oldest first', async ({ startWith, upstream }) => {
  const gateway = await startWith(quick);
  const deliveries = new GrowingDeliveries();
  upstream.script(deliveries.answer);
  deliveries.add([1, 2, 3]);
  const stream = await subscribe(gateway, all);
  expect(stream.status).toBe(200);
  const burst = deliveries.add(Array.from({ length: 600 }, (_, index) => 10 + index / 100));
  await expect.poll(() => idsOf(stream)).toEqual(burst);
  const second = deliveries.add([16, 16, 16]);
  await expect.poll(() => idsOf(stream)).toEqual([...burst, ...second]);
  stream.close();
});
