import { socketOperations } from '../../../src/http/websocket/socket-operation.ts';
import { describe, expect, test, type Gateway } from '../../support/gateway.ts';
import { openSocket, type GraphqlSocketClient, type SocketOptions } from '../../support/streams.ts';
import { scrape, valueOf } from '../../support/metrics.ts';
import { hang, pageReply, refusal } from '../../support/scripted-upstream.ts';

const missions = 'query Missions { missions(first: 2) { totalCount nodes { id metadata } } }';

/** The types of the messages of an operation. */
const typesOf = ({ messages }: GraphqlSocketClient, id: string): readonly string[] =>
  messages.filter((message) => message.id === id).map(({ type }) => type);
const withoutIds = (text: string) => JSON.parse(text.replaceAll(/,?"requestId":"[^"]+"/g, ''));
const lines = (gateway: Gateway) => gateway.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');

describe('a query over WebSocket', () => {
  test('gets the bytes that it gets over HTTP, and causes the same call', async ({ gateway, upstream }) => {
    const metadata = '{"exact":12345678901234567890.10,"list":[1e400],"text":"ü\\u2028"}';
    const page = `{"data":[{"mission_id":"a","metadata":${metadata}},{"mission_id":"b"}],"meta":{"total_results":2}}`;
    upstream.script(() => ({ headers: { 'content-type': 'application/json' }, text: page }));
    const text = await (await gateway.post({ query: missions })).text();
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query: missions });
    await socket.next('1', 'complete');
    expect(text).toContain('12345678901234567890.10');
    const next = `{"id":"1","type":"next","payload":${text}}`;
    expect(socket.texts).toEqual(['{"type":"connection_ack"}', next, '{"id":"1","type":"complete"}']);
    const [first, second] = upstream.requests;
    expect([second?.rawQuery, second?.headers.authorization]).toEqual([first?.rawQuery, 'Bearer test-key']);
    expect(upstream.requests).toHaveLength(2);
  });

  test('has its own id, its line in the log with the transport, and its metrics', async ({ gateway, upstream }) => {
    upstream.script(() => refusal(403, '10010', 'Not authorized'));
    const socket = await openSocket(gateway, { headers: { 'x-request-id': 'of-the-socket' } });
    socket.subscribe('1', { query: missions });
    socket.subscribe('2', { query: '{ nothing }' });
    await Promise.all([socket.next('1', 'complete'), socket.next('2', 'error')]);
    const line = { method: 'GET', endpoint: '/graphql (websocket)' };
    await expect.poll(() => lines(gateway)).toHaveLength(2);
    expect(lines(gateway).toSorted((one, other) => one.status - other.status)).toMatchObject([
      { ...line, status: 200, operationName: 'Missions', upstreamCalls: 1 },
      { ...line, status: 400, errorCodes: ['GRAPHQL_VALIDATION_FAILED'], upstreamCalls: 0 },
    ]);
    const [sent] = upstream.requests;
    const { requestId } = (await socket.next('1')).payload.errors[0].extensions;
    expect(requestId).not.toBe('of-the-socket');
    expect(sent?.headers['x-request-id']).toBe(requestId);
    expect(lines(gateway).map((each) => each.requestId)).toContain(requestId);
    for (const status of ['200', '400']) {
      const labels = { endpoint: '/graphql (websocket)', status };
      expect(await valueOf(gateway, 'switchboard_http_request_duration_seconds_count', labels)).toBe(1);
    }
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(1);
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
  });
});

