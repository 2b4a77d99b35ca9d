import { readFileSync } from 'node:fs';
import { describe, onTestFinished, vi } from 'vitest';
import { createCallerSecrets } from '../../src/fleet/shared-store.ts';
import { createSharedReports } from '../../src/fleet/fleet.ts';
import { all, ended, growing, idsOf, quick } from '../live/subscription.ts';
import { fileWriter } from '../support/files.ts';
import { subscribe } from '../support/streams.ts';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { MovingUpstream, type ListPath } from '../support/moving-upstream.ts';

/**
 * What the last release gave to its clients before these upstreams. At a release this file is run in its checkout with RECORD=1, and the
 * line that each test prints takes the place of the one here.
 */
const recorded = JSON.parse(readFileSync(new URL('release-0.1.0.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

const fileOf = fileWriter();
const isRecording = process.env['RECORD'] === '1';

/** What the release gave under a name; while it is recorded, what this version gives. */
function givenByRelease(name: string, given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (isRecording) console.log(`"${name}": ${JSON.stringify(given)},`);
  return (isRecording ? given : recorded[name]) ?? {};
}

const lists: readonly (readonly [field: string, path: ListPath])[] = [
  ['ipConnections', '/ip_connections'],
  ['missions', '/ai/missions'],
  ['webhookDeliveries', '/webhook_deliveries'],
];

async function pageOf(gateway: Gateway, field: string, args: string) {
  const { data } = await gateway.query(
    `{ ${field}(${args}) { nodes { id nodeId type: __typename } pageInfo { endCursor startCursor } } }`,
  );
  return data[field];
}

test.for(lists)(
  'with what 0.1.0 gave, %s go on beside a cursor when rows have come meanwhile, and are found by nodeId',
  async ([field, path], { upstream, gateway }) => {
    const list = new MovingUpstream(path, 40);
    const { ids } = list;
    upstream.script(list.answer);
    const own = await pageOf(gateway, field, 'first: 5, offset: 10');
    const { nodeId, end, start } = givenByRelease(field, {
      nodeId: own.nodes[0].nodeId,
      end: own.pageInfo.endCursor,
      start: own.pageInfo.startCursor,
    });
    list.insert(0, 3);
    const idsAt = async (args: string) =>
      (await pageOf(gateway, field, args)).nodes.map(({ id }: { id: string }) => id);
    expect(await idsAt(`first: 5, after: "${end}"`)).toEqual(ids.slice(15, 20));
    expect(await idsAt(`last: 5, before: "${start}"`)).toEqual(ids.slice(5, 10));
    const { type } = own.nodes[0];
    const { data } = await gateway.query(`{ node(nodeId: "${nodeId}") { ... on ${type} { id } } }`);
    expect(data.node).toEqual({ id: ids[10] });
  },
);

const feed = `subscription($after: String) { deliveryFeed(after: $after) {
  ... on DeliveryArrived { cursor delivery { id } }
  ... on FeedStateChanged { cursor state missed }
} }`;

describe('with what 0.1.0 gave, a reader of live data', () => {
  test('goes on behind an event id', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const first = await subscribe(gateway, all);
    const before = deliveries.add([10, 11, 12]);
    await expect.poll(() => idsOf(first)).toEqual(before);
    first.close();
    await expect.poll(() => ended(gateway)).toBe(1);
    const { id = '' } = givenByRelease('event', { id: first.lastEventId });
    const missed = deliveries.add([5, 13]);
    const back = await subscribe(gateway, all, { headers: { 'last-event-id': id } });
    await expect.poll(() => idsOf(back)).toEqual(missed);
    back.close();
  });

  test('goes on behind the cursor of a feed', async ({ startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const eventsOf = ({ events }: Awaited<ReturnType<typeof subscribe>>) =>
      events.map(({ data }) => data.data.deliveryFeed);
    const first = await subscribe(gateway, feed);
    await first.begun;
    const [id] = deliveries.add([10]);
    await expect.poll(() => eventsOf(first).at(-1)).toMatchObject({ delivery: { id } });
    const { cursor } = givenByRelease('feed', { cursor: eventsOf(first).at(-1).cursor });
    first.close();
    const missed = deliveries.add([9, 11]);
    const back = await subscribe(gateway, feed, { variables: { after: cursor } });
    await expect
      .poll(() => eventsOf(back))
      .toMatchObject([{ state: 'LIVE', missed: false }, ...missed.map((delivery) => ({ delivery: { id: delivery } }))]);
    back.close();
  });
});

test('a report that 0.1.0 put into Redis is opened by its caller, and by nobody else', async () => {
  let put: Record<string, string> = {};
  const reports = {
    put: (caller: string, name: string, sealed: Buffer) => {
      put = { caller, name, sealed: sealed.toString('base64') };
    },
    get: async (caller: string, name: string) =>
      caller === given['caller'] && name === given['name'] ? Buffer.from(given['sealed'] ?? '', 'base64') : null,
    drop: () => {},
  };
  const notices = { send: () => {}, watch: () => () => {} };
  const scope = createCallerSecrets('https://api.example.com/v2');
  vi.spyOn(Date, 'now').mockReturnValue(1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const shared = createSharedReports(reports as never, notices, scope, 60_000);
  const endpoint = { name: 'GET /charges_breakdown' };
  const report = { endpoint, target: '/charges_breakdown?start_date=2026-10-01' } as never;
  const [alice, bob] = ['alice', 'bob'].map((key) => ({ key, identity: key }) as never);
  const body = Buffer.from('{"data":{"currency":"USD"}}');
  shared.keep(alice!, report, { whole: body, length: body.length } as never, () => true);
  await expect.poll(() => put).toHaveProperty('sealed');
  const given = givenByRelease('redis', put);
  expect(await shared.find(alice!, report)).toMatchObject({ body });
  expect(await shared.find(bob!, report)).toBeNull();
});

test('the persisted documents of 0.1.0 are taken by their ids', async ({ startWith, upstream }) => {
  upstream.script(new MovingUpstream('/ip_connections', 4).answer);
  const given = givenByRelease('persisted', {
    connections:
      '{ ipConnections(first: 2) { totalCount nodes { id nodeId connectionName outbound { channelLimit } } } }',
  });
  const manifest = fileOf('manifest.json', JSON.stringify(given));
  const gateway = await startWith({ PERSISTED_OPERATIONS: manifest, PERSISTED_OPERATIONS_ONLY: 'true' });
  const response = await gateway.fetch('/graphql?documentId=connections', {
    headers: { authorization: 'Bearer a-key', accept: 'application/json' },
  });
  expect(await response.json()).toMatchObject({ data: { ipConnections: { totalCount: 4 } } });
});
