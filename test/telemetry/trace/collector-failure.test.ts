import type { ServerResponse } from 'node:http';
import { scrape, valueOf } from '../../support/metrics.ts';
import { expect, test } from './traced-gateway.ts';

const query = '{ missions { totalCount } }';

// A response without end is cut off by its size, for which it gets longer.
test.for<[what: string, act: (res: ServerResponse) => void, timeoutMs?: number]>([
  ['refuses', (res) => void res.writeHead(400).end('no')],
  ['hangs up', (res) => void res.destroy()],
  ['says nothing', () => {}],
  ['sends without end', pour, 15_000],
])('a collector that %s fails no request', async ([, act, timeoutMs = 200], { collector, traced }) => {
  collector.respond(act);
  const gateway = await traced({ OTEL_EXPORTER_OTLP_TIMEOUT: `${timeoutMs}` });
  const counted = async () => (await valueOf(gateway, 'switchboard_trace_spans_total', { outcome: 'failed' })) ?? 0;
  for (let time = 0; time < 2; time++) {
    const before = await counted();
    const { status, data } = await gateway.query(query);
    expect([status, data.missions.totalCount]).toEqual([200, 1]);
    await expect.poll(counted).toBeGreaterThan(before);
  }
});

function pour(res: ServerResponse): void {
  const block = Buffer.alloc(65_536, ' ');
  res.writeHead(200);
  const write = (): void => {
    while (!res.destroyed && res.write(block));
  };
  res.on('drain', write);
  write();
}

test('spans go where and in the form that the settings name, of that service', async ({ collector, startWith }) => {
  const common = { OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b,x-other=1' };
  const attributes = 'service.name=unused,deployment.environment.name=test%2C1';
  for (const env of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/below/`, OTEL_RESOURCE_ATTRIBUTES: attributes },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/exactly`, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-other=2' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
  ]) {
    const gateway = await startWith({ OTEL_SERVICE_NAME: 'telephony', ...common, ...env });
    await gateway.query(query);
    expect(gateway.log.join('') + (await scrape(gateway))).not.toContain('a b');
    // A stop exports what is left.
    await gateway.close();
  }
  const names = ['x-token', 'x-other', 'content-type'];
  expect(collector.requests.map(({ path, headers }) => [path, ...names.map((name) => headers[name])])).toEqual([
    ['/below/v1/traces', 'a b', '1', 'application/json'],
    ['/exactly', 'a b', '2', 'application/json'],
    ['/v1/traces', 'a b', '1', 'application/x-protobuf'],
  ]);
  const service = { 'service.name': 'telephony', 'deployment.environment.name': 'test,1' };
  expect(collector.spans[0]?.resource).toMatchObject(service);
});
