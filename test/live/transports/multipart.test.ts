import { describe, expect, type Gateway } from '../../support/gateway.ts';
import type { Json } from '../../support/records.ts';
import { refusal } from '../../support/scripted-upstream.ts';
import { test } from '../subscription.ts';

const accept = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json;q=0.9';
const feed = `subscription { deliveryFeed { __typename ... on DeliveryArrived { delivery { id } } } }`;

async function ask(gateway: Gateway, query: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.post({ query }, { accept, ...headers });
  const parts: Json[] = [];
  const read = { text: '' };
  const ended = collect(response, read, parts).catch(() => {});
  return { response, parts, read, ended };
}

/** Collects parts as Apollo Client does: one is there as soon as the delimiter behind it has come. */
async function collect({ body }: Response, read: { text: string }, parts: unknown[]): Promise<void> {
  if (body === null) return;
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    read.text += chunk;
    rest += chunk;
    const found = rest.split('\r\n--graphql');
    rest = found.pop() ?? '';
    for (const part of found) {
      const [head, json] = part.split('\r\n\r\n');
      if (json === undefined) continue;
      expect(head?.trim()).toBe('content-type: application/json');
      parts.push(JSON.parse(json));
    }
  }
}

describe('events in parts (subscriptionSpec 1.0)', () => {
  test('come as payloads, behind a sign of life', async ({ deliveries, gateway }) => {
    const { response, parts } = await ask(gateway, feed);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('multipart/mixed;boundary="graphql";subscriptionSpec=1.0');
    expect(response.headers.get('cache-control')).toContain('no-store');
    await expect.poll(() => parts).toHaveLength(2);
    const [id] = deliveries.add([10]);
    await expect.poll(() => parts).toHaveLength(3);
    expect(parts).toEqual([
      {},
      { payload: { data: { deliveryFeed: { __typename: 'FeedStateChanged' } } } },
      { payload: { data: { deliveryFeed: { __typename: 'DeliveryArrived', delivery: { id } } } } },
    ]);
  });

  test('end with the failure of the stream beside the payload, not in it', async ({ gateway, upstream }) => {
    const { parts, read, ended } = await ask(gateway, feed);
    await expect.poll(() => parts).toHaveLength(2);
    upstream.script(() => refusal(403, '10010', 'Not authorized'));
    await ended;
    expect(parts.slice(2)).toEqual([
      {
        payload: null,
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'FORBIDDEN' }) })],
      },
    ]);
    expect(read.text.endsWith('\r\n--graphql--\r\n')).toBe(true);
  });

  test('keep errors of one event in its payload', async ({ deliveries, gateway }) => {
    const { parts } = await ask(gateway, 'subscription { webhookDeliveries { status } }');
    await expect.poll(() => parts).toHaveLength(1);
    deliveries.add([10], { status: { no: 'text' } });
    deliveries.add([11]);
    await expect.poll(() => parts).toHaveLength(3);
    expect(parts[1]).toMatchObject({
      payload: { data: { webhookDeliveries: { status: null } }, errors: [{ path: ['webhookDeliveries', 'status'] }] },
    });
    expect(parts[2]).toMatchObject({ payload: { data: { webhookDeliveries: { status: 'delivered' } } } });
  });

  test.for([
    [accept, 'application/json; charset=utf-8'],
    // Hive's router takes no JSON.
    ['multipart/mixed;subscriptionSpec="1.0", text/event-stream', 'text/event-stream'],
  ] as const)('for %s are refused before they begin as %s', async ([given, type], { gateway, upstream }) => {
    for (const query of [feed, 'subscription { nope }']) {
      const { response, read, ended } = await ask(gateway, query, { authorization: '', accept: given });
      await ended;
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect(read.text).toMatch(/"UNAUTHENTICATED"|"GRAPHQL_VALIDATION_FAILED"/);
    }
    expect(upstream.requests).toEqual([]);
  });

  test.for<[given: string, type: string, status?: number]>([
    ['multipart/mixed, application/json', 'application/json', 406],
    ['multipart/mixed;subscriptionSpec=2.0, application/json', 'application/json', 406],
    [`${accept}, text/event-stream`, 'multipart/mixed'],
    [`text/event-stream, ${accept}`, 'text/event-stream'],
    ['*/*, multipart/mixed;subscriptionSpec="1.0"', 'multipart/mixed'],
    ['*/*', 'text/event-stream'],
  ])('%s is answered by %s', async ([given, type, status = 200], { gateway }) => {
    const { response } = await ask(gateway, feed, { accept: given });
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([status, type]);
  });
});
