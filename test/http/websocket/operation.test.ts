import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { socketOperations } from '../../../src/http/websocket/socket-operation.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { openSocket, type GraphqlSocketClient } from '../../support/streams.ts';
import { samplesOf, scrape } from '../../support/metrics.ts';
import { hang, pageReply, refusal } from '../../support/scripted-upstream.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-socket-'));
afterAll(() => rmSync(folder, { recursive: true }));
const manifest = join(folder, 'manifest.json');
writeFileSync(manifest, JSON.stringify({ known: 'query Known { missions { totalCount } }' }));

const missions = 'query Missions { missions(first: 2) { totalCount nodes { id metadata } } }';

/** What a message of a client gets over HTTP. */
async function overHttp(gateway: Gateway, payload: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      authorization: 'Bearer test-key',
      ...headers,
    },
    body: JSON.stringify(payload),
  });
  return { status: response.status, text: await response.text() };
}

/** The types of the messages of an operation. */
const typesOf = ({ messages }: GraphqlSocketClient, id: string): readonly string[] =>
  messages.filter((message) => message.id === id).map(({ type }) => type);
const withoutId = (text: string): string => text.replaceAll(/"requestId":"[^"]+"/g, '');
const lines = (gateway: Gateway) => gateway.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');

describe('a query over WebSocket', () => {
  test('gets the bytes that it gets over HTTP, and causes the same call', async ({ gateway, upstream }) => {
    const metadata = '{"exact":12345678901234567890.10,"list":[1e400],"text":"ü\\u2028"}';
    const rows = `[{"mission_id":"a","metadata":${metadata}},{"mission_id":"b","metadata":null}]`;
    const meta = '{"total_pages":1,"total_results":2,"page_number":1,"page_size":2}';
    const headers = { 'content-type': 'application/json' };
    upstream.script(() => ({ headers, text: `{"data":${rows},"meta":${meta}}` }));
    const { text } = await overHttp(gateway, { query: missions });
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query: missions });
    await socket.next('1', 'complete');
    expect(text).toContain('12345678901234567890.10');
    const next = `{"id":"1","type":"next","payload":${text}}`;
    expect(socket.texts).toEqual(['{"type":"connection_ack"}', next, '{"id":"1","type":"complete"}']);
    const [first, second] = upstream.requests;
    expect([second?.rawQuery, second?.headers.authorization]).toEqual([first?.rawQuery, 'Bearer test-key']);
    expect(upstream.requests).toHaveLength(2);
    socket.ws.close();
  });

  test('has its own id, its line in the log with the transport, and its metrics', async ({ gateway, upstream }) => {
    upstream.script(() => refusal(403, '10010', 'Not authorized'));
    const socket = await openSocket(gateway, { headers: { 'x-request-id': 'of-the-socket' } });
    socket.subscribe('1', { query: missions });
    socket.subscribe('2', { query: '{ nothing }' });
    await Promise.all([socket.next('1', 'complete'), socket.next('2', 'error')]);
    const line = { method: 'GET', endpoint: '/graphql (websocket)' };
    await expect.poll(() => lines(gateway)).toHaveLength(2);
    expect(lines(gateway)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...line, status: 200, operationName: 'Missions', upstreamCalls: 1 }),
        expect.objectContaining({ ...line, status: 400, errorCodes: ['GRAPHQL_VALIDATION_FAILED'], upstreamCalls: 0 }),
      ]),
    );
    const [sent] = upstream.requests;
    const { requestId } = (await socket.next('1')).payload.errors[0].extensions;
    expect(requestId).not.toBe('of-the-socket');
    expect(sent?.headers['x-request-id']).toBe(requestId);
    expect(lines(gateway).map((each) => each.requestId)).toContain(requestId);
    const samples = samplesOf(await scrape(gateway));
    const counted = samples.filter(({ name }) => name === 'switchboard_http_request_duration_seconds_count');
    expect(counted.map(({ labels, value }) => [labels['endpoint'], labels['status'], value])).toEqual(
      expect.arrayContaining([
        ['/graphql (websocket)', '200', 1],
        ['/graphql (websocket)', '400', 1],
      ]),
    );
    expect(samples.find(({ name }) => name === 'switchboard_websockets')?.value).toBe(1);
    socket.ws.close(1000);
    await expect.poll(() => scrape(gateway)).toContain('switchboard_websockets_closed_total{code="1000"} 1\n');
  });

  test('whose client leaves it gives its calls up', async ({ gateway, upstream }) => {
    const closed = Promise.withResolvers<void>();
    upstream.script(() => ({ act: (res) => void res.once('close', closed.resolve) }));
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query: missions });
    await expect.poll(() => upstream.requests).toHaveLength(1);
    socket.send({ id: '1', type: 'complete' });
    await closed.promise;
    await expect.poll(() => lines(gateway)).toMatchObject([{ status: 499, aborted: true }]);
    expect(typesOf(socket, '1')).toEqual([]);
    socket.ws.close();
  });
});

