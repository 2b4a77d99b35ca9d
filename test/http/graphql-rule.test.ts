import { GraphQLError } from 'graphql';
import type { GraphqlRule } from '../../src/http/operation-run.ts';
import { operationRefusal } from '../../src/http/response/error-response.ts';
import { expect, test } from '../support/gateway.ts';
import { subscribe } from '../support/streams.ts';
import { GrowingDeliveries } from '../support/moving-upstream.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';

// A rule that is added to the list in `rules.ts` acts on every path that a GraphQL request may take. That of a whole query:
// http/response/extensions.test.ts; that of a stream: live/readers/shared-stream.test.ts.
test('an added rule acts on each piece of a response, and on a refusal', async ({ upstream, startWith }) => {
  upstream.script((request) => pageReply([missionRecord({})], request));
  const prepared: (string | null)[] = [];
  const rule: GraphqlRule = {
    prepare(run) {
      const { operationName } = run.request;
      if (operationName === 'Unwanted') run.refusal = operationRefusal(new GraphQLError('Not this one.'));
      else prepared.push(operationName);
    },
    finish: (result) => ({ ...result, extensions: { ...result.extensions, seen: true } }),
  };
  const gateway = await startWith({}, { changeRules: (rules) => [...rules, rule] });
  const shown = 'D'.repeat(100);
  const query = `query ${shown}eferred { missions(first: 1) { totalCount ... @defer { nodes { id } } } }`;
  const text = await (await gateway.post({ query }, { accept: 'multipart/mixed' })).text();
  expect(text.match(/"seen":true/g)?.length).toBeGreaterThan(1);
  const refused = await gateway.query('query Unwanted { missions { totalCount } }');
  expect(JSON.parse(refused.text)).toMatchObject({
    errors: [{ message: 'Not this one.' }],
    extensions: { seen: true },
  });
  expect(prepared).toEqual([shown]);
});

test('a fault at prepare is masked, each time', async ({ startWith }) => {
  let runs = 0;
  const failing: GraphqlRule = {
    prepare() {
      runs++;
      throw new Error('a secret');
    },
  };
  const gateway = await startWith({}, { changeRules: (rules) => [...rules, failing] });
  for (let time = 0; time < 3; time++) {
    const { errors, text } = await gateway.query('{ __typename }');
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    expect(text).not.toContain('a secret');
  }
  expect(runs).toBe(3);
});

test('a rule that fails for an event ends the stream at the id of the one before', async ({ upstream, startWith }) => {
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
