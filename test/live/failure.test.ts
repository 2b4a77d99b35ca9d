import { subscribe } from '../support/streams.ts';
import { describe, expect } from '../support/gateway.ts';
import type { Reply } from '../support/scripted-upstream.ts';
import { all, ended, errorsOf, idsOf, polls, seconds, test } from './subscription.ts';

const envelope = (code: string): Reply['json'] => ({ errors: [{ code, title: 'A title', detail: 'A detail.' }] });

describe('a failure of the upstream', () => {
  test.for<[string, Reply]>([
    ['a broken connection', { act: (res) => res.destroy() }],
    ['200 with HTML', { text: '<html>' }],
    ['a redirect', { status: 302, headers: { location: '/' } }],
    ['429', { status: 429, text: '' }],
  ])('that passes (%s) is waited out: all comes', async ([, reply], { deliveries, gateway, upstream }) => {
    const stream = await subscribe(gateway, all);
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
  });

  test.for<[string, Reply]>([
    ['UNAUTHENTICATED', { status: 401, json: envelope('10009') }],
    ['UPSTREAM_BAD_RESPONSE', { json: { data: [], meta: { total_results: 7 } } }],
  ])('that does not (%s) ends all streams', async ([code, reply], { deliveries, gateway, upstream }) => {
    const streams = await Promise.all([subscribe(gateway, all), subscribe(gateway, all)]);
    const [id] = deliveries.add([10]);
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual([id]);
    upstream.script(() => reply);
    for (const stream of streams) {
      await stream.ended;
      const extensions = { code, retryable: false, requestId: stream.headers.get('x-request-id') };
      expect(stream.events.slice(1)).toMatchObject([
        { name: 'next', data: { data: null, errors: [{ path: ['webhookDeliveries'], extensions }] } },
        { name: 'complete' },
      ]);
    }
    await expect.poll(() => ended(gateway)).toBe(2);
    const line = gateway.log.find((each) => each.includes('(stream)')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ status: 200, errorCodes: [code] });
    const asked = upstream.requests.length;
    upstream.script(deliveries.answer);
    await subscribe(gateway, all);
    expect(upstream.requests.length).toBeGreaterThan(asked);
  });
});
