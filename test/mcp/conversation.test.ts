import { afterAll, beforeAll, expect, test } from 'vitest';
import { converse } from '../../examples/agent/conversation.ts';
import { startGateway } from '../../examples/agent/gateway.ts';
import { createToolClient } from '../../examples/agent/tool-client.ts';
import type { Json } from '../support/records.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
const october = { startDate: '2026-10-01', endDate: '2026-11-01' };

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway[Symbol.asyncDispose]());

test('a conversation of ten questions over the sandbox stays small, and costs few calls', async () => {
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

test('the costs of one owner are asked for by e-mail, and owners without one have their id', async () => {
  const client = createToolClient(gateway.url, 'sandbox-key-owner');
  const { charges: all } = (await client.call('charges_by_number', october)).json;
  const owners: readonly Json[] = all.totals.byServiceOwner;
  for (const owner of ['sales@example.com', 'o-brien+lab@example.com', 'nobody@example.com']) {
    const { charges } = (await client.call('charges_by_number', { ...october, owner })).json;
    const own = owners.filter(({ serviceOwnerEmail }) => serviceOwnerEmail === owner);
    expect(charges.totals).toMatchObject({ byServiceOwner: own, cost: own[0]?.cost ?? '0' });
  }
  const ids = owners.flatMap((owner) => (owner.serviceOwnerEmail === null ? [owner.serviceOwnerUserId] : []));
  expect(ids.length).toBeGreaterThan(3);
  expect(new Set(ids).size).toBe(ids.length);
});
