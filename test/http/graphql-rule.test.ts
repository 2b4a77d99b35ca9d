import { GraphQLError, Kind } from 'graphql';
import type { GraphqlRule } from '../../src/http/run.ts';
import { expect, offFastPath, startGateway, test as base } from '../support/gateway.ts';
import { subscribe } from '../support/streams.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import * as records from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

/** What a client is told of a fault of the gateway, and nothing of its inside. */
const masked = 'The gateway failed. Give the requestId to its maintainers.';

// A rule that is added to the list in `rules.ts` acts on every path that a GraphQL request may take.

/** The names of operations that the rule has prepared. */
const test = base.extend<{ prepared: (string | null)[]; ruled: Awaited<ReturnType<typeof startGateway>> }>({
  prepared: async ({}, use) => use([]),
  ruled: async ({ upstream, prepared }, use) => {
    upstream.script((request) => pageReply([records.missionRecord({})], request));
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
    const gateway = await startGateway(
      upstream.baseUrl,
      { SUBSCRIPTION_POLL_MS: '250' },
      { changeRules: (rules) => [...rules, rule] },
    );
    await use(gateway);
    await gateway.close();
  },
});

const live = 'subscription { webhookDeliveries { id } }';
const missions = 'query Listed { missions(first: 1) { nodes { id } } }';

test('an added rule acts on a query through Yoga, and on the same query on the fast path', async ({
  ruled,
  prepared,
}) => {
  for (const extensions of [offFastPath, {}, {}])
    expect(JSON.parse((await ruled.query(missions, { extensions })).text).extensions).toEqual({ seen: true });
  expect(prepared).toEqual(['Listed', 'Listed', 'Listed']);
  const metrics = await (await ruled.fetch('/metrics')).text();
  expect(metrics).toMatch(/switchboard_graphql_requests_total\{route="direct"\} 2/);
});

test('an added rule acts on each part of a response in pieces', async ({ ruled, prepared }) => {
  const response = await ruled.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'multipart/mixed', authorization: 'Bearer a-key' },
    body: JSON.stringify({
      query: 'query Deferred { missions(first: 1) { totalCount ... @defer { nodes { id } } } }',
    }),
  });
  const text = await response.text();
  expect(text.match(/"seen":true/g)?.length).toBeGreaterThan(1);
  expect(prepared).toEqual(['Deferred']);
});

test('an added rule acts on each event of a stream', async ({ ruled, prepared, upstream }) => {
  const deliveries = new GrowingDeliveries();
  upstream.script(deliveries.answer);
  const stream = await subscribe(ruled, 'subscription Followed { webhookDeliveries { id } }');
  await stream.begun;
  const [first] = deliveries.add([1]);
  await expect.poll(() => stream.events.length).toBeGreaterThan(0);
  expect(stream.events[0]?.data).toEqual({ data: { webhookDeliveries: { id: first } }, extensions: { seen: true } });
  expect(prepared).toEqual(['Followed']);
  stream.close();
});

test('where a rule fails for an event, the stream ends with an error, at the id of the event before', async ({
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
  const streams = [await subscribe(gateway, live), await subscribe(gateway, live)];
  for (const stream of streams) await stream.begun;
  deliveries.add([1]);
  await expect.poll(() => streams.map(({ events }) => events.length)).toEqual([1, 1]);
  const ids = streams.map(({ lastEventId }) => lastEventId);
  deliveries.add([2, 3]);
  for (const [index, stream] of streams.entries()) {
    await stream.ended;
    const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId: stream.headers.get('x-request-id') };
    expect(stream.events.slice(1)).toMatchObject([
      { name: 'next', data: { data: null, errors: [{ message: masked, extensions }] } },
      { name: 'complete' },
    ]);
    expect(stream.lastEventId).toBe(ids[index]);
  }
});

test('an added rule acts on a request that never becomes an operation', async ({ ruled, prepared }) => {
  const refused = await ruled.query('query Unwanted { missions { totalCount } }');
  expect(refused.errors).toEqual([expect.objectContaining({ message: 'Not this one.' })]);
  expect(JSON.parse(refused.text).extensions).toEqual({ seen: true });
  expect(prepared).toEqual([]);
});
