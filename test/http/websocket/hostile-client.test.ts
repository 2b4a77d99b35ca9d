import { once } from 'node:events';
import { WebSocket } from 'ws';
import { operationIdLength } from '../../../src/http/websocket/socket-operation.ts';
import { socketMessage, socketParts } from '../../../src/http/websocket/socket-server.ts';
import { describe, expect, test } from '../../support/gateway.ts';
import { connectTo } from '../../support/http.ts';
import { frame, openSocket, upgradeHead } from '../../support/streams.ts';
import { valueOf } from '../../support/metrics.ts';
import { hang } from '../../support/scripted-upstream.ts';

const ask = (id: string, query = '{ __typename }') => ({ id, type: 'subscribe', payload: { query } });
const begin = { type: 'connection_init' };
const long = 'x'.repeat(socketMessage);
const nested = `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
/** Sends messages as they should be sent. */
const sending =
  (...messages: readonly object[]) =>
  (ws: WebSocket): void =>
    messages.forEach((message) => ws.send(JSON.stringify(message)));

describe('a WebSocket that is sent', () => {
  test.for<[what: string, code: number, act: (ws: WebSocket) => void]>([
    ['a text that is no UTF-8', 1007, (ws) => ws.send(Buffer.from([0xff, 0xfe]), { binary: false })],
    ['a message in a binary frame', 4400, (ws) => ws.send(Buffer.from(JSON.stringify(begin)))],
    ['a message that is too large', 1009, sending(begin, { type: 'ping', payload: { long } })],
    [
      'a message in too many fragments',
      1008,
      (ws) => {
        for (let sent = 0; sent < socketParts.fragments + 2; sent++) ws.send(' ', { fin: false });
      },
    ],
    ['a message that is nested deeply', 4400, (ws) => ws.send(`{"type":"ping","payload":{"a":${nested}}}`)],
    ['a query before it has begun', 4401, sending(ask('1'))],
    ['an operation without an id', 4400, sending(begin, { type: 'subscribe', payload: { query: '{ __typename }' } })],
    ['an id that is too long', 4400, sending(begin, ask('i'.repeat(operationIdLength + 1)))],
  ])('%s ends with %i, and others are served', async ([, code, act], { gateway, upstream }) => {
    const { ws, closed } = await openSocket(gateway, { payload: null });
    act(ws);
    expect((await closed).code).toBe(code);
    expect(upstream.requests).toEqual([]);
    await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(0);
    expect((await gateway.query('{ __typename }')).data).toEqual({ __typename: 'Query' });
    expect(gateway.log.join('')).not.toContain('internal error');
  });

  test('a message of the largest size is taken', async ({ gateway }) => {
    const socket = await openSocket(gateway);
    const query = '{ __typename }';
    const empty = JSON.stringify({ id: '1', type: 'subscribe', payload: { query } });
    socket.subscribe('1', { query: query + ' '.repeat(socketMessage - empty.length) });
    expect((await socket.next('1')).payload).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('a client of a WebSocket', () => {
  test('that ends its side, or is cut off, leaves nothing behind', async ({ gateway, upstream }) => {
    upstream.script(() => hang);
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const socket = connectTo(gateway);
      const messages = [begin, ask('1', 'subscription { webhookDeliveries { id } }')];
      const frames = messages.map((message) => frame(1, JSON.stringify(message)));
      socket.resume().write(Buffer.concat([Buffer.from(upgradeHead()), ...frames]));
      await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(1);
      socket[leave]();
      await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(0);
      socket.destroy();
    }
  });

  test('that answers no ping is cut off', async ({ startWith }) => {
    const gateway = await startWith({ RESPONSE_STALL_TIMEOUT_MS: '50' });
    const silent = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      autoPong: false,
    });
    const [code] = await once(silent, 'close');
    expect(code).toBe(1006);
  });
});
