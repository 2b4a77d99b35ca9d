import { subscribe, openSocket } from '../../support/streams.ts';
import { expect } from '../../support/gateway.ts';
import { all, idsOf, openIn, seconds, test } from '../subscription.ts';

test('a stream whose reader is too slow ends with an error, and others go on', async ({ deliveries, startWith }) => {
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '50', SUBSCRIPTION_BUFFER: '10' });
  const payload = { text: 'x'.repeat(200_000) };
  const heavy = 'subscription { webhookDeliveries { id webhook { payload } } }';
  const slow = await gateway.post({ query: heavy }, { accept: 'text/event-stream' });
  const slowSocket = await openSocket(gateway);
  slowSocket.subscribe('a', { query: heavy });
  slowSocket.ws.pause();
  const quickReader = await subscribe(gateway, all);
  const sent: string[] = [];
  await expect.poll(() => openIn(gateway)).toMatchObject({ streams: 3 });
  // Each time beyond the overlap of the one before, so that polls stay small.
  for (let second = 1_000; (await openIn(gateway)).streams > 1 && second < 50_000; second += 1_000) {
    sent.push(...deliveries.add(seconds(second, 12), { webhook: { payload } }));
    await expect.poll(() => idsOf(quickReader)).toEqual(sent);
  }
  const text = await slow.text();
  expect(text).toMatch(/"code":"QUERY_TOO_COMPLEX"[^\n]*\n\nevent: complete\ndata:\n\n$/);
  expect(text.length).toBeLessThan(sent.length * 200_000);
  await expect.poll(() => idsOf(quickReader)).toEqual(sent);
  quickReader.close();
  slowSocket.ws.resume();
  await slowSocket.next('a', 'complete');
  const results = slowSocket.messages.filter(({ type }) => type === 'next');
  expect(results.at(-1)?.payload.errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
  expect(results.length).toBeLessThan(sent.length);
  const ids = results.flatMap(({ payload: { data } }) => data?.webhookDeliveries.id ?? []);
  expect(ids).toEqual(sent.slice(0, ids.length));
  // Its socket takes operations again.
  slowSocket.subscribe('b', { query: '{ __typename }' });
  expect((await slowSocket.next('b')).payload).toEqual({ data: { __typename: 'Query' } });
});
