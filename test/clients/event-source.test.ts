import { once } from 'node:events';
import { Agent, EventSource } from 'undici';
import { openIn } from '../live/subscription.ts';
import { expect, test } from '../support/gateway.ts';
import { GrowingDeliveries } from '../support/growing-deliveries.ts';

/** Sends a key, which the browser's own client cannot. */
const withKey = new Agent().compose((dispatch) => (options, handler) => {
  const headers = { ...(options.headers as Record<string, string>), authorization: 'Bearer a-key' };
  return dispatch({ ...options, headers }, handler);
});

test('an EventSource resumes by itself where it was, even before its first event', async ({ startWith, upstream }) => {
  const deliveries = new GrowingDeliveries();
  deliveries.add([1, 2]);
  upstream.script(deliveries.answer);
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '20' });
  const query = encodeURIComponent('subscription { webhookDeliveries { id } }');
  const taken: unknown[] = [];
  const source = new EventSource(`${gateway.url}/graphql?query=${query}`, {
    node: { dispatcher: withKey, reconnectionTime: 500 },
  });
  source.addEventListener('next', (event) => {
    const { data } = JSON.parse(String((event as MessageEvent).data));
    if (data != null) taken.push(data.webhookDeliveries.id);
  });
  await once(source, 'open');
  await gateway.close();
  const missed = deliveries.add([1.5, 10]);
  const next = await startWith({ SUBSCRIPTION_POLL_MS: '20', PORT: new URL(gateway.url).port });
  await expect.poll(() => taken).toEqual(missed);
  const [live] = deliveries.add([11]);
  await expect.poll(() => taken).toEqual([...missed, live]);
  source.close();
  await expect.poll(() => openIn(next)).toEqual({ streams: 0, lists: 0 });
});
