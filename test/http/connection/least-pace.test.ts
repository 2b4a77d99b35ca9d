import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Readers } from '../../../src/http/connection/stalled-readers.ts';

// The kernel shows the progress of a reader on the same machine in steps that are larger than the pace which is due by default.
test.for([
  [1_000_000_000, 1],
  [1, 0],
] as const)('of steady readers who are to take %i bytes in each period, %i is cut off', async ([least, cut]) => {
  // The one who is cut off would take longer than the period, however quick the machine is.
  const bytes = cut === 0 ? 12_000_000 : 60_000_000;
  const server = createServer((socket) => void socket.on('error', () => {}).write(Buffer.alloc(bytes)));
  let count = 0;
  const callers = { subscriptionBufferBytes: Infinity, identityOf: () => '', known: new Set<string>() };
  const readers = new Readers({ ...callers, responseStallTimeoutMs: 400, least, countClosed: () => count++ });
  readers.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let [received, isClosed] = [0, false];
  const socket = connect((server.address() as AddressInfo).port).on('error', () => {});
  socket.once('close', () => (isClosed = true)).on('readable', () => {});
  const reading = setInterval(() => {
    const chunk = (socket.read(250_000) ?? socket.read()) as Buffer | null;
    received += chunk?.length ?? 0;
  }, 5);
  onTestFinished(() => {
    clearInterval(reading);
    readers.stop();
    socket.destroy();
    server.close();
  });
  await expect.poll(() => isClosed || received === bytes, { timeout: 30_000 }).toBe(true);
  expect([count, received === bytes]).toEqual([cut, cut === 0]);
  expect(received).toBeGreaterThan(0);
});
