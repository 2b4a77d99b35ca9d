import { subscribe } from '../support/streams.ts';
import { describe, expect } from '../support/gateway.ts';
import { ipConnectionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { all, errorsOf, failed, idsOf, leave, openIn, polls, seconds, still, test } from './subscription.ts';

describe('a stream', () => {
  test('brings each delivery that appears, once, oldest first', async ({ deliveries, gateway, upstream }) => {
    const stream = await subscribe(gateway, all, { headers: { 'x-request-id': 'id-1' } });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-request-id')).toBe('id-1');
    const first = deliveries.add([4]);
    await expect.poll(() => idsOf(stream)).toEqual(first);
    expect(stream.events).toEqual([{ name: 'next', data: { data: { webhookDeliveries: { id: first[0] } } } }]);
    const second = deliveries.add([4.001, 5, 6.5]);
    await expect.poll(() => idsOf(stream)).toEqual([...first, ...second]);
    await polls(upstream, 5);
    expect(idsOf(stream)).toHaveLength(4);
  });

  test('loses no delivery of a burst, and none that comes meanwhile', async ({ deliveries, gateway, upstream }) => {
    const stream = await subscribe(gateway, all);
    const sent = [...deliveries.add(seconds(10, 300))];
    upstream.script((request) => {
      if (sent.length < 350) sent.push(...deliveries.add(seconds(20 + sent.length, 5)));
      return deliveries.answer(request);
    });
    await expect.poll(() => idsOf(stream).length).toBe(350);
    expect(idsOf(stream)).toEqual(sent);
  });

  test('resolves all fields and relations, and redacts secrets', async ({ deliveries, gateway, upstream }) => {
    upstream.script((request) =>
      request.path === '/ip_connections' ? pageReply([ipConnectionRecord()], request) : deliveries.answer(request),
    );
    const request = { url: 'https://hooks.example.com/voice', headers: [['X-Api-Key', 'hush']] };
    const attempts = [{ http: { request } }];
    const query = `subscription Live($filter: WebhookDeliveryFilter) {
      live: webhookDeliveries(filter: $filter) {
        nodeId webhook { payload } ipConnection { connectionName }
        attempts { http { request { headers { name value } } } }
      }
    }`;
    const stream = await subscribe(gateway, query, { variables: { filter: { eventType: ['call_initiated'] } } });
    deliveries.add([10, 11], { attempts });
    await expect.poll(() => stream.events).toHaveLength(2);
    const live = {
      nodeId: expect.any(String),
      webhook: { payload: { call_id: 'v3:abc', direction: 'incoming' } },
      ipConnection: { connectionName: 'Head office' },
      attempts: [{ http: { request: { headers: [{ name: 'X-Api-Key', value: '[redacted]' }] } } }],
    };
    for (const { data } of stream.events) expect(data).toEqual({ data: { live } });
    // Each event looks anew: what is true of one need not be of the next.
    const others = upstream.requests.filter(({ query: asked }) => asked['filter[event_type]'] !== 'call_initiated');
    expect(others.map(({ path, query: asked }) => `${path} ${asked['page[size]']}`)).toEqual(
      Array(2).fill('/ip_connections 250'),
    );
    await leave(gateway, stream);
    const line = JSON.parse(gateway.log.find((text) => text.includes('(stream)')) ?? '{}');
    expect(line).toMatchObject({ status: 200, operationName: 'Live', upstreamCalls: 2, aborted: true });
  });
});

test('limits bound the polled lists and the streams of one caller and of all', async ({ startWith, upstream }) => {
  const gateway = await startWith({ ...still, SUBSCRIPTION_MAX_FEEDS: '5', SUBSCRIPTION_MAX_STREAMS: '12' });
  const other = 'subscription { webhookDeliveries(filter: { status: { eq: "other" } }) { id } }';
  const refusalOf = async (key: string, query: string): Promise<unknown> => {
    const stream = await subscribe(gateway, query, { key });
    await stream.ended;
    return errorsOf(stream)[0];
  };
  await subscribe(gateway, all, { key: 'key-a' });
  await subscribe(gateway, failed, { key: 'key-a' });
  expect(await refusalOf('key-a', other)).toMatchObject({
    message: expect.stringContaining('2 different filters'),
    extensions: { code: 'RATE_LIMITED', retryable: true },
  });
  await subscribe(gateway, all, { key: 'key-a' });
  expect(await refusalOf('key-a', all)).toMatchObject({ message: expect.stringContaining('3 streams') });
  for (const key of ['key-b', 'key-c', 'key-d']) await subscribe(gateway, all, { key });
  expect(await refusalOf('key-e', all)).toMatchObject({
    extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, retryAfterSeconds: 1 },
  });
  expect(await openIn(gateway)).toEqual({ streams: 6, lists: 5 });
  expect(upstream.requests).toHaveLength(5);
});

test('a request that accepts JSON alone is refused with a status, before its key is looked at', async ({
  gateway,
  upstream,
}) => {
  const ask = (accept: string, key: string | null = 'a-key') => gateway.query(all, { key, headers: { accept } });
  const { status, errors } = await ask('application/json');
  const message = expect.stringMatching(/^The response is available as text\/event-stream, or as multipart/);
  expect([status, errors]).toMatchObject([406, [{ message, extensions: { code: 'BAD_REQUEST' } }]]);
  expect((await ask('application/json', null)).status).toBe(406);
  expect((await ask('application/graphql-response+json, text/event-stream;q=0.5', null)).status).toBe(401);
  const asked = upstream.requests.length;
  await expect.poll(() => gateway.log.length).toBe(3);
  expect(upstream.requests.length).toBe(asked);
});
