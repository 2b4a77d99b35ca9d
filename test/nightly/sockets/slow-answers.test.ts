import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { missionRecord } from '../../support/records.ts';
import type { Reply } from '../../support/scripted-upstream.ts';
import { startGatewayProcess } from './gateway-process.ts';

const mebibyte = 1_048_576;
const metadata = { text: 'x'.repeat(mebibyte) };
const missions = Array.from({ length: 10 }, (_, index) => missionRecord({ mission_id: `m-${index}`, metadata }));
const list: Reply = {
  text: JSON.stringify({ data: missions, meta: { total_results: missions.length } }),
  headers: { 'content-type': 'application/json' },
};
const body = JSON.stringify({ query: '{ missions(first: 10) { nodes { id metadata } } }' });
const bytes = Buffer.byteLength(body);
const ask = (key: string): string =>
  `POST /graphql HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${body}`;

// Without a bound these readers hold gigabytes. Their pace is no reason to end them here: it is the caller's quarter.
const env = { UPSTREAM_QUEUE_TIMEOUT_MS: '60000', RESPONSE_STALL_TIMEOUT_MS: '600000' };

test('300 connections of one key that read a kilobyte a second hold little, and a fast reader of that key is served', async () => {
  await using gateway = await startGatewayProcess({ script: () => list, env });
  const before = gateway.peakBytes();
  const { hostname, port } = new URL(gateway.url);
  const slow = Array.from({ length: 300 }, (): Socket => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.on('readable', () => {}).write(ask('slow'));
    return socket;
  });
  const reading = setInterval(() => slow.forEach((socket) => socket.read(1_024)), 1_000);
  onTestFinished(() => {
    clearInterval(reading);
    for (const socket of slow) socket.destroy();
  });
  const closed = (): Promise<number> => gateway.metric('switchboard_stalled_readers_total');
  // Six answers of ten mebibytes are a caller's part: with the bound of all callers alone, 25 of them stay.
  await expect.poll(closed, { timeout: 60_000 }).toBeGreaterThan(290);
  const fast = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: 'Bearer slow', 'content-type': 'application/json' },
    body,
  });
  expect((await fast.text()).length).toBeGreaterThan(10 * mebibyte);
  expect(await gateway.askAsGoodCaller()).toBeNull();
  expect(gateway.peakBytes() - before).toBeLessThan(700 * mebibyte);
});
