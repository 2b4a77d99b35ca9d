import { describe } from 'vitest';
import { subscribe } from '../support/streams.ts';
import { expect, test } from '../support/gateway.ts';
import type { Reply } from '../support/scripted-upstream.ts';
import { all, ended, errorsOf, growing, idsOf, polls, quick, seconds } from './subscription.ts';

const envelope = (code: string): Reply['json'] => ({ errors: [{ code, title: 'A title', detail: 'A detail.' }] });

describe('a failure of the upstream', () => {
  const passing: readonly (readonly [name: string, reply: Reply])[] = [
    ['502 with HTML', { status: 502, text: '<html>' }],
    ['a broken connection', { act: (res) => res.destroy() }],
    ['429', { status: 429, text: '' }],
  ];

  test.for(passing)(
    'that passes (%s) is waited out, and nothing is lost',
    async ([, reply], { startWith, upstream }) => {
      const deliveries = growing(upstream);
      const stream = await subscribe(await startWith({ ...quick, UPSTREAM_BREAKER_OPEN_MS: '1' }), all);
      const sent = [...deliveries.add([10])];
      await expect.poll(() => idsOf(stream)).toEqual(sent);
      upstream.script(() => reply);
      await polls(upstream, 2);
      sent.push(...deliveries.add(seconds(100, 20)));
      await polls(upstream, 1);
      sent.push(...deliveries.add([200]));
      upstream.script(deliveries.answer);
      await expect.poll(() => idsOf(stream)).toEqual(sent);
      expect(errorsOf(stream)).toEqual([]);
      stream.close();
    },
  );

  const final: readonly (readonly [code: string, reply: Reply])[] = [
    ['UNAUTHENTICATED', { status: 401, json: envelope('10009') }],
    ['UPSTREAM_BAD_RESPONSE', { json: { data: 7 } }],
  ];

  test.for(final)('that does not (%s) ends all streams with it', async ([code, reply], { startWith, upstream }) => {
    const deliveries = growing(upstream);
    const gateway = await startWith(quick);
    const streams = await Promise.all([subscribe(gateway, all), subscribe(gateway, all)]);
    const [id] = deliveries.add([10]);
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual([id]);
    upstream.script(() => reply);
    for (const stream of streams) {
      await stream.ended;
      expect(stream.events.slice(1)).toEqual([
        {
          name: 'next',
          data: {
            data: null,
            errors: [
              expect.objectContaining({
                path: ['webhookDeliveries'],
                locations: [{ line: 1, column: 16 }],
                extensions: expect.objectContaining({
                  code,
                  retryable: false,
                  requestId: stream.headers.get('x-request-id'),
                  upstream: expect.objectContaining({ operation: 'GET /webhook_deliveries' }),
                }),
              }),
            ],
          },
        },
        { name: 'complete', data: null },
      ]);
    }
    await expect.poll(() => ended(gateway)).toBe(2);
    expect(JSON.parse(gateway.log.find((line) => line.includes('(stream)')) ?? '{}')).toMatchObject({
      status: 200,
      errorCodes: [code],
    });
    const asked = upstream.requests.length;
    upstream.script(deliveries.answer);
    const again = await subscribe(gateway, all);
    expect(upstream.requests.length).toBeGreaterThan(asked);
    again.close();
  });

  test.for(final)(
    'at the beginning (%s) is told, and there is no stream',
    async ([code, reply], { startWith, upstream }) => {
      upstream.script(() => reply);
      const stream = await subscribe(await startWith(quick), all);
      await stream.ended;
      expect(stream.status).toBe(200);
      expect(stream.events).toMatchObject([
        { name: 'next', data: { errors: [{ path: ['webhookDeliveries'], extensions: { code } }] } },
        { name: 'complete' },
      ]);
      expect(upstream.requests).toHaveLength(1);
    },
  );
});
