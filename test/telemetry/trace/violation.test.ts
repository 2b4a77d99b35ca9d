import { failed, quick } from '../../live/subscription.ts';
import { subscribe } from '../../support/event-stream.ts';
import * as records from '../../support/records.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';
import { violationLines } from '../../support/metrics.ts';
import { expect, spansOf, test } from './traced-gateway.ts';

const delivered: Script = (request) => pageReply([records.webhookDeliveryRecord({ status: 'delivered' })], request);
const nameless: Script = (request) => pageReply([{ ...records.ipConnectionRecord({}), id: true }], request);

test.for([
  ['beside the data', '{ webhookDeliveries(filter: { status: { eq: "failed" } }) { nodes { id } } }', delivered],
  ['that is an error', '{ ipConnections { nodes { id } } }', nameless],
] as const)(
  'a violation of the contract %s is logged with the ids of its request',
  async ([, query, script], { collector, traced, upstream }) => {
    upstream.script(script);
    const gateway = await traced();
    await gateway.query(query);
    const server = (await spansOf(collector)).find(({ kind }) => kind === 2);
    expect(violationLines(gateway)).toMatchObject([{ traceId: server?.traceId, spanId: server?.spanId }]);
  },
);

test('a violation that a stream polls is logged with the ids of the request that began it', async ({
  collector,
  traced,
  upstream,
}) => {
  upstream.script(delivered);
  const gateway = await traced(quick);
  const stream = await subscribe(gateway, failed);
  await expect.poll(() => violationLines(gateway).length).toBe(1);
  stream.close();
  const spans = await spansOf(collector);
  const server = spans.find(({ kind }) => kind === 2);
  const operation = spans.find(({ parentSpanId }) => parentSpanId === server?.spanId);
  expect(violationLines(gateway)).toMatchObject([{ traceId: server?.traceId, spanId: operation?.spanId }]);
});
