import { all, growing, idsOf, quick } from '../../live/subscription.ts';
import { version } from '../../../src/telemetry/log.ts';
import { subscribe, openSocket } from '../../support/streams.ts';
import { askAndLeave } from '../../support/gateway.ts';
import { ask, hear, queryBytes } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { HeldReplies, pageReply, refusal } from '../../support/scripted-upstream.ts';
import { toolRequest, askTools } from '../../support/tool-client.ts';
import { expect, spanNamed, spansOf, test, type ExportedSpan } from './traced-gateway.ts';
import * as records from '../../support/records.ts';

const missions = 'query Missions { missions { totalCount } }';
const breakdown = '{ chargesBreakdown(startDate: "2026-10-01") { results(first: 1) { totalCount } } }';
const csv = '/exports/charges-breakdown.csv';
const withKey = { headers: { authorization: 'Bearer test-key' } };
const call = 'upstream GET /ai/missions';
const attempt = 'GET /ai/missions';
const ofOne = [attempt, 'POST /graphql', 'query', call].sort();
const namesOf = (spans: readonly ExportedSpan[]): readonly string[] => spans.map(({ name }) => name).sort();
const statusesOf = (spans: readonly ExportedSpan[]) => spans.map(({ status }) => status.code ?? 0);
const attributesOf = (spans: readonly ExportedSpan[], name: string) => spans.map(({ attributes }) => attributes[name]);

test('a request, its operation, its call and its attempt have spans', async ({ collector, traced, upstream }) => {
  const gateway = await traced();
  const sent = { 'x-request-id': 'id-1', 'x-client-name': 'web', 'user-agent': 'agent' };
  expect((await gateway.query(missions, { headers: sent })).data.missions.totalCount).toBe(1);
  const spans = await spansOf(collector);
  expect(namesOf(spans)).toEqual(ofOne);
  const inTurn = ['POST /graphql', 'query', call, attempt].map((name) => spanNamed(spans, name));
  const [server, operation, made, last] = inTurn;
  expect(inTurn.map(({ kind }) => kind)).toEqual([2, 1, 1, 3]);
  const parents = ['', ...inTurn.map(({ spanId }) => spanId)].slice(0, 4);
  expect(inTurn.map(({ parentSpanId = '' }) => parentSpanId)).toEqual(parents);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(statusesOf(spans)).toEqual([0, 0, 0, 0]);
  expect(server?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/graphql',
    'http.response.status_code': 200,
    'switchboard.client.name': 'web',
    'switchboard.request_id': 'id-1',
    'switchboard.upstream_calls': 1,
    'url.path': '/graphql',
    'url.scheme': 'http',
    'user_agent.original': 'agent',
  });
  expect(operation?.attributes).toEqual({ 'graphql.operation.name': 'Missions', 'graphql.operation.type': 'query' });
  expect(made?.attributes).toEqual({
    'switchboard.operation': 'GET /ai/missions',
    'switchboard.call.origin': 'own',
    'switchboard.call.attempts': 1,
    'http.response.body.size': expect.any(Number),
  });
  const { hostname, port } = new URL(upstream.baseUrl);
  expect(last?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'server.address': hostname,
    'server.port': Number(port),
    'url.template': '/ai/missions',
    'url.full': `${upstream.baseUrl}/ai/missions`,
  });
  expect(server?.resource).toMatchObject({ 'service.name': 'switchboard', 'service.version': version });
  const line = JSON.parse(gateway.log.find((each) => each.includes('"msg":"request"')) ?? '{}');
  expect([line.traceId, line.spanId]).toEqual([server?.traceId, server?.spanId]);
});

test.for([
  ['the fast path', 2, { query: missions }, {}],
  ['the path of events', 1, { query: missions }, { accept: 'text/event-stream' }],
  ['pieces', 1, { query: '{ ... @defer { missions { totalCount } } }' }, { accept: 'multipart/mixed' }],
] as const)('an operation on %s has its spans', async ([, times, body, accepted], { collector, traced }) => {
  const gateway = await traced();
  for (let time = 0; time < times; time++)
    expect(await (await gateway.post(body, accepted)).text()).toContain('"totalCount":1');
  const spans = await spansOf(collector, times);
  const last = spans.findLast(({ kind }) => kind === 2);
  expect(namesOf(spans.filter(({ traceId }) => traceId === last?.traceId))).toEqual(ofOne);
});

