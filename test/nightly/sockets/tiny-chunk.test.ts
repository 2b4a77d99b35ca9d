import { once } from 'node:events';
import { globSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../documents/page.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';

// Kept apart, each chunk takes two hundred bytes: together twenty mebibytes.
const count = 100_000;
const mostHeld = 8 * 2 ** 20;

let gateway: GatewayProcess;
let script: Script;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    env: { MCP: 'true', EXPLORER: 'true' },
    script: (request) => script(request),
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** What the gateway holds once it has taken in all that was sent. */
async function settledBytes(): Promise<number> {
  for (let last = await gateway.heldBytes(); ;) {
    const now = await gateway.heldBytes();
    if (Math.abs(now - last) < 2 ** 20) return now;
    last = now;
  }
}

const chunked = (text: string): string => text.replace(/./gs, (character) => `1\r\n${character}\r\n`);

function send(bytes: string): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(bytes);
  return socket;
}

test.for([
  ['/graphql', `{"query":"{ __typename }"`, '{"data":{"__typename":"Query"}}'],
  ['/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"', '{"result":{},"jsonrpc":"2.0","id":1}'],
] as const)('a body to %s that comes byte by byte is answered, and takes little memory', async ([path, begun, end]) => {
  const before = await settledBytes();
  const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(gateway.url).host}\r\ncontent-type: application/json\r\n`;
  const socket = send(`${head}transfer-encoding: chunked\r\n\r\n${chunked(begun.padEnd(count - 1))}`);
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
  expect((await settledBytes()) - before).toBeLessThan(mostHeld);
  socket.write(`${chunked('}')}0\r\n\r\n`);
  await expect.poll(() => heard).toContain(end);
  socket.destroy();
});

// The editor of GraphiQL has megabytes. Node stops reading a body at sixty kilobytes.
const [editor = ''] = globSync('explorer/dist/assets/monaco-editor-*.js', { cwd: root });
const page = `GET ${editor.replace('explorer/dist', '')} HTTP/1.1\r\nhost: a\r\n`;
test.for([
  [
    'behind a file that nobody reads',
    `${page}\r\nPOST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`,
  ],
  ['with the request for a file that nobody reads', page],
] as const)('bodies that come byte by byte %s take little memory', async ([, head]) => {
  const before = await settledBytes();
  const bytes = `${head}transfer-encoding: chunked\r\n\r\n${chunked(' '.repeat(count))}`;
  const sockets = Array.from({ length: 3 }, () => send(bytes).pause());
  expect((await settledBytes()) - before).toBeLessThan(mostHeld);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  for (const socket of sockets) socket.destroy();
});

const bytesInChunks = chunked(' '.repeat(count));
test.for([
  ['byte by byte', bytesInChunks],
  [
    'in bytes among larger chunks',
    bytesInChunks.replaceAll(/(?:1\r\n \r\n){255}/g, `$&400\r\n${' '.repeat(1_024)}\r\n`),
  ],
] as const)('a response of the API that comes %s is read, and takes little memory', async ([, begin]) => {
  const ending = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
  script = (request) => ({
    act: async (res) => {
      const { socket } = res;
      if (socket?.write(head + begin) === false) await once(socket, 'drain');
      begun.resolve();
      await ending.promise;
      socket?.end(`${chunked(JSON.stringify(pageReply([], request).json))}0\r\n\r\n`);
    },
  });
  const before = await settledBytes();
  const asking = fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer patient' },
    body: JSON.stringify({ query: '{ missions { totalCount } }' }),
  });
  await begun.promise;
  expect((await settledBytes()) - before).toBeLessThan(mostHeld);
  ending.resolve();
  expect(await (await asking).json()).toEqual({ data: { missions: { totalCount: 0 } } });
});
