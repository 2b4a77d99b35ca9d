import { vi } from 'vitest';
import { summaryReply } from '../support/root-fields.ts';
import { refusal, type SeenRequest } from '../support/scripted-upstream.ts';
import { expect, metricOf, test } from './fleet.ts';

// Redis replies at once, but a machine that is busy with other things may take longer than a gateway waits for it.
const bounds = await vi.hoisted(() => import('../../src/bounds.ts'));
vi.mock(import('../../src/bounds.ts'), () => ({ ...bounds, storeWaitMs: 10_000 as never }));

const query = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const keyOf = ({ headers }: SeenRequest): string => String(headers.authorization);

test('a 429 that one replica sees stops the calls of its caller on all, and of nobody else', async ({
  startFleet,
  upstream,
}) => {
  upstream.script((request) =>
    keyOf(request) === 'Bearer hasty'
      ? { ...refusal(429, '10011', 'Too Many Requests'), headers: { 'retry-after': '60' } }
      : summaryReply(request),
  );
  const [first, ...others] = await startFleet(3);
  expect((await first?.query(query, { key: 'hasty' }))?.errors[0]).toMatchObject({
    extensions: { code: 'RATE_LIMITED', upstream: { status: 429 } },
  });
  for (const gateway of others) {
    await expect
      .poll(async () => (await gateway.query(query, { key: 'hasty' })).errors[0]?.message)
      .toBe('The rate limit of this API key for this operation is used up; the call was not sent.');
    expect((await gateway.query(query, { key: 'patient' })).errors).toEqual([]);
  }
  const calls = upstream.requests.filter((request) => keyOf(request) === 'Bearer hasty').length;
  for (const gateway of others) await gateway.query(query, { key: 'hasty' });
  expect(upstream.requests.filter((request) => keyOf(request) === 'Bearer hasty')).toHaveLength(calls);
});

test('calls send no command to the store while nobody is limited', async ({ startFleet, upstream }) => {
  upstream.script(summaryReply);
  const [gateway] = await startFleet(1);
  for (let call = 0; call < 20; call++) await gateway?.query(query, { key: `key-${call}` });
  for (const feature of ['notices', 'reports', 'feeds']) {
    const series = `switchboard_shared_state_commands_total{feature="${feature}",outcome="answered"}`;
    expect(gateway && (await metricOf(gateway, series))).toBe(0);
  }
});
