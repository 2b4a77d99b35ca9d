import { subscribe } from '../support/streams.ts';
import { describe, expect } from '../support/gateway.ts';
import { attemptAt, MovingUpstream } from '../support/moving-upstream.ts';
import { all, errorsOf, idsOf, polls, test } from './subscription.ts';

describe('the filter', () => {
  const filters: readonly (readonly [filter: string, query: Readonly<Record<string, string>>])[] = [
    ['{ status: { eq: "failed" } }', { 'filter[status][eq]': 'failed' }],
    ['{ startedAt: { lte: "2027-01-01T00:00:00Z" } }', { 'filter[started_at][lte]': '2027-01-01T00:00:00.000Z' }],
    ['{ finishedAt: { gte: "2026-01-01T00:00:00Z" } }', { 'filter[finished_at][gte]': '2026-01-01T00:00:00.000Z' }],
  ];

  test.for(filters)('%s goes with every poll', async ([filter, query], { deliveries, gateway, upstream }) => {
    const stream = await subscribe(gateway, `subscription { webhookDeliveries(filter: ${filter}) { id } }`);
    const [id] = deliveries.add([10], { status: 'failed' });
    await expect.poll(() => idsOf(stream)).toEqual([id]);
    for (const request of upstream.requests) expect(request.query).toMatchObject(query);
    await expect.poll(() => upstream.requests.at(-1)?.query['filter[started_at][gte]']).toMatch(/^2026-/);
  });

  test('by startedAt bounds the polls where it is the later bound', async ({ deliveries, gateway, upstream }) => {
    const from = '2026-10-01T00:00:02.500000000Z';
    const stream = await subscribe(
      gateway,
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
  });
});

const main = 'https://hooks.example.com/voice';
const shared = 'https://shared.example.com/';
const following = 'subscription { webhookDeliveries(filter: { connectionId: "row-1" }) { id } }';
const naming = (id: string) => ({ webhook: { payload: { connection_id: id } } });

test('a stream of one connection has only its deliveries, for few calls', async ({ deliveries, gateway, upstream }) => {
  const connections = new MovingUpstream('/ip_connections', 3, (index) => ({
    webhook_event_url: index === 1 ? main : shared,
  }));
  upstream.script((request) => (request.path === connections.path ? connections : deliveries).answer(request));
  const stream = await subscribe(gateway, following);
  const sent: string[] = [];
  const add = (second: number, fields: object, isOwn: boolean): void => {
    const ids = deliveries.add([second], { attempts: [attemptAt(shared)], ...fields });
    if (isOwn) sent.push(...ids);
  };
  add(10, naming('row-1'), true);
  add(11, naming('row-0'), false);
  add(12, { ...naming('row-2'), attempts: [attemptAt(main)] }, false);
  add(13, { webhook: null, attempts: [attemptAt(main)] }, true);
  add(14, { ...naming('of a message'), attempts: [attemptAt(shared), attemptAt(main)] }, true);
  add(15, { webhook: null }, false);
  await expect.poll(() => idsOf(stream)).toEqual(sent);
  const reads = (): number => upstream.requests.filter(({ path }) => path === connections.path).length;
  const before = reads();
  add(16, { ...naming('row-0'), attempts: [attemptAt(main)] }, false);
  add(17, naming('row-1'), true);
  await expect.poll(() => idsOf(stream)).toEqual(sent);
  await polls(upstream, 5);
  expect(reads()).toBe(before);
  connections.insert(0, 1, { webhook_event_url: 'https://new.example.com/' });
  add(18, { ...naming('row-3'), attempts: [attemptAt(main)] }, false);
  add(19, naming('row-1'), true);
  await expect.poll(() => idsOf(stream)).toEqual(sent);
  expect(reads()).toBeGreaterThan(before);
});

test('a stream of a connection resumes by its own events alone', async ({ deliveries, gateway }) => {
  const one = await subscribe(gateway, following);
  const [own] = deliveries.add([20], naming('row-1'));
  await expect.poll(() => idsOf(one)).toEqual([own]);
  const other = await subscribe(gateway, all, { headers: { 'last-event-id': one.lastEventId } });
  await other.ended;
  expect(errorsOf(other)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});
