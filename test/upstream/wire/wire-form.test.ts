import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { downloadReport, expect, judge, testOfFile as test } from '../../support/gateway.ts';
import { ipConnectionRecord, healthyReply } from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';
import { open, startBefore } from '../loopback.ts';

const csv = '{ chargesBreakdownCsv(startDate: "2026-10-01") { content } }';
const rows = '{ ipConnections { nodes { id } } }';
const answer = (body: string, type = 'application/json'): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const page = JSON.stringify({
  data: [ipConnectionRecord({ id: '7' })],
  meta: { total_results: 1, total_pages: 1, page_number: 1, page_size: 20 },
});

// nahi/httpclient#116: a client took `100 Continue` for the response.
test.for<[what: string, before: readonly string[]]>([
  ['103', ['HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n']],
  ['several', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n']],
])('informational responses are passed over: %s', async ([, before]) => {
  const server = await open(
    createTcpServer((socket) => {
      socket.setNoDelay();
      socket.on('data', async (request) => {
        for (const piece of before) {
          socket.write(piece);
          await new Promise(setImmediate);
        }
        const isCsv = request.includes('charges_breakdown');
        socket.write(isCsv ? answer('HTTP/1.1 100,b\r\n', 'text/csv') : answer(page));
      });
    }),
  );
  const gateway = await startBefore(server.baseUrl());
  // The second one is on a connection that has been used.
  for (let round = 0; round < 2; round++) {
    const { data, errors } = await gateway.query(rows);
    expect([data, errors]).toEqual([{ ipConnections: { nodes: [{ id: '7' }] } }, []]);
    expect(await (await downloadReport(gateway)).text()).toBe('HTTP/1.1 100,b\r\n');
  }
});

test('a connection that was closed while it was idle costs no retry', async () => {
  let calls = 0;
  const server = await open(
    createTcpServer((socket) => {
      let served = 0;
      socket.on('data', () => {
        calls++;
        if (served++ === 0) socket.write(answer(page));
        else if (calls % 2 === 0) socket.resetAndDestroy();
        else socket.end();
      });
    }),
  );
  const gateway = await startBefore(server.baseUrl(), { UPSTREAM_RETRIES: '0' });
  for (let round = 0; round < 4; round++) expect((await gateway.query(rows)).errors).toEqual([]);
  // Each but the first call came to a used connection, and once more to a new one.
  expect([calls, server.connections.length]).toEqual([7, 4]);
  const [many] = await Promise.all(
    [1, 2, 3].map((first) => gateway.query(`{ ipConnections(first: ${first}) { nodes { id } } }`)),
  );
  expect(many?.errors).toEqual([]);
});

test('a new connection that is reset is no idle one', async () => {
  const server = await open(createTcpServer((socket) => socket.on('data', () => socket.resetAndDestroy())));
  const gateway = await startBefore(server.baseUrl(), { UPSTREAM_RETRIES: '0' });
  const { errors } = await gateway.query(rows);
  expect(errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(server.connections).toHaveLength(1);
});

test.for(['BR', 'gzip, zstd', 'utf-8'])(
  'an answer with the coding %s is refused, and the coding named',
  async (coding, { gateway, upstream }) => {
    // dondai44423/donsetch#290: some name a charset there, or code nothing at all.
    for (const isCoded of [true, false])
      for (const ask of [
        async () => (await gateway.query(rows)).errors,
        async () => (await gateway.query(csv)).errors,
        async () => ((await (await downloadReport(gateway)).json()) as { errors: object[] }).errors,
      ]) {
        const body = isCoded ? gzipSync(page) : Buffer.from(page);
        const act: Reply['act'] = (res) => void res.writeHead(200, { 'content-encoding': coding }).end(body);
        upstream.script(() => ({ act }));
        const [error] = (await ask()) as { message: string; extensions: { code: string } }[];
        expect(error?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
        expect(error?.message).toContain(`"${coding.toLowerCase()}"`);
      }
    expect(upstream.requests.map((request) => request.headers['accept-encoding'])).toEqual(Array(6).fill('identity'));
  },
);

test('identity is no coding, and a coded failure is what its status says', async ({ gateway, upstream }) => {
  for (const coding of ['identity', '', 'Identity']) {
    upstream.script((request) => ({ ...healthyReply(request), headers: { 'content-encoding': coding } }));
    expect((await gateway.query(rows)).errors).toEqual([]);
  }
  upstream.script(() => ({ status: 403, text: 'coded', headers: { 'content-encoding': 'gzip' } }));
  expect((await gateway.query(rows)).errors[0].extensions.code).toBe('FORBIDDEN');
});

test('JSON behind a byte order mark is read', async ({ startWith, upstream }) => {
  for (const options of [{}, judge]) {
    const gateway = await startWith({}, options);
    upstream.script((request) => ({ text: `\ufeff${JSON.stringify(healthyReply(request).json)}` }));
    for (const query of [rows, '{ missions { nodes { id metadata } } }'])
      expect((await gateway.query(query)).errors).toEqual([]);
    upstream.script(() => ({ status: 404, text: `\ufeff${JSON.stringify({ errors: [{ title: 'gone' }] })}` }));
    expect((await gateway.query(rows)).errors[0].message).toBe('gone');
  }
});
