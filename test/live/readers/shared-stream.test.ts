import type { GraphqlRule } from '../../../src/http/operation-run.ts';
import { subscribe } from '../../support/streams.ts';
import { describe, expect, type QueryOptions } from '../../support/gateway.ts';
import { hang, watched } from '../../support/scripted-upstream.ts';
import { all, errorsOf, failed, idsOf, quick, seconds, test } from '../subscription.ts';

/** A rule that counts the events that were executed. */
function counting(): { readonly rule: GraphqlRule; events: number } {
  const counted = {
    events: 0,
    rule: {
      finish(result) {
        if (result.data?.['webhookDeliveries'] != null) counted.events++;
        return result;
      },
    } satisfies GraphqlRule,
  };
  return counted;
}

describe('streams of one caller that ask the same', () => {
  test('execute each event once for all of them', async ({ deliveries, startWith }) => {
    const counted = counting();
    const gateway = await startWith(quick, { changeRules: (rules) => [...rules, counted.rule] });
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribe(gateway, all)));
    const sent = deliveries.add(seconds(10, 30));
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    expect(counted.events).toBe(30);
  });

  const others: readonly (readonly [what: string, query: string, options: QueryOptions])[] = [
    ['another key', all, { key: 'other-key' }],
    ['another filter', failed, {}],
    ['other variables', 'subscription ($a: Boolean = true) { webhookDeliveries { id status @include(if: $a) } }', {}],
    ['its cost', all, { headers: { 'x-cost': '1' } }],
  ];

  test.for(others)('share nothing with one that asks for %s', async ([, query, options], { deliveries, startWith }) => {
    const counted = counting();
    const gateway = await startWith(quick, { changeRules: (rules) => [...rules, counted.rule] });
    const streams = [await subscribe(gateway, all), await subscribe(gateway, query, options)];
    for (const stream of streams) await stream.begun;
    const sent = deliveries.add([10], { status: 'failed' });
    for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(sent);
    expect(counted.events).toBe(2);
  });

  test('get errors with request ids and log lines of their own', async ({ deliveries, gateway }) => {
    const names = ['id-1', 'id-2', 'id-3'];
    const query = 'subscription { webhookDeliveries { id status } }';
    const streams = await Promise.all(
      names.map((name) => subscribe(gateway, query, { headers: { 'x-request-id': name } })),
    );
    deliveries.add([10], { status: 7 });
    for (const [index, stream] of streams.entries()) {
      await expect.poll(() => errorsOf(stream)).toMatchObject([{ extensions: { requestId: names[index] } }]);
      stream.close();
    }
    const lines = (): readonly string[] => gateway.log.filter((line) => line.includes('(stream)'));
    await expect.poll(() => lines().length).toBe(3);
    for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ errorCodes: ['UPSTREAM_BAD_RESPONSE'] });
  });

  test('go on when the one leaves that an event is executed for', async ({ deliveries, startWith, upstream }) => {
    const gateway = await startWith({ ...quick, UPSTREAM_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' });
    const owners = Promise.withResolvers<void>();
    upstream.script(async (request) => {
      if (request.path === '/ip_connections') await owners.promise;
      return deliveries.answer(request);
    });
    const query = 'subscription { webhookDeliveries { id ipConnection { id } } }';
    const streams = await Promise.all([subscribe(gateway, query), subscribe(gateway, query)]);
    const sent = deliveries.add([10]);
    const hasAsked = (): boolean => upstream.requests.some(({ path }) => path === '/ip_connections');
    await expect.poll(hasAsked).toBe(true);
    // One of them is the one.
    streams[0].close();
    owners.resolve();
    await expect.poll(() => idsOf(streams[1])).toEqual(sent);
    expect(errorsOf(streams[1])).toEqual([]);
    // With the last of them ends what an event waits for.
    const { reply, asked, left } = watched(hang);
    upstream.script((request) => (request.path === '/ip_connections' ? reply : deliveries.answer(request)));
    deliveries.add([20]);
    await asked;
    streams[1].close();
    await left;
  });
});
