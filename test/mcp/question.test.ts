import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../examples/agent/gateway.ts';
import { createToolClient, type ToolClient } from '../../examples/agent/tool-client.ts';

const october = { startDate: '2026-10-01', endDate: '2026-11-01' };
const week = { since: '2026-10-25T00:00:00Z' };

/** Questions that one call answers: its tool, its arguments, and the most calls of the API that it takes. */
const questions = [
  ['Which numbers cost most in October?', 'charges_by_number', october, 1],
  ['Which webhooks failed this week, and why?', 'failed_deliveries', week, 2],
  ['Which service rose most?', 'spend', october, 2],
  ['What will November cost, and on what ground?', 'forecast', { month: '2026-11-01' }, 6],
  ['Which team costs most?', 'charges_by_number', { ...october, first: 1 }, 1],
  ['Which connections are off?', 'find_connections', { active: false }, 3],
  ['Was this event delivered?', 'deliveries', { contains: '+1312555', first: 3 }, 1],
  ['What did the third quarter cost?', 'spend_by_month', { startDate: '2026-07-01', endDate: '2026-10-01' }, 3],
] as const;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: ToolClient;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway[Symbol.asyncDispose]());

test.for(questions.map((question, index) => [index, ...question] as const))(
  'question %i, %s, is one call of %s',
  async ([index, , tool, args, mostCalls]) => {
    // Each asks with a key of its own, for whom nothing is kept.
    client = createToolClient(gateway.url, `sandbox-key-${index}`);
    const { isError, bytes, requestId } = await client.call(tool, args);
    expect(isError).toBe(false);
    expect(bytes).toBeLessThan(5_000);
    await expect.poll(() => gateway.upstreamCalls.get(requestId)).toBeLessThanOrEqual(mostCalls);
  },
);

test.for(['sales@example.com', 'billing@example.com', 'o-brien+lab@example.com', 'nobody@example.com'])(
  'the costs of one owner are asked for by e-mail: %s',
  async (owner) => {
    client = createToolClient(gateway.url, 'sandbox-key-owner');
    const { charges: all } = (await client.call('charges_by_number', october)).json;
    const { charges } = (await client.call('charges_by_number', { ...october, owner })).json;
    const own = all.totals.byServiceOwner.filter(
      (one: { serviceOwnerEmail: string | null }) => one.serviceOwnerEmail === owner,
    );
    expect(charges.totals.byServiceOwner).toEqual(own);
    expect(charges.totals.cost).toBe(own[0]?.cost ?? '0');
    expect(charges.results.totalCount).toBeLessThan(all.results.totalCount / 2);
  },
);

test('owners without an e-mail address have their id', async () => {
  client = createToolClient(gateway.url, 'sandbox-key-owner');
  const { charges } = (await client.call('charges_by_number', october)).json;
  const unnamed = charges.totals.byServiceOwner.filter(
    (one: { serviceOwnerEmail: string | null }) => one.serviceOwnerEmail === null,
  );
  const ids = unnamed.map((one: { serviceOwnerUserId: string | null }) => one.serviceOwnerUserId);
  expect(ids.filter((id: string | null) => id !== null).length).toBeGreaterThan(3);
  expect(new Set(ids).size).toBe(ids.length);
});