test('each attempt of a call has a span and a status of its own', async ({ collector, traced, upstream }) => {
  upstream.script((request) => (upstream.requests.length === 1 ? { status: 503 } : pageReply([], request)));
  await (await traced({ UPSTREAM_RETRIES: '2' })).query(missions);
  const spans = await spansOf(collector);
  const attempts = spans.filter(({ name }) => name === attempt);
  expect(attributesOf(attempts, 'http.request.resend_count')).toEqual([undefined, 1]);
  expect(attributesOf(attempts, 'http.response.status_code')).toEqual([503, 200]);
  expect(attributesOf(attempts, 'error.type')).toEqual(['503', undefined]);
  expect(statusesOf(attempts)).toEqual([2, 0]);
  expect(spanNamed(spans, call)).toMatchObject({ status: {}, attributes: { 'switchboard.call.attempts': 2 } });
  // Each attempt is the parent of what the API does for it.
  const parents = upstream.requests.map(({ headers: sent }) => String(sent['traceparent']).split('-')[2]);
  expect(parents).toEqual(attempts.map(({ spanId }) => spanId));
});

test.for([
  ['that is refused', refusal(403, '10010', 'Forbidden', 'A text.'), 'FORBIDDEN', ['FORBIDDEN', '403']],
  ['of another shape', { json: { data: 5 } }, 'UPSTREAM_BAD_RESPONSE', []],
] as const)(
  'a response %s sets the status of its spans',
  async ([, reply, code, [ofCall, ofAttempt]], { collector, traced, upstream }) => {
    upstream.script(() => reply);
    const gateway = await traced();
    const rows = '{ missions { nodes { id } } }';
    await gateway.query(rows);
    await (await gateway.post({ query: `{ ... @defer ${rows} }` }, { accept: 'multipart/mixed' })).text();
    const spans = await spansOf(collector, 2);
    for (const [name, error] of [
      ['query', code],
      [call, ofCall],
      [attempt, ofAttempt],
      // The response is HTTP 200.
      ['POST /graphql', undefined],
    ] as const) {
      const named = spans.filter((span) => span.name === name);
      expect([name, attributesOf(named, 'error.type')]).toEqual([name, [error, error]]);
      expect(statusesOf(named)).toEqual(Array(2).fill(error === undefined ? 0 : 2));
    }
    expect(spans.every(({ status }) => (status.message ?? '') === '')).toBe(true);
  },
);

test('an operation that is refused has a span with its error', async ({ collector, traced, upstream }) => {
  await (await traced({ LIMIT_COST: '1' })).query(missions);
  const spans = await spansOf(collector);
  expect(namesOf(spans)).toEqual(['POST /graphql', 'query']);
  expect(spanNamed(spans, 'query').attributes['error.type']).toBe('QUERY_TOO_COMPLEX');
  expect(upstream.requests).toEqual([]);
});

test('a call says in its span whether it is shared, kept or not sent', async ({ collector, traced, upstream }) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const gateway = await traced({ REPORT_CACHE_MS: '60000' });
  const asked = [gateway.query(breakdown), gateway.query(breakdown)];
  const labels = { operation: 'GET /charges_breakdown' };
  await expect.poll(() => valueOf(gateway, 'switchboard_upstream_shared_calls_total', labels)).toBe(1);
  held.release(200, { data: records.chargesBreakdownRecord({ results: [] }) });
  await Promise.all(asked);
  await gateway.query(breakdown);
  upstream.script(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  for (let time = 0; time < 2; time++) await gateway.query(missions);
  const spans = await spansOf(collector, 5);
  const origins = spans.flatMap(({ attributes }) => attributes['switchboard.call.origin'] ?? []);
  expect(origins.sort()).toEqual(['kept', 'own', 'own', 'shared']);
  const calls = spans.filter(({ name }) => name === call);
  expect(attributesOf(calls, 'switchboard.call.attempts')).toEqual([1, undefined]);
  expect(spans.filter(({ kind }) => kind === 3)).toHaveLength(2);
  expect(upstream.requests).toHaveLength(2);
});

test('an event of a stream has a span, exported while that goes on', async ({ collector, traced, upstream }) => {
  const deliveries = growing(upstream);
  const stream = await subscribe(await traced(quick), all);
  const sent = [...deliveries.add([4]), ...deliveries.add([5])];
  await expect.poll(() => idsOf(stream)).toEqual(sent);
  const events = () => collector.spans.filter(({ name }) => name === 'subscription event');
  await expect.poll(() => events().length).toBe(2);
  expect(collector.spans.filter(({ kind }) => kind === 2)).toEqual([]);
  stream.close();
  const spans = await spansOf(collector);
  const server = spanNamed(spans, 'POST /graphql');
  expect(server.attributes).toMatchObject({ 'http.route': '/graphql', 'url.path': '/graphql' });
  const operation = spans.find(({ parentSpanId }) => parentSpanId === server.spanId);
  expect(events().map(({ parentSpanId }) => parentSpanId)).toEqual([operation?.spanId, operation?.spanId]);
  // Polls go on for other readers, so that each begins a trace of its own.
  const polls = spans.filter(({ name }) => name === 'upstream GET /webhook_deliveries');
  expect(polls.length).toBeGreaterThan(1);
  expect(new Set([server, ...polls].map(({ traceId }) => traceId)).size).toBe(polls.length + 1);
  expect(polls.every(({ links }) => links[0]?.traceId === server.traceId)).toBe(true);
});

