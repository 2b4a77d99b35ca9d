import { Server } from 'node:http';
import { connect, Server as SocketServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { pipelinedOfConnection, pipelinedOfAll } from '../../../src/http/connection/pipelining.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { subscribe } from '../../support/event-stream.ts';
import { pageReply, type Reply } from '../../support/scripted-upstream.ts';
import { actAndStandStill, standStill } from '../../support/standstill.ts';
import { talk } from '../../support/http.ts';
import { growing, still, all } from '../../live/subscription.ts';

const csv =
  'GET /exports/charges-breakdown.csv?startDate=2026-10-01 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n';
// A machine that is busy with other things takes its time.
const patient = { timeout: 20_000 };
const impatient = { RESPONSE_STALL_TIMEOUT_MS: '100' };

/** A report of so many bytes. */
const report = (bytes: number): Reply => ({ headers: { 'content-type': 'text/csv' }, text: 'x'.repeat(bytes) });

function send(gateway: Gateway, bytes: string): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

async function stalledReaders(gateway: Gateway): Promise<number> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Number(/^switchboard_stalled_readers_total (\d+)$/m.exec(text)?.[1]);
}

/** Resolves when several readers, one after another, have taken nothing for as long as they may. */
async function waitForStalls(gateway: Gateway, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const before = await stalledReaders(gateway);
    const socket = send(gateway, csv);
    await expect.poll(() => stalledReaders(gateway), patient).toBe(before + 1);
    socket.destroy();
  }
}

test('a stalled reader is cut off, and the log and the metrics show it', async ({ startWith, upstream }) => {
  const gateway = await startWith(impatient);
  upstream.script(() => report(12_000_000));
  await waitForStalls(gateway, 1);
  await expect.poll(() => gateway.log.find((line) => line.includes('/exports/')), patient).toContain('"aborted":true');
});

test('a reader that has nothing to read yet is not cut off', async ({ startWith, upstream }) => {
  const gateway = await startWith({ ...impatient, ...still });
  const deliveries = growing(upstream);
  const stream = await subscribe(gateway, all);
  await stream.begun;
  const waiting = Promise.withResolvers<Reply>();
  upstream.script((request) => {
    if (request.path === '/webhook_deliveries') return deliveries.answer(request);
    return request.path === '/ai/missions' ? waiting.promise : report(12_000_000);
  });
  const { length: asked } = upstream.requests;
  const answer = gateway.query('{ missions { totalCount } }');
  const { hostname, port } = new URL(gateway.url);
  const idle = connect(Number(port), hostname);
  idle.write(health);
  await new Promise((resolve) => idle.once('data', resolve));
  await expect.poll(() => upstream.requests.length, patient).toBe(asked + 1);
  await waitForStalls(gateway, 4);
  waiting.resolve(pageReply([], { path: '', rawQuery: '', query: {}, headers: {} }));
  expect((await answer).data).toEqual({ missions: { totalCount: 0 } });
  idle.destroy();
  expect(stream.events).toEqual([]);
  stream.close();
  expect(await stalledReaders(gateway)).toBe(4);
});

test('a reader who reads is not cut off, however long the process stands still', async ({ startWith, upstream }) => {
  const gateway = await startWith(impatient);
  const size = 8_000_000;
  upstream.script(() => report(size));
  let received = 0;
  const socket = send(gateway, csv).on('data', (chunk: Buffer) => (received += chunk.length));
  const standing = setInterval(() => standStill(150), 1);
  try {
    await expect.poll(() => received, { timeout: 60_000 }).toBeGreaterThan(size);
  } finally {
    clearInterval(standing);
    socket.destroy();
  }
  expect(await stalledReaders(gateway)).toBe(0);
});

const idleMs = 1_500;

/** Closes idle connections of servers sooner than Node does by default. */
function closeIdleSoon(): void {
  Object.assign(Server.prototype, {
    listen(this: Server, ...given: Parameters<Server['listen']>) {
      this.keepAliveTimeout = idleMs;
      return SocketServer.prototype.listen.apply(this, given);
    },
  });
  onTestFinished(() => void Reflect.deleteProperty(Server.prototype, 'listen'));
}

test('a request on an idle connection that came while the process stood still is answered', async ({ startWith }) => {
  closeIdleSoon();
  const socket = send(await startWith({}), health);
  const answered: string[] = [];
  socket.on('data', (chunk: Buffer) => answered.push(chunk.toString()));
  await expect.poll(() => answered.length).toBe(1);
  // Longer than a connection may be idle.
  await actAndStandStill(() => void socket.write(health), idleMs + 1_000);
  await expect.poll(() => answered.length).toBe(2);
  // An idle one is closed as ever.
  await new Promise((resolve) => socket.once('close', resolve));
});

