import { lastTracesMs } from '../../../src/telemetry/tracing.ts';
import { pageReply } from '../../support/scripted-upstream.ts';
import { expect, test } from '../../telemetry/trace/traced-gateway.ts';

const query = '{ missions { totalCount } }';

test('a stop does not wait for a collector that says nothing', async ({ collector, traced, upstream }) => {
  upstream.script((request) => pageReply([1], request));
  collector.respond(() => {});
  const gateway = await traced({ OTEL_BSP_SCHEDULE_DELAY: '60000' });
  await gateway.query(query);
  const started = performance.now();
  await gateway.close();
  // The exporter itself would wait for ten times as long.
  expect(performance.now() - started).toBeLessThan(5 * lastTracesMs);
  expect(collector.requests).toHaveLength(1);
});