test('a download has its spans', async ({ collector, traced, upstream }) => {
  upstream.script(() => ({ text: 'tn\n', headers: { 'content-type': 'text/csv' } }));
  await (await (await traced()).fetch(`${csv}?startDate=2026-10-01`, withKey)).text();
  const spans = await spansOf(collector);
  const made = 'upstream GET /charges_breakdown';
  expect(namesOf(spans)).toEqual(['GET /charges_breakdown', `GET ${csv}`, made]);
  // Its size is known when its reader has it, and the span is over by then.
  expect(spanNamed(spans, made).attributes).not.toHaveProperty('http.response.body.size');
});

test.for([
  ['a download without a key', [`${csv}?startDate=2026-10-01`, {}], 401, 'UNAUTHENTICATED', 0],
  ['a document that is not valid', ['/graphql?query={nothing}', {}], 200, 'GRAPHQL_VALIDATION_FAILED', 2],
  [
    'a tool call with wrong arguments',
    ['/mcp', toolRequest('tools/call', { name: 'spend', arguments: { nothing: 1 } })],
    200,
    'BAD_USER_INPUT',
    2,
  ],
] as const)('%s has its errors in its span', async ([, [path, init], status, code, failed], { collector, traced }) => {
  await (await (await traced({ MCP: 'true' })).fetch(path, init)).text();
  const span = (await spansOf(collector)).find(({ kind }) => kind === 2);
  expect(span?.attributes).toMatchObject({ 'http.response.status_code': status, 'switchboard.error_codes': [code] });
  expect(span?.status.code ?? 0).toBe(failed);
  expect(span?.attributes['error.type']).toBe(failed === 0 ? undefined : code);
});

test('the spans of a client that leaves end with it', async ({ collector, traced, upstream }) => {
  await askAndLeave({ gateway: await traced(), upstream }, '{ missions { totalCount } }');
  const { attributes } = spanNamed(await spansOf(collector), 'GET /graphql');
  expect(attributes).toMatchObject({ 'switchboard.aborted': true, 'http.response.status_code': 499 });
  await expect.poll(() => namesOf(collector.spans)).toEqual([attempt, 'GET /graphql', 'query', call].sort());
});

test('unknown methods and paths leave nothing of what a client wrote', async ({ collector, traced }) => {
  const gateway = await traced();
  for (const path of ['/health', '/ready', '/metrics', '/health?chosen', '/chosen?chosen']) await gateway.fetch(path);
  await ask(gateway.url, { method: 'PROPFIND' });
  const [unknown, propfind, ...others] = await spansOf(collector, 2);
  expect([unknown?.name, propfind?.name, others]).toEqual(['GET', 'HTTP /graphql', []]);
  expect(propfind?.attributes).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'PROPFIND',
    'http.response.status_code': 405,
  });
  expect(collector.bodies.join('')).not.toContain('chosen');
});

test('operations of a WebSocket are traces, or below its upgrade', async ({ collector, traced }) => {
  const gateway = await traced();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const named = { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
  for (const socket of [await openSocket(gateway), await openSocket(gateway, named)]) {
    socket.subscribe('1', { query: missions });
    await socket.next('1', 'complete');
    socket.ws.close();
  }
  const spans = await spansOf(collector, 2);
  const ofEach = ['GET /graphql', 'query', call, attempt];
  expect(namesOf(spans)).toEqual([...ofEach, ...ofEach].sort());
  const roots = spans.filter(({ name }) => name === 'GET /graphql');
  expect(roots.filter((root) => root.traceId === traceId)).toHaveLength(1);
  expect(attributesOf(roots, 'http.response.status_code')).toEqual([200, 200]);
});

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
  const params = { name: 'newest_missions', arguments: {} };
  await askTools(gateway, 'tools/call', params, { meta });
  const spans = await spansOf(collector);
  expect(spanNamed(spans, 'POST /mcp')).toMatchObject({ traceId: trace, parentSpanId: parent });
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  const sent = upstream.requests[0]?.headers ?? {};
  expect([sent['traceparent'], sent['tracestate']]).toEqual([expect.stringContaining(trace), 'a=1']);
  const line = JSON.parse(gateway.log.find((each) => each.includes('"/mcp"')) ?? '{}');
  expect([line.traceId, line.clientName, line.clientVersion]).toEqual([trace, 'test', '1']);
  upstream.requests.length = 0;
  const headers = { traceparent: `00-${other}-${parent}-01` };
  await askTools(gateway, 'tools/call', params, { meta, headers });
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