test('a query under way at a stop gets its response, then its socket ends', async ({ gateway, upstream }) => {
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

// Persisted documents: http/documents/persisted-operation.test.ts.
test.for<[what: string, payload: object, env?: Readonly<Record<string, string>>]>([
  ['an operation that costs too much', { query: '{ missions(first: 500) { nodes { id } } }' }, { LIMIT_COST: '10' }],
  ['variables that do not fit', { query: 'query ($n: Int!) { a: missions(first: $n) { totalCount } }', variables: {} }],
  ['an operation that is not there', { query: 'query A { a: __typename }', operationName: 'C' }],
  ['introspection that is off', { query: '{ __schema { queryType { name } } }' }, { INTROSPECTION: 'false' }],
])('%s is refused as over HTTP, without a call', async ([, payload, env = {}], { startWith, upstream }) => {
  const gateway = await startWith(env);
  const response = await gateway.post(payload, { accept: 'application/graphql-response+json' });
  const { errors } = withoutIds(await response.text());
  const socket = await openSocket(gateway);
  socket.subscribe('1', payload);
  expect(withoutIds(JSON.stringify((await socket.next('1', 'error')).payload))).toEqual(errors);
  expect(typesOf(socket, '1')).toEqual(['error']);
  await expect.poll(() => lines(gateway).map(({ status }) => status)).toEqual([response.status, response.status]);
  expect(upstream.requests).toEqual([]);
  // The socket goes on.
  socket.subscribe('2', { query: '{ __typename }' });
  await socket.next('2', 'complete');
});

describe('over WebSocket', () => {
  test('a fault of the gateway is masked', async ({ startWith, upstream }) => {
    upstream.script((request) => pageReply([1], request));
    const prepare = (): never => {
      throw new Error('a secret');
    };
    const gateway = await startWith({}, { changeRules: (rules) => [{ prepare }, ...rules] });
    const socket = await openSocket(gateway);
    socket.subscribe('1', { query: '{ __typename }' });
    const { payload } = await socket.next('1', 'error');
    expect(payload).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    expect(JSON.stringify(payload)).not.toContain('a secret');
    await expect.poll(() => lines(gateway)).toMatchObject([{ status: 500 }]);
  });

  test('a socket has a hundred operations at once, and more when some have ended', async ({ gateway, upstream }) => {
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
  });
});

const query = '{ missions { totalCount } }';

describe('the key of a socket', () => {
  const authorization = 'Bearer key-a';
  test.for<[where: string, options: SocketOptions]>([
    ['in the payload of connection_init', { payload: { authorization } }],
    ['in the payload, by a name of any case', { payload: { Authorization: 'bearer key-a' } }],
    ['in the header of the upgrade', { payload: {}, headers: { authorization } }],
    ['in both, where they are equal', { payload: { authorization }, headers: { authorization } }],
  ])('is taken %s', async ([, options], { gateway, upstream }) => {
    upstream.script((request) => pageReply([1], request));
    const socket = await openSocket(gateway, options);
    socket.subscribe('1', { query });
    expect((await socket.next('1')).payload).toEqual({ data: { missions: { totalCount: 1 } } });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([authorization]);
  });

  test.for<[what: string, options: SocketOptions]>([
    ['of which there are two', { payload: { authorization: 'Bearer a' }, headers: { authorization: 'Bearer b' } }],
    ['that is no text', { payload: { authorization: { key: 'a' } } }],
  ])('%s ends the socket with 4400', async ([, options], { gateway, upstream }) => {
    const socket = await openSocket(gateway, options);
    expect((await socket.closed).code).toBe(4400);
    expect(socket.messages).toEqual([]);
    expect(upstream.requests).toEqual([]);
  });

  test('may be missing; a field that needs one is UNAUTHENTICATED without a call', async ({ gateway, upstream }) => {
    for (const payload of [{}, { authorization: 'key-without-a-scheme' }]) {
      const socket = await openSocket(gateway, { payload });
      socket.subscribe('1', { query: `{ __typename missions { totalCount } }` });
      expect((await socket.next('1')).payload).toMatchObject({
        data: { __typename: 'Query', missions: null },
        errors: [{ path: ['missions'], extensions: { code: 'UNAUTHENTICATED' } }],
      });
      socket.subscribe('2', { query: 'subscription { webhookDeliveries { id } }' });
      expect((await socket.next('2', 'error')).payload).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect(upstream.requests).toEqual([]);
  });

  test('stands in no error, log line or metric, whatever a client puts it into', async ({ gateway, upstream }) => {
    const key = 'KEY-canary-0123456789';
    upstream.script(() => refusal(403, '10010', `No rights for ${key}`));
    for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
      const socket = await openSocket(gateway, { payload: { authorization: `Bearer ${key}` }, headers });
      socket.subscribe('1', { query: `query A_${key.replaceAll('-', '_')} { missions { totalCount } }` });
      socket.subscribe('2', { query: `{ ${key} }` });
      socket.subscribe('3', { query, operationName: key });
      const withVariable = 'query ($n: Int!) { missions(first: $n) { totalCount } }';
      socket.subscribe('4', { query: withVariable, variables: { n: key } });
      socket.subscribe('5', { query: '', documentId: key });
      await Promise.all([socket.next('1', 'complete'), ...['2', '3', '4', '5'].map((id) => socket.next(id, 'error'))]);
      expect(socket.texts.join('')).not.toContain(key);
      expect(socket.texts.join('')).toContain('[redacted]');
      // Its own id is a client's own to say.
      socket.subscribe(key, { query: 'subscription { webhookDeliveries { id } }' });
      socket.subscribe(key, { query });
      expect(await socket.closed).toEqual({ code: 4409, reason: 'Subscriber already exists' });
    }
    expect(gateway.log.join('')).not.toContain(key);
    expect(await scrape(gateway)).not.toContain(key);
  });
});
