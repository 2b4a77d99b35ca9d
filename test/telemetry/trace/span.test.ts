import { version } from '../../../src/telemetry/log.ts';
import { offFastPath } from '../../support/gateway.ts';
import { subscribe } from '../../support/event-stream.ts';
import { openSocket } from '../../support/graphql-socket.ts';
import { ask } from '../../support/http.ts';
import * as records from '../../support/records.ts';
import { cutOff, HeldReplies, hang, pageReply, refusal, watched } from '../../support/scripted-upstream.ts';
import { askTools, toolRequest } from '../../support/tool-client.ts';
import { all, growing, idsOf, quick } from '../../live/subscription.ts';
import type { ExportedSpan } from './collector.ts';
import { expect, spanNamed, spansOf, test } from './traced-gateway.ts';

const missions = 'query Missions { missions { totalCount } }';
const breakdown = `query Breakdown {
  chargesBreakdown(startDate: "2026-10-01", endDate: "2026-11-01") { results(first: 1) { totalCount } }
}`;
const call = 'upstream GET /ai/missions';
const attempt = 'GET /ai/missions';
const namesOf = (spans: readonly ExportedSpan[]): readonly string[] => spans.map(({ name }) => name).sort();

test('a request, its operation, its calls and their attempts have spans below each other', async ({
  collector,
  traced,
  upstream,
}) => {
  upstream.script((request) => pageReply([1], request));
  const gateway = await traced();
  const headers = { 'x-request-id': 'id-1', 'x-client-name': 'web', 'user-agent': 'agent' };
  const { data } = await gateway.query(missions, { headers });
  expect(data.missions.totalCount).toBe(1);
  const spans = await spansOf(collector);
  expect(namesOf(spans)).toEqual([attempt, 'POST /graphql', 'query', call].sort());
  const [server, operation, made, sent] = ['POST /graphql', 'query', call, attempt].map((name) =>
    spanNamed(spans, name),
  );
  expect([server?.kind, operation?.kind, made?.kind, sent?.kind]).toEqual([2, 1, 1, 3]);
  expect(operation?.parentSpanId).toBe(server?.spanId);
  expect(made?.parentSpanId).toBe(operation?.spanId);
  expect(sent?.parentSpanId).toBe(made?.spanId);
  expect(server?.parentSpanId ?? '').toBe('');
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.map(({ status }) => status.code ?? 0)).toEqual([0, 0, 0, 0]);
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
  expect(sent?.attributes).toEqual({
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

// The first request of a text goes through Yoga, and the second on the fast path; the last is executed by graphql-js.
test.for([
  ['the fast path', undefined, 2, {}],
  ["Yoga's path", offFastPath, 1, {}],
  ['pieces', undefined, 1, { accept: 'multipart/mixed' }],
] as const)(
  'an operation on %s has its spans',
  async ([, extensions, times, headers], { collector, traced, upstream }) => {
    upstream.script((request) => pageReply([1], request));
    const gateway = await traced();
    const query = 'accept' in headers ? 'query Missions { ... @defer { missions { totalCount } } }' : missions;
    for (let time = 0; time < times; time++) {
      const response = await gateway.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer test-key', ...headers },
        body: JSON.stringify({ query, extensions }),
      });
      expect(await response.text()).toContain('"totalCount":1');
    }
    const spans = await spansOf(collector, times);
    const last = spans.findLast(({ kind }) => kind === 2);
    expect(namesOf(spans.filter(({ traceId }) => traceId === last?.traceId))).toEqual(
      [attempt, 'POST /graphql', 'query', call].sort(),
    );
  },
);

test('each attempt of a call has a span, and the first failure sets no status but its own', async ({
  collector,
  traced,
  upstream,
}) => {
  upstream.script((request) => (upstream.requests.length === 1 ? { status: 503 } : pageReply([], request)));
  await (await traced({ UPSTREAM_RETRIES: '2' })).query(missions);
  const spans = await spansOf(collector);
  const attempts = spans.filter(({ name }) => name === attempt);
  expect(attempts.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1]);
  expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 200]);
  expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual(['503', undefined]);
  expect(attempts.map(({ status }) => status.code ?? 0)).toEqual([2, 0]);
  expect(spanNamed(spans, call)).toMatchObject({ status: {}, attributes: { 'switchboard.call.attempts': 2 } });
  // Each attempt is the parent of what the API does for it.
  const parents = upstream.requests.map(({ headers }) => String(headers['traceparent']).split('-')[2]);
  expect(parents).toEqual(attempts.map(({ spanId }) => spanId));
});

