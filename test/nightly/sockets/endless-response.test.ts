import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { seenRequest } from '../../support/scripted-upstream.ts';
import { goodKey, goodReply, startGatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
const csv = 'HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n';
const chunked = `${csv}transfer-encoding: chunked\r\n\r\n`;

/** What an API begins, and what it sends behind that for ever. */
type Endless = readonly [part: string, begun: string, unit: string];

/** Parts that are given up soon, whatever the time. */
const counted: readonly Endless[] = [
  ['a header', 'HTTP/1.1 200 OK\r\nx: ', 'x'],
  ['the name of a header', 'HTTP/1.1 200 OK\r\n', 'x'],
  ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
  ['empty headers', 'HTTP/1.1 200 OK\r\n', 'a:\r\n'],
  ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
  ['informational responses of no kind', '', 'HTTP/1.1 199 \r\n\r\n'],
  ['trailers', `${chunked}1\r\n \r\n0\r\n`, 'x: y\r\n'],
  ['a trailer', `${chunked}1\r\n \r\n0\r\nx: `, 'y'],
  ['responses', '', `${csv}content-length: 2\r\n\r\n{}`],
];
/** Parts that end with the time of the call, or at the pace of its reader. */
const timed: readonly Endless[] = [
  ['a status line', 'HTTP/1.1 200 ', 'x'],
  ['empty lines', '', '\r\n'],
  ['blanks before a value', 'HTTP/1.1 200 OK\r\nx:', ' '],
  ['the length of a chunk', chunked, '0'],
  ['extensions of a chunk', `${chunked}5`, ';a=b'],
  ['a body in chunks of a byte', `${chunked}1\r\na\r\n`, '1\r\n,\r\n'],
  ['a body in chunks of a byte with extensions', `${chunked}1\r\na\r\n`, `1;${'x'.repeat(1_000)}\r\n,\r\n`],
  ['a body of blanks in such chunks', chunked, `1;${'x'.repeat(1_000)}\r\n \r\n`],
  ['a report', `${csv}\r\na`, ',\n'],
];

// More than any promise allows, and little enough for a busy machine.
const most = 16 * mebibyte;
const mostTaken = 12 * mebibyte;
const mostHeld = 64 * mebibyte;
const piece = 65_536;

/** An upstream that answers the good caller, and everyone else by the part that their key names, `most` bytes of it. */
async function startEndlessUpstream(parts: readonly Endless[]) {
  const byName = new Map(parts.map((part) => [part[0].replaceAll(' ', '-'), part]));
  const sockets = new Set<Socket>();
  /** Bytes that were taken for each key, once nothing more is. */
  const taken = new Map<string, number>();

  function flood(socket: Socket, key: string, [, begun, unit]: Endless): void {
    const block = Buffer.from(unit.repeat(Math.ceil(piece / unit.length)));
    socket.write(begun);
    const send = (): void => {
      if (socket.destroyed || socket.bytesWritten > most) return void taken.set(key, socket.bytesWritten);
      socket.write(block, () => setImmediate(send));
      return undefined;
    };
    socket.once('close', () => taken.set(key, socket.bytesWritten));
    // One that takes no more, since nobody reads, is through as well.
    socket.setTimeout(500, () => taken.set(key, socket.bytesWritten));
    send();
  }

  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', (bytes) => {
      const head = bytes.toString('latin1');
      const key = /authorization: Bearer (\S+)/i.exec(head)?.[1] ?? '';
      const part = byName.get(key.replace(/-of-(?:list|report)$/, ''));
      if (part !== undefined) return flood(socket, key, part);
      const seen = seenRequest(head.split(' ')[1] ?? '', { authorization: `Bearer ${goodKey}` });
      const json = JSON.stringify(goodReply(seen).json);
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\nconnection: close\r\n\r\n${json}`,
      );
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const query = JSON.stringify({ query: '{ missions { totalCount nodes { id } } }' });
const reportPath = '/exports/charges-breakdown.csv?startDate=2026-10-01';

test.for([
  ['that is given up', counted],
  ['that ends with its time or its reader', timed],
] as const)('a response %s takes little memory, and nothing of the others', async ([, parts]) => {
  await using upstream = await startEndlessUpstream(parts);
  // What is given up is so by what has come, before its time is up.
  const env = { UPSTREAM_TIMEOUT_MS: parts === counted ? '100000' : '3000', UPSTREAM_RETRIES: '0' };
  await using gateway = await startGatewayProcess({ upstreamBaseUrl: upstream.baseUrl, env });
  const before = await gateway.heldBytes();
  const calls = parts.flatMap(([name]) =>
    (['list', 'report'] as const).map(async (kind) => {
      const headers = {
        authorization: `Bearer ${name.replaceAll(' ', '-')}-of-${kind}`,
        'content-type': 'application/json',
      };
      return kind === 'list'
        ? fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: query })
        : fetch(gateway.url + reportPath, { headers });
    }),
  );
  await expect.poll(() => upstream.taken.size, { timeout: 100_000 }).toBe(calls.length);
  expect((await gateway.heldBytes()) - before).toBeLessThan(mostHeld);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  if (parts === counted) expect(Math.max(...upstream.taken.values())).toBeLessThan(mostTaken);
  for (const [index, response] of (await Promise.all(calls)).entries()) {
    const isReport = index % 2 === 1 && response.status === 200;
    // A report that has been cut off is an error to who gives it up.
    const told = isReport ? await response.body?.cancel().catch(() => {}) : await response.text();
    if (!isReport) expect(told).toMatch(/"code":"UPSTREAM_(?:BAD_RESPONSE|TIMEOUT|UNAVAILABLE)"/);
  }
});