test('a query under way when the gateway stops gets its response, then its socket ends with 1001', async ({
  gateway,
  upstream,
}) => {
  const given = Promise.withResolvers<void>();
  upstream.script(async (request) => (await given.promise, pageReply([1], request)));
  const socket = await openSocket(gateway);
  socket.subscribe('1', { query: '{ missions { totalCount } }' });
  await expect.poll(() => upstream.requests).toHaveLength(1);
  const closing = gateway.close();
  given.resolve();
  expect(await socket.closed).toEqual({ code: 1001, reason: 'Going away' });
  expect(socket.messages.slice(1)).toEqual([
    { id: '1', type: 'next', payload: { data: { missions: { totalCount: 1 } } } },
    { id: '1', type: 'complete' },
  ]);
  await closing;
});

test.for<
  [
    name: string,
    payload: { readonly query: string; readonly [name: string]: unknown },
    env: Readonly<Record<string, string>>,
  ]
>([
  ['an operation that costs too much', { query: '{ missions(first: 500) { nodes { id } } }' }, { LIMIT_COST: '10' }],
  [
    'variables that do not fit',
    { query: 'query ($n: Int!) { missions(first: $n) { totalCount } }', variables: { n: 'x' } },
    {},
  ],
  [
    'an operation that is not there',
    { query: 'query A { __typename } query B { __typename }', operationName: 'C' },
    {},
  ],
  ['introspection that is off', { query: '{ __schema { queryType { name } } }' }, { INTROSPECTION: 'false' }],
  [
    'a hash without trusted documents',
    { query: '', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
    {},
  ],
  ['an unknown identifier', { query: '', documentId: 'unknown' }, { PERSISTED_OPERATIONS: manifest }],
  ['neither query nor identifier', { query: '' }, { PERSISTED_OPERATIONS: manifest }],
  [
    'an unknown query',
    { query: '{ __typename }' },
    { PERSISTED_OPERATIONS: manifest, PERSISTED_OPERATIONS_ONLY: 'true' },
  ],
])('%s is refused over WebSocket as over HTTP, without a call', async ([, payload, env], { startWith, upstream }) => {
  const gateway = await startWith(env);
  const { query, ...rest } = payload;
  const { status, text } = await overHttp(gateway, query === '' ? rest : payload);
  const { errors } = JSON.parse(withoutId(text).replaceAll(',}', '}'));
  const socket = await openSocket(gateway);
  socket.subscribe('1', payload);
  const refused = await socket.next('1', 'error');
  expect(JSON.parse(withoutId(JSON.stringify(refused.payload)).replaceAll(',}', '}'))).toEqual(errors);
  expect(typesOf(socket, '1')).toEqual(['error']);
  await expect.poll(() => lines(gateway).map((line) => line.status)).toEqual([status, status]);
  expect(upstream.requests).toEqual([]);
  // The socket goes on.
  socket.subscribe(
    '2',
    env['PERSISTED_OPERATIONS'] === undefined ? { query: '{ __typename }' } : { query: '', id: 'known' },
  );
  await socket.next('2', 'complete');
  socket.ws.close();
});

describe('over WebSocket', () => {
  test('a fault of the gateway is masked', async ({ startWith, upstream }) => {
    upstream.script((request) => pageReply([1], request));
    const faulty = {
      prepare: () => {
        throw new Error('a secret');
      },
    };
    const gateway = await startWith({}, { changeRules: (rules) => [faulty, ...rules] });
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query: '{ __typename }' });
    const { payload } = await socket.next('1', 'error');
    expect(payload).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    expect(JSON.stringify(payload)).not.toContain('a secret');
    await expect.poll(() => lines(gateway)).toMatchObject([{ status: 500 }]);
    socket.ws.close();
  });

  test('a socket has a hundred operations under way at most, and goes on when some have ended', async ({
    gateway,
    upstream,
  }) => {
    upstream.script(() => hang);
    const socket = await openSocket(gateway);
    for (let index = 0; index <= socketOperations; index++) socket.subscribe(String(index), { query: missions });
    const refused = await socket.next(String(socketOperations), 'error');
    expect(refused.payload).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryable: true } }]);
    expect(socket.messages.filter(({ type }) => type === 'error')).toHaveLength(1);
    for (let index = 0; index < socketOperations; index++) socket.send({ id: String(index), type: 'complete' });
    socket.subscribe('again', { query: '{ __typename }' });
    expect((await socket.next('again')).payload).toEqual({ data: { __typename: 'Query' } });
    await expect.poll(() => lines(gateway).filter(({ aborted }) => aborted === true)).toHaveLength(socketOperations);
    socket.ws.close();
  });
});
