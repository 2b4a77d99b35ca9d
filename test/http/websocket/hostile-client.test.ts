import { once } from 'node:events';
import { describe } from 'vitest';
import { WebSocket } from 'ws';
import { operationIdLength } from '../../../src/http/websocket/socket-operation.ts';
import { socketMessage, socketParts } from '../../../src/http/websocket/socket-server.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { connectTo, frame, openSocket, upgradeHead } from '../../support/streams.ts';
import { valueOf } from '../../support/metrics.ts';
import { hang } from '../../support/scripted-upstream.ts';

const text = (message: object | string): Buffer =>
  frame(1, typeof message === 'string' ? message : JSON.stringify(message));
const begin = text({ type: 'connection_init' });
const ask = (id: string, query = '{ __typename }'): Buffer => text({ id, type: 'subscribe', payload: { query } });
const long = 'x'.repeat(socketMessage);

/** The code of the close frame at the end of what a gateway has sent; null where there is none. */
function codeIn(said: Buffer): number | null {
  for (let at = said.indexOf('\r\n\r\n') + 4; at < said.length;) {
    const [opcode, length] = [(said[at] ?? 0) & 0x0f, said[at + 1] ?? 0];
    const bytes =
      length < 126 ? length : length === 126 ? said.readUInt16BE(at + 2) : Number(said.readBigUInt64BE(at + 2));
    const data = at + (length < 126 ? 2 : length === 126 ? 4 : 10);
    if (opcode === 8) return said.readUInt16BE(data);
    at = data + bytes;
  }
  return null;
}

/** Opens a WebSocket by hand, sends bytes, and resolves with the code with which the gateway ends it. */
async function codeFor(gateway: Gateway, pieces: readonly Buffer[]): Promise<number | null> {
  const socket = connectTo(gateway);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(upgradeHead());
  for (const piece of pieces) socket.write(piece);
  await expect.poll(() => codeIn(Buffer.concat(chunks))).not.toBeNull();
  socket.destroy();
  return codeIn(Buffer.concat(chunks));
}

describe('a WebSocket that is sent', () => {
  test.for<[what: string, code: number, pieces: readonly Buffer[]]>([
    ['no frames', 1002, [Buffer.from('GET / HTTP/1.1\r\n\r\n')]],
    ['a frame without a mask', 1002, [Buffer.from([0x81, 2, 0x7b, 0x7d])]],
    ['a text that is no UTF-8', 1007, [frame(1, Buffer.from([0xff, 0xfe]))]],
    ['a message in a binary frame', 4400, [frame(2, JSON.stringify({ type: 'connection_init' }))]],
    ['a message that is too large', 1009, [begin, text({ type: 'ping', payload: { long } })]],
    ['the length of one that would be too large', 1009, [Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0])]],
    [
      'a message in too many fragments',
      1008,
      Array.from({ length: socketParts.fragments + 2 }, (_, at) => frame(at === 0 ? 1 : 0, ' ', false)),
    ],
    [
      'a message that is nested deeply',
      4400,
      [text(`{"type":"ping","payload":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`)],
    ],
    ['a query before it has begun', 4401, [ask('1')]],
    ['an operation without an id', 4400, [begin, text({ type: 'subscribe', payload: { query: '{ __typename }' } })]],
    ['an id that is too long', 4400, [begin, ask('i'.repeat(operationIdLength + 1))]],
  ])('%s ends with %i, and others are served', async ([, code, pieces], { gateway, upstream }) => {
    upstream.script(() => hang);
    expect(await codeFor(gateway, pieces)).toBe(code);
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
      const operation = ask('1', 'subscription { webhookDeliveries { id } }');
      socket.resume().write(Buffer.concat([Buffer.from(upgradeHead()), begin, operation]));
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
