import { hear, queryBytes } from '../../support/http.ts';
import { askTools } from '../../support/tool-client.ts';
import { expect, spanNamed, spansOf, test } from './traced-gateway.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';
const sampled = `00-${trace}-${parent}-01`;
const query = '{ missions { totalCount } }';

test("a client's trace is continued, and sent upstream with its state", async ({ collector, traced, upstream }) => {
  const gateway = await traced();
  // By a later version.
  const later = `cc-${trace}-${parent}-01-what-the-future-brings`;
  await gateway.query(query, { headers: { traceparent: later, tracestate: 'a=1,b=2' } });
  const spans = await spansOf(collector);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  expect(spanNamed(spans, 'POST /graphql').parentSpanId).toBe(parent);
  const { traceparent, tracestate } = upstream.requests[0]?.headers ?? {};
  expect(traceparent).toBe(`00-${trace}-${spanNamed(spans, 'GET /ai/missions').spanId}-01`);
  expect(tracestate).toBe('a=1,b=2');
});

test('a tool call continues the trace of its _meta, or of a header', async ({ collector, traced, upstream }) => {
  const gateway = await traced({ MCP: 'true' });
  const meta = { traceparent: sampled, tracestate: 'a=1' };
  const other = '5bf92f3577b34da6a3ce929d0e0e4736';
  const call = { name: 'newest_missions', arguments: {} };
  await askTools(gateway, 'tools/call', call, { meta });
  const spans = await spansOf(collector);
  expect(spanNamed(spans, 'POST /mcp')).toMatchObject({ traceId: trace, parentSpanId: parent });
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  const sent = upstream.requests[0]?.headers ?? {};
  expect([sent['traceparent'], sent['tracestate']]).toEqual([expect.stringContaining(trace), 'a=1']);
  const line = JSON.parse(gateway.log.find((each) => each.includes('"/mcp"')) ?? '{}');
  expect([line.traceId, line.clientName, line.clientVersion]).toEqual([trace, 'test', '1']);
  upstream.requests.length = 0;
  const headers = { traceparent: `00-${other}-${parent}-01` };
  await askTools(gateway, 'tools/call', call, { meta, headers });
  expect(upstream.requests[0]?.headers['traceparent']).toContain(other);
});

test('a trace that is not sampled is continued and not exported', async ({ collector, traced, upstream }) => {
  const gateway = await traced();
  await gateway.query(query, { headers: { traceparent: `00-${trace}-${parent}-00`, tracestate: 'a=1' } });
  const [request] = upstream.requests;
  expect(request?.headers['traceparent']).toMatch(new RegExp(`^00-${trace}-(?!${parent})[0-9a-f]{16}-00$`));
  expect(request?.headers['tracestate']).toBe('a=1');
  await gateway.query(query);
  expect(new Set((await spansOf(collector)).map(({ traceId }) => traceId)).has(trace)).toBe(false);
  expect(JSON.parse(gateway.log[0] ?? '{}').traceId).toBe(trace);
});

test.for([
  ['of zeros', [`traceparent: 00-${'0'.repeat(32)}-${parent}-01`]],
  ['of version ff', [`traceparent: ff-${trace}-${parent}-01`]],
  ['of version 00 with more behind it', [`traceparent: ${sampled}-more`]],
  ['that comes twice', [`traceparent: ${sampled}`, `traceparent: ${sampled}`]],
  ['that is huge', [`traceparent: ${sampled}-${'x'.repeat(10_000)}`]],
] as const)('a traceparent %s is ignored', async ([, lines], { collector, traced, upstream }) => {
  const gateway = await traced();
  const head = ['connection: close', 'authorization: Bearer test-key', ...lines, 'tracestate: a=1'];
  expect(await hear(gateway.url, queryBytes(query, ...head))).toMatch(/^HTTP\/1\.1 200 /);
  const spans = await spansOf(collector);
  const { traceId, parentSpanId = '' } = spanNamed(spans, 'POST /graphql');
  expect([traceId === trace, parentSpanId]).toEqual([false, '']);
  expect(upstream.requests[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect(upstream.requests[0]?.headers['tracestate']).toBeUndefined();
});

test.for([
  ['parentbased_traceidratio', '0', 0],
  ['always_on', '', 2],
] as const)('OTEL_TRACES_SAMPLER=%s decides', async ([name, arg, count], { collector, traced, upstream }) => {
  const gateway = await traced({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg });
  for (let time = 0; time < 2; time++) await gateway.query(query);
  const flag = count > 0 ? '-01' : '-00';
  expect(upstream.requests.map(({ headers }) => String(headers['traceparent']).slice(-3))).toEqual([flag, flag]);
  await gateway.close();
  expect(collector.spans.filter(({ kind }) => kind === 2)).toHaveLength(count);
});

test('without a collector nothing of a trace is logged, sent or continued', async ({ startWith, upstream }) => {
  for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }]) {
    const gateway = await startWith(env);
    await gateway.query(query, { headers: { traceparent: sampled } });
    expect(gateway.log.join('')).not.toMatch(/traceId|spanId/);
  }
  expect(upstream.requests.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined]);
});
