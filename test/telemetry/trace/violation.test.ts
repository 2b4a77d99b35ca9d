import { all, quick } from '../../live/subscription.ts';
import { subscribe } from '../../support/event-stream.ts';
import * as records from '../../support/records.ts';
import { pageReply, type Script } from '../../support/scripted-upstream.ts';
import { violationLines } from '../../support/metrics.ts';
import { expect, spansOf, test } from './traced-gateway.ts';

const nameless: Script = (request) => pageReply([{ ...records.ipConnectionRecord({}), id: true }], request);
const otherPage: Script = () => ({
  json: { data: [], meta: { page_number: 7, page_size: 250, total_pages: 9, total_results: 2_000 } },
});

test('a violation of the contract is logged with the ids of its request', async ({ collector, traced, upstream }) => {
  upstream.script(nameless);
  const gateway = await traced();
  await gateway.query('{ ipConnections { nodes { id } } }');
  const server = (await spansOf(collector)).find(({ kind }) => kind === 2);
  expect(violationLines(gateway)).toMatchObject([{ traceId: server?.traceId, spanId: server?.spanId }]);
});

test('a violation that a stream polls is logged with the ids of the request that began it', async ({
  collector,
  traced,
  upstream,
}) => {
  upstream.script(otherPage);
  const gateway = await traced(quick);
  const stream = await subscribe(gateway, all);
  await expect.poll(() => violationLines(gateway).length).toBe(1);
  stream.close();
  const spans = await spansOf(collector);
  const server = spans.find(({ kind }) => kind === 2);
  const operation = spans.find(({ parentSpanId }) => parentSpanId === server?.spanId);
  expect(violationLines(gateway)).toMatchObject([{ traceId: server?.traceId, spanId: operation?.spanId }]);
});
