import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startHostileGateway } from './gateway-process.ts';

const mebibyte = 1_048_576;
const headers = { accept: 'text/html', 'accept-encoding': 'identity' };

test('pages are built once, by another process, before this one is ready', async () => {
  await using gateway = await startHostileGateway({
    hasPages: true,
    preloads: [new URL('page-watch.ts', import.meta.url)],
  });
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
  const ended = (): number => gateway.program.out.split('A program has ended').length - 1;
  expect(ended()).toBe(1);
  for (const path of ['/graphql', '/voyager', ...Array<string>(3).fill('/docs/client-guide.md')])
    expect((await fetch(gateway.url + path, { headers })).status).toBe(200);
  expect(ended()).toBe(1);
  expect(gateway.program.out).not.toContain('by the process that serves');
});

test('a page that many request and nobody reads is held in memory once', async () => {
  await using gateway = await startHostileGateway({ hasPages: true });
  await fetch(`${gateway.url}/ready`);
  const { byteLength } = await (await fetch(`${gateway.url}/assets/graphiql.js`, { headers })).arrayBuffer();
  const before = await gateway.read();
  const { hostname, port } = new URL(gateway.url);
  const lines = [
    'GET /assets/graphiql.js HTTP/1.1',
    'host: gateway',
    'accept: text/html',
    `range: bytes=${'0-,'.repeat(1_000)}`,
    `if-none-match: ${'"x",'.repeat(2_000)}"`,
    '\r\n',
  ];
  const readers = Array.from({ length: 40 }, () => connect(Number(port), hostname));
  for (const reader of readers) reader.on('error', () => {}).write(lines.join('\r\n'));
  await expect
    .poll(async () => (await gateway.read()).sockets, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(readers.length);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  const after = await gateway.read();
  const taken = after.heapBytes + after.externalBytes - before.heapBytes - before.externalBytes;
  expect(taken).toBeLessThan(byteLength + 8 * mebibyte);
  expect(readers.length * byteLength).toBeGreaterThan(100 * mebibyte);
  for (const reader of readers) reader.destroy();
});
