import { Server } from 'node:http';
import { Server as SocketServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { connectTo } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { actAndStandStill, standStill } from '../../support/scripted-upstream.ts';

const csv =
  'GET /exports/charges-breakdown.csv?startDate=2026-10-01 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n';
const health = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';

function send(gateway: Gateway, bytes: string) {
  const socket = connectTo(gateway);
  socket.write(bytes);
  return socket;
}

test('a reader who reads is not cut off, however long the process stands still', async ({ startWith, upstream }) => {
  const gateway = await startWith({ RESPONSE_STALL_TIMEOUT_MS: '100' });
  const size = 8_000_000;
  upstream.script(() => ({ headers: { 'content-type': 'text/csv' }, text: 'x'.repeat(size) }));
  let received = 0;
  const socket = send(gateway, csv).on('data', (chunk: Buffer) => (received += chunk.length));
  const standing = setInterval(() => standStill(150), 1);
  try {
    await expect.poll(() => received, { timeout: 60_000 }).toBeGreaterThan(size);
  } finally {
    clearInterval(standing);
    socket.destroy();
  }
  expect(await valueOf(gateway, 'switchboard_stalled_readers_total')).toBe(0);
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
  await new Promise((resolve) => socket.once('end', resolve));
});
