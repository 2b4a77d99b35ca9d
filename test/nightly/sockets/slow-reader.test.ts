import { connect } from 'node:net';
import { expect, test } from '../../support/gateway.ts';
import { valueOf } from '../../support/metrics.ts';

test('a reader who takes a little now and then has all of it in the end', async ({ startWith, upstream }) => {
  const gateway = await startWith({ RESPONSE_STALL_TIMEOUT_MS: '4000' });
  const size = 8_000_000;
  upstream.script(() => ({ headers: { 'content-type': 'text/csv' }, text: 'x'.repeat(size) }));
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(csv);
  const started = performance.now();
  let received = 0;
  // 600 kB a second: the kernel keeps four megabytes for it, and takes more only when a third of that is free, after two seconds.
  const reading = setInterval(() => {
    const due = Math.ceil((performance.now() - started) * 600) - received;
    const chunk = due > 0 ? ((socket.read(due) ?? socket.read()) as Buffer | null) : null;
    received += chunk?.length ?? 0;
  }, 20);
  const noteReadable = (): void => {};
  socket.on('readable', noteReadable);
  await expect.poll(() => received, { timeout: 40_000 }).toBeGreaterThan(2_000_000);
  clearInterval(reading);
  socket.off('readable', noteReadable).on('data', (chunk: Buffer) => (received += chunk.length));
  await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(size);
  socket.destroy();
  expect(await valueOf(gateway, 'switchboard_stalled_readers_total')).toBe(0);
});

const csv =
  'GET /exports/charges-breakdown.csv?startDate=2026-10-01 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n';
