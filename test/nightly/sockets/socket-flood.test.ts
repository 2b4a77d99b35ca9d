import { socketOperations } from '../../../src/http/websocket/socket-operation.ts';
import { expect, test } from '../../support/gateway.ts';
import { valueOf } from '../../support/metrics.ts';
import { connectTo } from '../../support/http.ts';
import { frame, openSocket, upgradeHead } from '../../support/streams.ts';

const text = (message: object): Buffer => frame(1, JSON.stringify(message));

test('a client of a WebSocket that reads nothing is not read either, and is cut off', async ({ startWith }) => {
  const gateway = await startWith({ RESPONSE_STALL_TIMEOUT_MS: '500' });
  const socket = connectTo(gateway);
  const query = `{ ${Array.from({ length: 3 }, (_, at) => `a${at}: __schema { types { name description fields { name description } } }`).join(' ')} }`;
  socket.write(Buffer.concat([Buffer.from(upgradeHead()), text({ type: 'connection_init' })]));
  // Each asks for some hundred kilobytes, and the connection takes some megabytes.
  for (let id = 0; id < 2_000; id++) socket.write(text({ id: String(id), type: 'subscribe', payload: { query } }));
  await expect.poll(() => valueOf(gateway, 'switchboard_stalled_readers_total')).toBe(1);
  await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(0);
  socket.destroy();
  const served = gateway.log.filter((line) => line.includes('"status":200') && line.includes('(websocket)'));
  expect(served.length).toBeGreaterThan(0);
  expect(served.length).toBeLessThan(socketOperations);
});

test('a client of a WebSocket that sends thousands of operations at a time leaves others their turn', async ({
  gateway,
}) => {
  const socket = await openSocket(gateway);
  const count = 3_000;
  for (let id = 0; id < count; id++) socket.subscribe(String(id), { query: `{ a${id % 50}: __typename }` });
  expect((await gateway.query('{ __typename }')).data).toEqual({ __typename: 'Query' });
  const whenAsked = socket.messages.length;
  await expect
    .poll(() => socket.messages.some(({ id, type }) => id === String(count - 1) && type !== 'next'))
    .toBe(true);
  expect(whenAsked).toBeLessThan(count);
  expect(socket.messages.filter(({ type }) => type === 'complete' || type === 'error')).toHaveLength(count);
});
