import { expect, test } from 'vitest';
import { converse } from '../../examples/agent/conversation.ts';
import { startGateway } from '../../examples/agent/gateway.ts';
import { createToolClient } from '../../examples/agent/tool-client.ts';

test('a conversation of ten questions over the sandbox stays small, and costs few calls', async () => {
  await using gateway = await startGateway();
  const client = createToolClient(gateway.url, 'sandbox-key');
  const list = await client.list();
  const turns = await converse(client);
  expect(new Set(turns.map(({ question }) => question)).size).toBe(10);
  expect(list.bytes).toBeLessThan(8_000);
  for (const { tool, bytes } of turns) expect([tool, bytes < 8_000]).toEqual([tool, true]);
  expect(turns.reduce((sum, { bytes }) => sum + bytes, list.bytes)).toBeLessThan(40_000);
  // One is refused, since a quarter is longer than one report may be.
  expect(turns.filter(({ isError }) => isError).map(({ tool }) => tool)).toEqual(['spend']);
  await expect.poll(() => turns.every(({ requestId }) => gateway.upstreamCalls.has(requestId))).toBe(true);
  const calls = turns.map(({ tool, requestId }) => [tool, gateway.upstreamCalls.get(requestId)] as const);
  // Events may spell the connection's UUID in capital letters, which takes a call more.
  expect(calls.filter(([tool, count = 0]) => count > (tool === 'connection_deliveries' ? 6 : 5))).toEqual([]);
});
