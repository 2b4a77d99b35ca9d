import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { smallBody, bodiesUnderWay } from '../../../src/http/request/body-reader.ts';
import { socketMessage } from '../../../src/http/websocket/socket-server.ts';
import { frame, upgradeHead } from '../../support/streams.ts';
import { connectTo, talk } from '../../support/http.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

// What is begun and never finished, by clients without a key.
const mebibyte = 2 ** 20;
const waitMs = 60_000;
const patient = { timeout: waitMs };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    env: {
      MCP: 'true',
      WEBSOCKET_MAX_SOCKETS: '400',
      REQUEST_HEADERS_TIMEOUT_MS: '600000',
      REQUEST_TIMEOUT_MS: '600000',
    },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

function open(bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      if (bytes === '') resolve(socket);
      else socket.write(bytes, () => resolve(socket));
    });
    // A connection that is closed, for what was sent, is held no longer.
    socket.on('error', () => resolve(socket));
  });
}

const postHead = (rest: string, path = '/graphql'): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${rest}\r\n\r\n`;

describe('a thousand connections', () => {
  const connections = 1_000;
  const introspection = JSON.stringify({
    query: '{ __schema { types { name description fields { name description } } } }',
  });
  const asked = `${postHead(`content-length: ${introspection.length}`)}${introspection}`;
  const half = postHead(`content-length: ${mebibyte}`) + ' '.repeat(900_000);
  const holds: readonly (readonly [what: string, bytes: string, mostBytes: number, count: number])[] = [
    ['say nothing', '', 16 * mebibyte, connections],
    ['send half a head', `GET / HTTP/1.1\r\nhost: gateway\r\nx-a: ${'a'.repeat(15_000)}`, 24 * mebibyte, connections],
    ['send half a body', half, 1.5 * bodiesUnderWay + connections * smallBody, connections],
    // To execute introspection for a thousand takes long.
    ['send requests ahead and read nothing', asked.repeat(5), 8 * mebibyte, 300],
  ];

  test.for(holds)('take bounded memory, and free it: those that %s', async ([, bytes, most, count]) => {
    const before = await gateway.heldBytes();
    const sockets = await Promise.all(Array.from({ length: count }, () => open(bytes)));
    // Who comes last is answered after all others were let in. What is made for many at once takes more, and for a moment.
    expect(await gateway.askAsGoodCaller()).toBeNull();
    const heldBytes = async (): Promise<number> => (await gateway.heldBytes()) - before;
    await expect.poll(heldBytes, patient).toBeLessThan(most);
    for (const socket of sockets) socket.destroy();
    await expect.poll(heldBytes, patient).toBeLessThan(4 * mebibyte);
  });
});

const length = 900_000;
const begun = `{"query":"{ __typename } # ${'x'.repeat(length - 100)}`;

test.for([
  ['with their length', `content-length: ${mebibyte}`, '/graphql', ''],
  ['in chunks', 'transfer-encoding: chunked', '/graphql', `${mebibyte.toString(16)}\r\n`],
  ['to the tools', `content-length: ${mebibyte}`, '/mcp', ''],
])('bodies that are never finished take bounded memory, and soon none: sent %s', async ([, framing, path, first]) => {
  const before = (await gateway.look()).externalBytes;
  const leaving = Promise.withResolvers<void>();
  let refusals = 0;
  const clients = Array.from({ length: 120 }, async () => {
    const pieces = [postHead(framing ?? '', path) + first + begun];
    const heard = await talk(gateway.url, { pieces, waitMs, leaving: leaving.promise });
    refusals += heard.responses.length;
    return heard;
  });
  // Those that find no room get 429.
  const heldBytes = async (): Promise<number> => (await gateway.look()).externalBytes - before;
  await expect.poll(heldBytes).toBeGreaterThan(bodiesUnderWay / 2);
  await expect.poll(() => refusals).toBeGreaterThan(20);
  expect(await heldBytes()).toBeLessThan(bodiesUnderWay * 1.5);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  // Those who leave make room for a client that sends as much, and all of it.
  leaving.resolve();
  const whole = `${begun}"}`;
  const askAtLength = async (): Promise<number | undefined> =>
    (await talk(gateway.url, { pieces: [postHead(`content-length: ${whole.length}`) + whole], waitMs })).responses[0]
      ?.status;
  await expect.poll(askAtLength).toBe(200);
  const refused = (await Promise.all(clients)).flatMap(({ responses }) => responses);
  const error = { code: 'RATE_LIMITED', retryable: true };
  for (const { status, body } of refused) {
    expect(status).toBe(429);
    expect(JSON.parse(body.toString())).toMatchObject(
      path === '/mcp' ? { jsonrpc: '2.0', id: null, error: { data: error } } : { errors: [{ extensions: error }] },
    );
  }
  await expect.poll(heldBytes).toBeLessThan(8 * mebibyte);
});

test('messages of WebSockets that are never finished take bounded memory, and soon none', async () => {
  const before = await gateway.look();
  const half = frame(1, 'x'.repeat(socketMessage)).subarray(0, -1);
  const beginning = [Buffer.from(upgradeHead()), frame(1, JSON.stringify({ type: 'connection_init' }))];
  // Unauthenticated clients may have a hundred sockets that have begun, and as many that have not.
  const answered = new Set<number>();
  const clients = Array.from({ length: 300 }, (_, at) => {
    const socket = connectTo(gateway);
    socket.on('data', () => answered.add(at));
    socket.write(Buffer.concat([...(at % 2 === 0 ? beginning : beginning.slice(0, 1)), half]));
    return socket;
  });
  const most = clients.length - 100;
  await expect.poll(() => answered.size).toBe(clients.length);
  const openNow = async (): Promise<number> => (await gateway.look()).sockets - before.sockets;
  await expect.poll(openNow).toBeLessThanOrEqual(most);
  const heldNow = async (): Promise<number> => (await gateway.look()).externalBytes - before.externalBytes;
  await expect.poll(heldNow).toBeGreaterThan((most / 2) * socketMessage);
  expect(await heldNow()).toBeLessThan((most + 10) * socketMessage);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  for (const socket of clients) socket.destroy();
  await expect.poll(openNow).toBeLessThanOrEqual(1);
  const heldBytes = async (): Promise<number> => (await gateway.heldBytes()) - before.heapBytes - before.externalBytes;
  await expect.poll(heldBytes, patient).toBeLessThan(8 * mebibyte);
});