const health = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';
const asking = (name: string): string => {
  const body = JSON.stringify({ query: `{ ipConnections(filter: { fqdn: "${name}" }) { totalCount } }` });
  return `POST /graphql HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

test('pipelined requests get their responses in order', async ({ gateway, upstream }) => {
  upstream.script(({ query }) => ({ json: { data: [], meta: { total_results: Number(query['filter[fqdn]']) } } }));
  const names = Array.from({ length: 50 }, (_, index) => String(index));
  const { responses } = await talk(gateway.url, {
    pieces: [names.map(asking).join('')],
    responses: names.length,
    waitMs: 30_000,
  });
  const totals = responses.map((response) => JSON.parse(response.body.toString()).data.ipConnections.totalCount);
  expect(totals).toEqual(names.map(Number));
});

test('pipelined requests get responses to their own bodies, however these come', async ({ gateway, upstream }) => {
  upstream.script(({ query }) => ({ json: { data: [], meta: { total_results: Number(query['filter[fqdn]']) } } }));
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  const inChunks = (name: string): string => {
    const [head = '', body = ''] = asking(name).split('\r\n\r\n');
    const padded = body + ' '.repeat(index(name) * 5_000);
    const chunks = padded.replace(/[^]{1,7}/g, (text) => `${text.length}\r\n${text}\r\n`);
    return `${head.replace(/content-length: \d+/, 'transfer-encoding: chunked')}\r\n\r\n${chunks}0\r\n\r\n`;
  };
  const index = (name: string): number => names.indexOf(name);
  const useless = `GET /health HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n12345`;
  const { responses } = await talk(gateway.url, {
    pieces: [names.map((name) => inChunks(name) + useless).join('')],
    responses: 2 * names.length,
    waitMs: 30_000,
  });
  const bodies = responses.map((response) => JSON.parse(response.body.toString()));
  expect(bodies.flatMap((body) => body.data?.ipConnections.totalCount ?? [])).toEqual(names.map(Number));
  expect(bodies.filter((body) => body.status !== undefined)).toHaveLength(names.length);
});

test('no pipelined request begins while a response before it waits to be read', async ({ gateway, upstream }) => {
  const waiting = Promise.withResolvers<Reply>();
  upstream.script(() => waiting.promise);
  const heard = talk(gateway.url, { pieces: [asking('1').repeat(20)], responses: 20, waitMs: 30_000 });
  await expect.poll(() => upstream.requests.length, patient).toBe(1);
  await gateway.query('{ __typename }');
  expect(upstream.requests).toHaveLength(1);
  waiting.resolve({ json: { data: [], meta: { total_results: 1 } } });
  expect((await heard).end).toBe('answered');
  expect(upstream.requests).toHaveLength(20);
});

test('a connection with too many pipelined requests is closed, and none begins', async ({ gateway, upstream }) => {
  upstream.script(() => new Promise(() => {}));
  const socket = send(gateway, asking('1') + asking('2').repeat(pipelinedOfConnection / 2));
  await expect.poll(() => upstream.requests.length, patient).toBe(1);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume().write(asking('3').repeat(pipelinedOfConnection / 2 + 1));
  await closed;
  await gateway.query('{ __typename }');
  expect(upstream.requests.map(({ query }) => query['filter[fqdn]'])).toEqual(['1']);
});

test('connections with pipelined requests share one bound, and others are served', async ({ gateway, upstream }) => {
  upstream.script(() => new Promise(() => {}));
  const ahead = pipelinedOfConnection - 10;
  const closed: Socket[] = [];
  const sockets = Array.from({ length: Math.ceil(pipelinedOfAll / ahead) + 3 }, () => {
    const socket = send(gateway, asking('1') + asking('2').repeat(ahead));
    return socket.resume().once('close', () => closed.push(socket));
  });
  await expect.poll(() => closed.length, patient).toBeGreaterThan(0);
  expect((await gateway.query('{ __typename }')).data).toEqual({ __typename: 'Query' });
  expect(closed.length).toBeLessThan(sockets.length / 2);
  for (const socket of sockets) socket.destroy();
  // Closed connections no longer count.
  const heard = await talk(gateway.url, { pieces: [health.repeat(ahead)], responses: ahead, waitMs: 30_000 });
  expect(heard.end).toBe('answered');
});

test('connections that send many requests ahead do not close one that sends a few', async ({ gateway, upstream }) => {
  upstream.script(() => new Promise(() => {}));
  const sockets = Array.from({ length: pipelinedOfAll / pipelinedOfConnection }, () =>
    send(gateway, asking('1') + asking('2').repeat(pipelinedOfConnection)),
  );
  await expect.poll(() => upstream.requests.length, patient).toBe(1);
  for (let round = 0; round < 3; round++) {
    const heard = await talk(gateway.url, { pieces: [health.repeat(5)], responses: 5, waitMs: 30_000 });
    expect(heard.end).toBe('answered');
  }
  for (const socket of sockets) socket.destroy();
});
