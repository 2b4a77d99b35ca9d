import { GraphQLError, Kind } from 'graphql';
import type { GraphqlRule } from '../../src/http/run.ts';
import { expect, type Gateway, offFastPath, test as base } from '../support/gateway.ts';
import { directs } from '../support/metrics.ts';
import { subscribe } from '../support/streams.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

// A rule that is added to the list in `rules.ts` acts on every path that a GraphQL request may take.

interface Ruled {
  readonly gateway: Gateway;
  /** The names of operations that the rule has prepared. */
  readonly prepared: (string | null)[];
}

const test = base.extend<{ readonly ruled: Ruled }>({
  ruled: async ({ upstream, startWith }, use) => {
    upstream.script((request) => pageReply([missionRecord({})], request));
    const prepared: (string | null)[] = [];
    const rule: GraphqlRule = {
      checkDocument: ({ definitions: [first] }) =>
        first?.kind === Kind.OPERATION_DEFINITION && first.name?.value === 'Unwanted'
          ? [new GraphQLError('Not this one.')]
          : [],
      prepare({ name }) {
        prepared.push(name);
        return {};
      },
      finish: (result) => ({ ...result, extensions: { ...result.extensions, seen: true } }),
    };
    const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '250' }, { changeRules: (rules) => [...rules, rule] });
    await use({ gateway, prepared });
  },
});

test('an added rule acts on a query through Yoga, and on the same query on the fast path', async ({ ruled }) => {
  const { gateway, prepared } = ruled;
  for (const extensions of [offFastPath, {}, {}]) {
    const { text } = await gateway.query('query Listed { missions(first: 1) { nodes { id } } }', { extensions });
    expect(JSON.parse(text).extensions).toEqual({ seen: true });
  }
  expect(prepared).toEqual(['Listed', 'Listed', 'Listed']);
  expect(await directs(gateway)).toBe(2);
});

test('an added rule acts on each part of a response in pieces', async ({ ruled }) => {
  const { gateway, prepared } = ruled;
  const query = 'query Deferred { missions(first: 1) { totalCount ... @defer { nodes { id } } } }';
  const text = await (await gateway.post({ query }, { accept: 'multipart/mixed' })).text();
  expect(text.match(/"seen":true/g)?.length).toBeGreaterThan(1);
  expect(prepared).toEqual(['Deferred']);
});

test('an added rule acts on each event of a stream', async ({ ruled, upstream }) => {
  const { gateway, prepared } = ruled;
  const deliveries = new GrowingDeliveries();
  upstream.script(deliveries.answer);
  const stream = await subscribe(gateway, 'subscription Followed { webhookDeliveries { id } }');
  await stream.begun;
  const [first] = deliveries.add([1]);
  await expect.poll(() => stream.events.length).toBeGreaterThan(0);
  expect(stream.events[0]?.data).toEqual({ data: { webhookDeliveries: { id: first } }, extensions: { seen: true } });
  expect(prepared).toEqual(['Followed']);
  stream.close();
});

test('an added rule acts on a request that never becomes an operation', async ({ ruled }) => {
  const { text } = await ruled.gateway.query('query Unwanted { missions { totalCount } }');
  expect(JSON.parse(text)).toMatchObject({ errors: [{ message: 'Not this one.' }], extensions: { seen: true } });
  expect(ruled.prepared).toEqual([]);
});

test('where a rule fails for an event, the stream ends with a masked error, at the id of the event before', async ({
  upstream,
  startWith,
}) => {
  const deliveries = new GrowingDeliveries();
  upstream.script(deliveries.answer);
  const failing: GraphqlRule = {
    finish(result) {
      if (JSON.stringify(result.data).includes('delivery-1')) throw new Error('A fault.');
      return result;
    },
  };
  const gateway = await startWith({ SUBSCRIPTION_POLL_MS: '50' }, { changeRules: (rules) => [...rules, failing] });
  const live = 'subscription { webhookDeliveries { id } }';
  const streams = [await subscribe(gateway, live), await subscribe(gateway, live)];
  for (const stream of streams) await stream.begun;
  deliveries.add([1]);
  await expect.poll(() => streams.map(({ events }) => events.length)).toEqual([1, 1]);
  const ids = streams.map(({ lastEventId }) => lastEventId);
  deliveries.add([2, 3]);
  for (const [index, stream] of streams.entries()) {
    await stream.ended;
    const message = 'The gateway failed. Give the requestId to its maintainers.';
    const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId: stream.headers.get('x-request-id') };
    expect(stream.events.slice(1)).toMatchObject([
      { name: 'next', data: { data: null, errors: [{ message, extensions }] } },
      { name: 'complete' },
    ]);
    expect(stream.lastEventId).toBe(ids[index]);
  }
});
