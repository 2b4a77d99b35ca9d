import { Server } from 'node:http';
import { connect, Server as SocketServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { subscribe } from '../../support/streams.ts';
import { pageReply, type Reply, actAndStandStill, standStill } from '../../support/scripted-upstream.ts';
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
