import { describe } from 'vitest';
import { subscribe } from '../support/event-stream.ts';
import { expect, test } from '../support/gateway.ts';
import { growing, idsOf, quick } from './subscription.ts';

describe('the filter', () => {
  const filters: readonly (readonly [filter: string, query: Readonly<Record<string, string>>])[] = [
    ['{ status: { eq: "failed" } }', { 'filter[status][eq]': 'failed' }],
    ['{ eventType: ["call_initiated", "fax_received"] }', { 'filter[event_type]': 'call_initiated,fax_received' }],
    ['{ webhook: { contains: "a&b" } }', { 'filter[webhook][contains]': 'a&b' }],
    ['{ attempts: { contains: "hooks" } }', { 'filter[attempts][contains]': 'hooks' }],
    ['{ startedAt: { lte: "2027-01-01T00:00:00Z" } }', { 'filter[started_at][lte]': '2027-01-01T00:00:00.000Z' }],
    [
      '{ finishedAt: { gte: "2026-01-01T00:00:00Z", lte: "2027-01-01T00:00:00Z" } }',
      {
        'filter[finished_at][gte]': '2026-01-01T00:00:00.000Z',
        'filter[finished_at][lte]': '2027-01-01T00:00:00.000Z',
      },
    ],
  ];

  test.for(filters)('%s goes with every poll', async ([filter, query], { startWith, upstream }) => {
    const deliveries = growing(upstream);
    const stream = await subscribe(
      await startWith(quick),
      `subscription { webhookDeliveries(filter: ${filter}) { id } }`,
    );
    const [id] = deliveries.add([10], { status: 'failed' });
    await expect.poll(() => idsOf(stream)).toEqual([id]);
    for (const request of upstream.requests) expect(request.query).toMatchObject(query);
    await expect.poll(() => upstream.requests.at(-1)?.query['filter[started_at][gte]']).toMatch(/^2026-/);
    stream.close();
  });

  test('by startedAt bounds the polls where it is later than the watermark', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const from = '2026-10-01T00:00:02.500000000Z';
    const stream = await subscribe(
      await startWith(quick),
      `subscription { webhookDeliveries(filter: { startedAt: { gte: "${from}" } }) { id } }`,
    );
    deliveries.add([2.4]);
    const sent = [...deliveries.add([2.6, 50])];
    await expect.poll(() => idsOf(stream)).toEqual(sent);
    for (const { query } of upstream.requests)
      expect(query['filter[started_at][gte]']).toBe('2026-10-01T00:00:02.500Z');
    sent.push(...deliveries.add([100]));
    await expect
      .poll(() => upstream.requests.at(-1)?.query['filter[started_at][gte]'])
      .toBe('2026-10-01T00:00:40.000Z');
    expect(idsOf(stream)).toEqual(sent);
    stream.close();
  });
});
