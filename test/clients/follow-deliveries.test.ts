import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { openIn } from '../live/subscription.ts';
import { subscribe } from '../support/event-stream.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';
import { followDeliveries } from './follow-deliveries.ts';

/** A proxy to a gateway that can cut its connections, and lead to another gateway. */
async function startWay(first: Gateway) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(target.url).port), '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => {});
    }
    socket.pipe(onward).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    lead: (to: Gateway) => void (target = to),
    breakOff: () => sockets.forEach((socket) => socket.destroy()),
    close: () => server.close(),
  };
}

test('the client of the client guide gets each delivery once, whatever breaks', async ({ startWith, upstream }) => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2]);
  upstream.script(deliveries.answer);
  const settings = { SUBSCRIPTION_POLL_MS: '20' };
  const gateway = await startWith(settings);
  const other = await startWith(settings);
  const way = await startWay(gateway);
  const taken: unknown[] = [];
  const leave = followDeliveries(way.url, 'a-key', (delivery) => taken.push((delivery as { id: string }).id));
  await expect.poll(() => upstream.requests.length).toBeGreaterThan(1);
  const sent = [...deliveries.add([10, 11])];
  await expect.poll(() => taken).toEqual(sent);

  way.breakOff();
  sent.push(...deliveries.add([9, 12]));
  await expect.poll(() => taken).toEqual(sent);

  way.lead(other);
  await gateway.close();
  sent.push(...deliveries.add([13, 14]));
  await expect.poll(() => taken).toEqual(sent);

  sent.push(...deliveries.add([15]));
  await expect.poll(() => taken).toEqual(sent);
  leave();
  way.breakOff();
  way.close();
});

test('the client of the client guide waits where a gateway has no room, and resumes when it has', async ({
  startWith,
  upstream,
}) => {
  const deliveries = new GrowingDeliveries();
  upstream.script(deliveries.answer);
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '20', SUBSCRIPTION_MAX_STREAMS: '1' });
  const first = await subscribe(gateway, 'subscription { webhookDeliveries { id } }', { key: 'a-key' });
  const taken: unknown[] = [];
  const refusals = (): readonly number[] =>
    gateway.log.filter((line) => line.includes('RATE_LIMITED')).map((line) => Date.parse(JSON.parse(line).time));
  const leave = followDeliveries(`${gateway.url}/graphql`, 'a-key', (delivery) => taken.push(delivery));
  await expect.poll(() => refusals().length).toBeGreaterThan(1);
  const [earlier = 0, second = 0] = refusals();
  expect(second - earlier).toBeGreaterThan(900);
  first.close();
  await expect.poll(() => gateway.log.filter((line) => line.includes('(stream)')).length).toBe(1);
  await expect.poll(() => openIn(gateway)).toEqual({ streams: 1, lists: 1 });
  // Only what comes after the first look at the list is new; the second look has begun after it.
  const looks = upstream.requests.length;
  await expect.poll(() => upstream.requests.length).toBeGreaterThan(looks + 2);
  const [id] = deliveries.add([10]);
  await expect.poll(() => taken).toMatchObject([{ id }]);
  leave();
});
