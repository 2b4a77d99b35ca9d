import { subscribe, openSocket, type GraphqlSocketClient } from '../../support/streams.ts';
import { describe, expect, type Gateway } from '../../support/gateway.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';
import { all, idsOf, openIn, polls, seconds, test } from '../subscription.ts';

/** The deliveries that have come on an operation. */
const idsIn = ({ messages }: GraphqlSocketClient, id: string): readonly unknown[] =>
  messages.flatMap((message) =>
    message.id === id && message.type === 'next' ? [message.payload.data?.webhookDeliveries.id] : [],
  );

/** Waits until so many streams are open. */
async function open(gateway: Gateway, streams: number): Promise<void> {
  await expect.poll(() => openIn(gateway)).toMatchObject({ streams });
}

/** Waits until so many streams are open, and have what was there before them behind them. */
async function begun(gateway: Gateway, streams: number, upstream: ScriptedUpstream): Promise<void> {
  await open(gateway, streams);
  await polls(upstream, 2);
}

describe('a stream over WebSocket', () => {
  test('brings what server-sent events bring, for one poll', async ({ deliveries, gateway, upstream }) => {
    const query = 'subscription { webhookDeliveries { id startedAt webhook { payload } } }';
    const events = await subscribe(gateway, query);
    const sockets = await Promise.all([openSocket(gateway), openSocket(gateway)]);
    for (const socket of sockets) {
      socket.subscribe('a', { query });
      socket.subscribe('b', { query });
    }
    await begun(gateway, 5, upstream);
    expect(await openIn(gateway)).toEqual({ streams: 5, lists: 1 });
    const sent = deliveries.add(seconds(10, 10), { webhook: { payload: { text: 'ü'.repeat(10_000) } } });
    await expect.poll(() => idsOf(events)).toEqual(sent);
    for (const socket of sockets)
      for (const id of ['a', 'b']) {
        await expect.poll(() => idsIn(socket, id)).toEqual(sent);
        const payloads = socket.messages.filter((message) => message.id === id).map(({ payload }) => payload);
        expect(payloads).toEqual(events.events.map(({ data }) => data));
      }
    for (const { ws } of sockets) ws.close();
    await open(gateway, 1);
  });

  test('ends when its client completes it, and another goes on', async ({ deliveries, gateway, upstream }) => {
    const socket = await openSocket(gateway);
    socket.subscribe('a', { query: all });
    socket.subscribe('b', { query: all });
    await begun(gateway, 2, upstream);
    socket.send({ id: 'a', type: 'complete' });
    await open(gateway, 1);
    const sent = deliveries.add([5]);
    await expect.poll(() => idsIn(socket, 'b')).toEqual(sent);
    expect(idsIn(socket, 'a')).toEqual([]);
    socket.ws.terminate();
    await expect.poll(() => openIn(gateway)).toEqual({ streams: 0, lists: 0 });
    const lines = gateway.log.filter((line) => line.includes('"/graphql (websocket stream)"'));
    const left = { status: 200, aborted: true };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([left, left]);
  });

  test('begins where its operation says, whatever the upgrade', async ({ deliveries, gateway, upstream }) => {
    const socket = await openSocket(gateway, { headers: { 'last-event-id': 'of another stream' } });
    socket.subscribe('a', { query: all });
    await begun(gateway, 1, upstream);
    const sent = deliveries.add([5]);
    await expect.poll(() => idsIn(socket, 'a')).toEqual(sent);
  });

  test('ends with an error when the gateway stops, then its socket with 1001', async ({ gateway, upstream }) => {
    const [streaming, idle, silent] = await Promise.all([
      openSocket(gateway),
      openSocket(gateway),
      openSocket(gateway, { payload: null }),
    ]);
    streaming.subscribe('a', { query: all });
    await begun(gateway, 1, upstream);
    await gateway.close();
    for (const { closed } of [streaming, idle, silent])
      expect(await closed).toEqual({ code: 1001, reason: 'Going away' });
    expect(streaming.messages.slice(1)).toMatchObject([
      { type: 'next', payload: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] } },
      { type: 'complete', id: 'a' },
    ]);
  });
});
