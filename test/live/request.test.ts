import { describe } from 'vitest';
import { subscribe } from '../support/streams.ts';
import { expect } from '../support/gateway.ts';
import { all, errorsOf, test } from './subscription.ts';

describe('a request', () => {
  test.for([
    ['a date that does not exist', 'startedAt: { gte: "2026-02-30T00:00:00Z" }', ['filter', 'startedAt', 'gte']],
    ['a reversed range', 'startedAt: { gte: "2026-10-03T00:00Z", lte: "2026-10-02T00:00Z" }', ['filter', 'startedAt']],
    ['an empty list of types', 'eventType: []', ['filter', 'eventType']],
  ] as const)('with %s is refused without a call', async ([, filter, argument], { gateway, upstream }) => {
    const stream = await subscribe(gateway, `subscription { webhookDeliveries(filter: { ${filter} }) { id } }`);
    await stream.ended;
    const extensions = { code: 'BAD_USER_INPUT', argument };
    expect(errorsOf(stream)).toMatchObject([{ path: ['webhookDeliveries'], extensions }]);
    expect(stream.events.at(-1)?.name).toBe('complete');
    expect(upstream.requests).toEqual([]);
  });

  test.for([
    ['subscription { webhookDeliveries @include(if: false) { id } }'],
    ['subscription { ... on Subscription @include(if: false) { webhookDeliveries { id } } }'],
    ['subscription { ...F @skip(if: false) } fragment F on Subscription { webhookDeliveries { id } }'],
  ])('that selects its field on a condition is invalid: %s', async ([query], { gateway, upstream }) => {
    for (const accept of ['application/graphql-response+json', 'application/json', 'text/event-stream']) {
      const headers = { accept, 'content-type': 'application/json', authorization: 'Bearer a-key' };
      const body = JSON.stringify({ query });
      const response = await gateway.fetch('/graphql', { method: 'POST', headers, body });
      expect(response.status).toBe(accept.includes('response') ? 400 : 200);
      const text = await response.text();
      expect(text).toContain('A subscription selects its field without');
      expect(text).toContain('"code":"GRAPHQL_VALIDATION_FAILED"');
    }
    expect(upstream.requests).toEqual([]);
    expect(gateway.log.join('')).not.toContain('internal error');
  });

  test('that accepts JSON alone is refused, with a status if it has one', async ({ gateway, upstream }) => {
    const ask = (accept: string, key: string | null = 'a-key') => gateway.query(all, { key, headers: { accept } });
    const { status, errors } = await ask('application/json');
    const message = expect.stringMatching(/^The response is available as text\/event-stream, or as multipart/);
    expect([status, errors]).toMatchObject([406, [{ message, extensions: { code: 'BAD_REQUEST' } }]]);
    expect((await ask('application/graphql-response+json', null)).status).toBe(401);
    expect((await ask('application/json', null)).status).toBe(200);
    const asked = upstream.requests.length;
    await expect.poll(() => gateway.log.length).toBe(3);
    expect(upstream.requests.length).toBe(asked);
  });
});
