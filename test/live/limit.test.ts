import { describe } from 'vitest';
import { subscribe } from '../support/event-stream.ts';
import { expect, test } from '../support/gateway.ts';
import { all, errorsOf, failed, growing, openIn, still } from './subscription.ts';

describe('the limits', () => {
  test('bound the polled lists and the streams of one caller and of all', async ({ startWith, upstream }) => {
    growing(upstream);
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
});
