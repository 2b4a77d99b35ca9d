import type { Socket } from 'node:net';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { valueOf } from '../../support/metrics.ts';
import { connectTo } from '../../support/http.ts';
import { subscribe } from '../../support/streams.ts';
import { pageReply, type Reply } from '../../support/scripted-upstream.ts';
import { growing, still, all } from '../../live/subscription.ts';

const csv =
  'GET /exports/charges-breakdown.csv?startDate=2026-10-01 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n';
const health = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';
// A machine that is busy with other things takes its time.
const patient = { timeout: 20_000 };
const impatient = { RESPONSE_STALL_TIMEOUT_MS: '100' };

/** A report of so many bytes. */
const report = (bytes: number): Reply => ({ headers: { 'content-type': 'text/csv' }, text: 'x'.repeat(bytes) });

function send(gateway: Gateway, bytes: string): Socket {
  const socket = connectTo(gateway);
  socket.write(bytes);
  return socket;
}

const stalledReaders = (gateway: Gateway) => valueOf(gateway, 'switchboard_stalled_readers_total');

/** Resolves when several readers, one after another, have taken nothing for as long as they may. */
async function waitForStalls(gateway: Gateway, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const before = (await stalledReaders(gateway)) ?? NaN;
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
  const idle = send(gateway, health);
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
