import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyChunks } from '../../src/bounds.ts';
import { pageReply, type Script } from '../support/scripted-upstream.ts';
import { startHostileGateway, type GatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
// Kept apart, each chunk takes two hundred bytes: together twenty mebibytes.
const count = 100_000;
const mostHeld = 8 * mebibyte;
const padding = ' '.repeat(count);

let gateway: GatewayProcess;
let script: Script;
beforeAll(async () => {
  gateway = await startHostileGateway({ hasPages: true, env: { MCP: 'true' }, script: (request) => script(request) });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** The heap of the gateway once it has taken in all that was sent. */
async function settledHeap(): Promise<number> {
  let last = (await gateway.read()).heapBytes;
  for (;;) {
    const { heapBytes } = await gateway.read();
    if (Math.abs(heapBytes - last) < mebibyte) return heapBytes;
    last = heapBytes;
  }
}

function chunked(text: string): string {
  return text.replace(/./gs, (character) => `1\r\n${character}\r\n`);
}

test.for([
  ['/graphql', `{"query":"{ __typename }"`, '{"data":{"__typename":"Query"}}'],
  ['/mcp', `{"jsonrpc":"2.0","id":1,"method":"ping"`, '{"result":{},"jsonrpc":"2.0","id":1}'],
] as const)(
  'a body to %s that comes byte by byte is answered, or refused, and takes little memory',
  async ([path, begun, end]) => {
    const before = await settledHeap();
    const { hostname, port } = new URL(gateway.url);
    const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n`;
    for (const [chunks, expected] of [
      [bodyChunks, end],
      [count, `"limit":${bodyChunks},"actual":${bodyChunks + 1}`],
    ] as const) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      let heard = '';
      socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
      const body = `${begun.padEnd(chunks - 1)}}`;
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n${chunked(body.slice(0, -1))}`);
      expect((await settledHeap()) - before).toBeLessThan(mostHeld);
      expect(await gateway.askAsGoodCaller()).toBeNull();
      socket.write(`${chunked('}')}0\r\n\r\n`);
      await expect.poll(() => heard).toContain(expected);
      socket.destroy();
    }
  },
);

// GraphiQL's program has nine megabytes.
const page = 'GET /assets/graphiql.js HTTP/1.1\r\nhost: a\r\n';

// Ten kilobytes of the body come with each reading of the connection, and Node stops reading at sixty.
test.for([
  [
    'behind a file that nobody reads',
    `${page}\r\nPOST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`,
  ],
  ['with the request for a file that nobody reads', page],
] as const)('bodies that come byte by byte %s take little memory', async ([, head]) => {
  const before = await settledHeap();
  const { hostname, port } = new URL(gateway.url);
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {}).write(`${head}transfer-encoding: chunked\r\n\r\n${chunked(padding)}`);
    return socket;
  });
  expect((await settledHeap()) - before).toBeLessThan(mostHeld);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  for (const socket of sockets) socket.destroy();
});

test('a response of the API that comes byte by byte is read, and takes little memory', async () => {
  const ending = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  script = (request) => {
    const body = JSON.stringify(pageReply([], request).json);
    return {
      act: async (res) => {
        const { socket } = res;
        socket?.write(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n',
        );
        if (socket?.write(chunked(padding)) === false) await once(socket, 'drain');
        begun.resolve();
        await ending.promise;
        socket?.end(`${chunked(body)}0\r\n\r\n`);
      },
    };
  };
  const before = await settledHeap();
  const asking = fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer patient' },
    body: JSON.stringify({ query: '{ missions { totalCount } }' }),
  });
  await begun.promise;
  expect((await settledHeap()) - before).toBeLessThan(mostHeld);
  ending.resolve();
  expect(await (await asking).json()).toEqual({ data: { missions: { totalCount: 0 } } });
});