test('errors set the status of a span, by their codes and without a text', async ({ collector, traced, upstream }) => {
  upstream.script(() => refusal(403, '10010', 'Forbidden', 'A text.'));
  await (await traced()).query(missions);
  const spans = await spansOf(collector);
  for (const [name, type] of [
    ['query', 'FORBIDDEN'],
    [call, 'FORBIDDEN'],
    [attempt, '403'],
  ] as const)
    expect(spanNamed(spans, name)).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': type } });
  expect(spanNamed(spans, 'query').attributes['switchboard.error_codes']).toEqual(['FORBIDDEN']);
  expect(spans.every(({ status }) => (status.message ?? '') === '')).toBe(true);
  // The response is HTTP 200.
  expect(spanNamed(spans, 'POST /graphql').status.code ?? 0).toBe(0);
});

test.for([
  ['is refused', refusal(401, '10009', 'Unauthorized', 'A text.'), 'UNAUTHENTICATED'],
  ['has another shape', { json: { data: 5 } }, 'UPSTREAM_BAD_RESPONSE'],
  ['is no JSON', { text: '<html>', headers: { 'content-type': 'text/html' } }, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a call whose response %s has its error in its span, on both paths',
  async ([, reply, code], { collector, traced, upstream }) => {
    upstream.script(() => reply);
    const gateway = await traced();
    const rows = 'query Missions { missions { nodes { id } } }';
    await gateway.query(rows, { extensions: offFastPath });
    await gateway.query(rows);
    const spans = await spansOf(collector, 2);
    const calls = spans.filter(({ name }) => name === call);
    expect(calls.map(({ status }) => status.code)).toEqual([2, 2]);
    expect(calls.map(({ attributes }) => attributes['error.type'])).toEqual([code, code]);
    expect(upstream.requests).toHaveLength(2);
  },
);

test('the span of a call on the fast path ends with its response, and not with its operation', async ({
  collector,
  traced,
  upstream,
}) => {
  const held = new HeldReplies();
  const query = 'query Both { missions { nodes { id } } ipConnections { nodes { id } } }';
  upstream.script((request) => pageReply([], request));
  const gateway = await traced();
  await gateway.query(query);
  upstream.script((request) => (request.path.includes('missions') ? pageReply([], request) : held.reply));
  const answer = gateway.query(query);
  await expect
    .poll(async () => (await gateway.fetch('/metrics')).text())
    .toContain('switchboard_upstream_call_duration_seconds_count{operation="GET /ai/missions",outcome="200"} 2');
  held.release(200, { data: [], meta: { total_results: 0 } });
  await answer;
  const spans = await spansOf(collector, 2);
  const endOf = (wanted: string): bigint => BigInt(spans.findLast(({ name }) => name === wanted)?.endTimeUnixNano ?? 0);
  expect(endOf(call)).toBeGreaterThan(0n);
  expect(endOf(call)).toBeLessThan(endOf('GET /ip_connections'));
  expect(upstream.requests).toHaveLength(4);
});

test('an operation that is refused has a span with its error', async ({ collector, traced, upstream }) => {
  await (await traced({ LIMIT_COST: '1' })).query(missions);
  const spans = await spansOf(collector);
  expect(namesOf(spans)).toEqual(['POST /graphql', 'query']);
  expect(spanNamed(spans, 'query').attributes['error.type']).toBe('QUERY_TOO_COMPLEX');
  expect(upstream.requests).toEqual([]);
});

test('a call that is shared and a report that is kept say so in their spans', async ({
  collector,
  traced,
  upstream,
}) => {
  const held = new HeldReplies();
  upstream.script(() => held.reply);
  const gateway = await traced({ REPORT_CACHE_MS: '60000' });
  const asked = [gateway.query(breakdown), gateway.query(breakdown)];
  await expect
    .poll(async () => (await gateway.fetch('/metrics')).text())
    .toContain('switchboard_upstream_shared_calls_total{operation="GET /charges_breakdown"} 1');
  held.release(200, { data: records.chargesBreakdownRecord({ results: [] }) });
  await Promise.all(asked);
  await gateway.query(breakdown);
  const spans = await spansOf(collector, 3);
  const origins = spans.flatMap(({ attributes }) => attributes['switchboard.call.origin'] ?? []);
  expect(origins.sort()).toEqual(['kept', 'own', 'shared']);
  expect(spans.filter(({ kind }) => kind === 3)).toHaveLength(1);
  expect(upstream.requests).toHaveLength(1);
});

test('an event of a stream has a span that is exported while the stream goes on', async ({
  collector,
  traced,
  upstream,
}) => {
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
  const gateway = await traced();
  const path = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
  await (await gateway.fetch(path, { headers: { authorization: 'Bearer test-key' } })).text();
  const spans = await spansOf(collector);
  expect(namesOf(spans)).toEqual([
    'GET /charges_breakdown',
    'GET /exports/charges-breakdown.csv',
    'upstream GET /charges_breakdown',
  ]);
  // Its size is known when its reader has it, and the span is over by then.
  expect(spanNamed(spans, 'upstream GET /charges_breakdown').attributes).toEqual({
    'switchboard.operation': 'GET /charges_breakdown',
    'switchboard.call.origin': 'own',
    'switchboard.call.attempts': 1,
  });
});

test('a call that is never made has no origin', async ({ collector, traced, upstream }) => {
  await (await traced()).query(missions, { key: null });
  const spans = await spansOf(collector);
  expect(spanNamed(spans, call).attributes).toEqual({
    'switchboard.operation': 'GET /ai/missions',
    'error.type': 'UNAUTHENTICATED',
  });
  expect(upstream.requests).toEqual([]);
});

test('a call that the gateway refuses to send has no origin', async ({ collector, traced, upstream }) => {
  upstream.script(() => ({ status: 429, headers: { 'retry-after': '60' } }));
  const gateway = await traced();
  await gateway.query(missions);
  await gateway.query(missions);
  const calls = (await spansOf(collector, 2)).filter(({ name }) => name === call);
  expect(calls.map(({ attributes }) => attributes['switchboard.call.origin'])).toEqual(['own', undefined]);
  expect(calls.map(({ attributes }) => attributes['switchboard.call.attempts'])).toEqual([1, undefined]);
  expect(upstream.requests).toHaveLength(1);
});

const csv = '/exports/charges-breakdown.csv';
const invalid = new URLSearchParams({ query: '{ nothing }' });
const wrongCall = toolRequest('tools/call', { name: 'spend', arguments: { nothing: 1 } });

test.for([
  ['a download without a key', [`${csv}?startDate=2026-10-01`, {}], 401, 'UNAUTHENTICATED', 0],
  ['a download without dates', [csv, {}], 400, 'BAD_USER_INPUT', 0],
  ['a document that is not valid', [`/graphql?${invalid}`, {}], 200, 'GRAPHQL_VALIDATION_FAILED', 2],
  ['a tool call with wrong arguments', ['/mcp', wrongCall], 200, 'BAD_USER_INPUT', 2],
] as const)(
  '%s has its errors in the span of the request',
  async ([, [path, init], status, code, failed], { collector, traced }) => {
    const response = await (await traced({ MCP: 'true' })).fetch(path, init);
    await response.text();
    const span = (await spansOf(collector)).find(({ kind }) => kind === 2);
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': status, 'switchboard.error_codes': [code] });
    expect(span?.status.code ?? 0).toBe(failed);
    expect(span?.attributes['error.type']).toBe(failed === 0 ? undefined : code);
  },
);

test('a failure of the gateway in a tool call is logged with the ids of its trace', async ({
  collector,
  startWith,
}) => {
  const prepare = (): never => {
    throw new Error('A fault.');
  };
  const gateway = await startWith(
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10', MCP: 'true' },
    { changeRules: (rules) => [...rules, { prepare }] },
  );
  const period = { startDate: '2026-10-01', endDate: '2026-11-01' };
  const { result } = await askTools(gateway, 'tools/call', { name: 'spend', arguments: period });
  expect(result.isError).toBe(true);
  const { traceId, spanId } = spanNamed(await spansOf(collector), 'POST /mcp');
  const lines = gateway.log.filter((each) => each.includes('internal error'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ requestId: expect.any(String), traceId, spanId }]);
});

test('a download that breaks off has its error in its span', async ({ collector, traced, upstream }) => {
  upstream.script(() => cutOff('tn\n1', { headers: { 'content-type': 'text/csv' } }));
  const gateway = await traced();
  const path = `${csv}?startDate=2026-10-01&endDate=2026-11-01`;
  const text = gateway
    .fetch(path, { headers: { authorization: 'Bearer test-key' } })
    .then((response) => response.text());
  await expect(text).rejects.toThrow();
  const spans = await spansOf(collector);
  expect(spanNamed(spans, `GET ${csv}`)).toMatchObject({
    status: { code: 2 },
    attributes: { 'switchboard.error_codes': ['UPSTREAM_UNAVAILABLE'], 'error.type': 'UPSTREAM_UNAVAILABLE' },
  });
});

test('the spans of a client that leaves end with it', async ({ collector, traced, upstream }) => {
  const { reply, asked, left } = watched(hang);
  upstream.script(() => reply);
  const leaving = new AbortController();
  const gateway = await traced();
  const answer = gateway.fetch('/graphql?query=query Missions{missions{totalCount}}', {
    headers: { authorization: 'Bearer test-key' },
    signal: leaving.signal,
  });
  await asked;
  leaving.abort();
  await expect(answer).rejects.toThrow('abort');
  await left;
  const spans = await spansOf(collector);
  expect(spanNamed(spans, 'GET /graphql').attributes).toMatchObject({
    'switchboard.aborted': true,
    'http.response.status_code': 499,
  });
  await expect.poll(() => namesOf(collector.spans)).toEqual([attempt, 'GET /graphql', 'query', call].sort());
});

test.for([
  ['PROPFIND', 'HTTP /graphql', '_OTHER', 'PROPFIND'],
  ['TRACE', 'TRACE /graphql', 'TRACE', undefined],
] as const)('a request by %s has the span %s', async ([method, name, known, original], { collector, traced }) => {
  const gateway = await traced();
  await ask(gateway.url, { method });
  expect(spanNamed(await spansOf(collector), name).attributes).toMatchObject({
    'http.request.method': known,
    'http.response.status_code': 405,
  });
  expect(spanNamed(collector.spans, name).attributes['http.request.method_original']).toBe(original);
});

test('probes and unknown paths leave nothing of what the client wrote', async ({ collector, traced }) => {
  const gateway = await traced();
  for (const path of ['/health', '/ready', '/metrics', '/health?chosen', '/chosen?chosen']) await gateway.fetch(path);
  const [span, ...others] = await spansOf(collector);
  expect(others).toEqual([]);
  expect(span?.name).toBe('GET');
  expect(collector.bodies.join('')).not.toContain('chosen');
});

test('operations of a WebSocket are traces of their own, or below the span that its upgrade names', async ({
  collector,
  traced,
  upstream,
}) => {
  upstream.script((request) => pageReply([1], request));
  const gateway = await traced();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  for (const socket of [await openSocket(gateway), await openSocket(gateway, { headers })]) {
    socket.subscribe('1', { query: missions });
    await socket.next('1', 'complete');
    socket.ws.close();
  }
  const spans = await spansOf(collector, 2);
  const route = 'GET /graphql';
  const ofEach = [route, 'query', call, attempt];
  expect(namesOf(spans)).toEqual([...ofEach, ...ofEach].sort());
  const roots = spans.filter(({ name }) => name === route);
  expect(roots.filter((root) => root.traceId === traceId)).toHaveLength(1);
  expect(roots.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([200, 200]);
});
