import { describe, expect, test, type Gateway } from '../../support/gateway.ts';
import { openSocket, upgradeHead, type GraphqlSocketClient } from '../../support/streams.ts';
import { hear } from '../../support/http.ts';
import { scrape, valueOf } from '../../support/metrics.ts';
import { pageReply, refusal, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

/** What a gateway says to a request whose connection is to end with the response. */
const heard = ({ url }: Gateway, text: string) => hear(url, text.replace('\r\n', '\r\nconnection: close\r\n'));

describe('an upgrade', () => {
  // CORS_ORIGINS: http/headers/cors.test.ts. A proxy names the port of the scheme.
  test.for<[isTaken: boolean, origin: string | null, headers?: Readonly<Record<string, string>>]>([
    [true, null],
    [true, 'its own'],
    [true, 'https://any.example', { host: 'ANY.example:443' }],
    [true, 'http://any.example', { host: 'any.example:80' }],
    [true, 'https://gateway.example.com'],
    [false, 'https://127.0.0.1', { host: '127.0.0.1:80' }],
    [false, 'http://127.0.0.1:8080', { host: '127.0.0.1:80' }],
  ])('is taken (%s) from %s', async ([isTaken, origin, headers = {}], { startWith }) => {
    const own = 'host' in headers ? {} : { PUBLIC_URL: 'https://gateway.example.com/api' };
    const gateway = await startWith(own);
    const sent = origin === null ? {} : { origin: origin === 'its own' ? gateway.url : origin };
    const opening = openSocket(gateway, { headers: { ...headers, ...sent } });
    if (!isTaken) return expect(opening).rejects.toThrow('403');
    const socket = await opening;
    expect(socket.messages).toEqual([{ type: 'connection_ack' }]);
    socket.ws.close();
  });

  test.for<[what: string, changes: Readonly<Record<string, string | null>>, says: string]>([
    ['another subprotocol', { 'sec-websocket-protocol': 'graphql-ws' }, 'Sec-WebSocket-'],
    ['no subprotocol', { 'sec-websocket-protocol': null }, 'Sec-WebSocket-'],
    ['no key', { 'sec-websocket-key': null }, 'Sec-WebSocket-'],
    ['two keys of callers', { authorization: 'Bearer a\r\nauthorization: Bearer b' }, 'Authorization'],
  ])('with %s is refused with 400, as a request is', async ([, changes, says], { gateway }) => {
    const said = await heard(gateway, upgradeHead(changes));
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(said).toMatch(/\r\nx-request-id: /);
    expect(JSON.parse(said.slice(said.indexOf('{"errors"')))).toMatchObject({
      errors: [{ message: expect.stringContaining(says), extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(gateway.log.join('')).toContain('"endpoint":"/graphql","status":400');
  });

  test('of another path or to another protocol is a request like any other', async ({ gateway }) => {
    expect(await heard(gateway, upgradeHead({}, '/nothing'))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await heard(gateway, upgradeHead({}, '/health'))).toMatch(/^HTTP\/1\.1 200 /);
    const query = `/graphql?query=${encodeURIComponent('{__typename}')}`;
    for (const changes of [{ upgrade: 'h2c' }, { connection: null }])
      expect(await heard(gateway, upgradeHead(changes, query))).toMatch(
        /^HTTP\/1\.1 200 [^]*\{"data":\{"__typename":"Query"\}\}/,
      );
  });

  test('behind a request that waits is not served: its response is the last', async ({ gateway, upstream }) => {
    const answer = Promise.withResolvers<void>();
    upstream.script(async (request) => (await answer.promise, pageReply([1], request)));
    const target = `/graphql?query=${encodeURIComponent('{missions{totalCount}}')}`;
    const first = `GET ${target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key\r\n\r\n`;
    const said = hear(gateway.url, first + upgradeHead());
    await expect.poll(() => upstream.requests).toHaveLength(1);
    answer.resolve();
    expect(await said).toMatch(/^HTTP\/1\.1 200 [^]*"totalCount":1/);
    expect((await said).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('the sockets of a gateway', () => {
  const missions = '{ missions { totalCount } }';
  const open = (gateway: Gateway, key: string) => openSocket(gateway, { payload: { authorization: `Bearer ${key}` } });
  const openAll = async (gateway: Gateway, keys: readonly string[]) => {
    const opened: GraphqlSocketClient[] = [];
    for (const key of keys) opened.push(await open(gateway, key));
    return opened;
  };
  const madeUp = (count: number) => Array.from({ length: count }, (_, index) => `made-up-${index}`);
  /** What a socket gets for a query, once that has ended. */
  const ask = async (socket: GraphqlSocketClient, id = '1'): Promise<unknown> => {
    socket.subscribe(id, { query: missions });
    await socket.next(id, 'complete');
    return (await socket.next(id)).payload;
  };

  /** An API that takes keys which begin with `good`. */
  function scriptKeys(upstream: ScriptedUpstream): void {
    upstream.script((request) =>
      request.headers.authorization?.startsWith('Bearer good') === true
        ? pageReply([1], request)
        : refusal(401, '10009', 'Invalid'),
    );
  }

  test('are bounded altogether: one more is refused with 503 and Retry-After', async ({ startWith, upstream }) => {
    scriptKeys(upstream);
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '4' });
    const keys = ['good-a', 'good-b', 'good-c', 'good-d'];
    for (const key of keys) await gateway.query(missions, { key });
    const [first] = await openAll(gateway, keys);
    const said = await heard(gateway, upgradeHead());
    expect(said).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*UPSTREAM_UNAVAILABLE/i);
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(4);
    first?.ws.close();
    await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(3);
    await open(gateway, 'good-a');
  });

  test('leave room for others: a caller has a quarter of them', async ({ startWith, upstream }) => {
    scriptKeys(upstream);
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    for (const key of ['good-a', 'good-b']) await gateway.query(missions, { key });
    const [, , third, other] = await openAll(gateway, ['good-a', 'good-a', 'good-a', 'good-b']);
    expect(await third?.closed).toEqual({ code: 4429, reason: 'Too many sockets of this caller' });
    expect(other?.messages).toEqual([{ type: 'connection_ack' }]);
  });

  test('of keys that nobody has accepted share a quarter; the oldest give way', async ({ startWith, upstream }) => {
    scriptKeys(upstream);
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    // They answer pings and operations alike, as `ws` does.
    const strangers = await openAll(gateway, madeUp(12));
    for (const { closed } of strangers.slice(0, 10)) expect((await closed).code).toBe(1006);
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(2);
    expect(await ask(await open(gateway, 'good'))).toEqual({ data: { missions: { totalCount: 1 } } });
  });

  test('are weighed again when a key is accepted, and when it is refused', async ({ startWith, upstream }) => {
    scriptKeys(upstream);
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    const good = await open(gateway, 'good');
    await ask(good, '1');
    const strangers = await openAll(gateway, madeUp(4));
    expect((await strangers[1]?.closed)?.code).toBe(1006);
    await ask(good, '2');
    upstream.script(() => refusal(401, '10009', 'Invalid'));
    await ask(good, '3');
    await open(gateway, 'made-up');
    expect((await good.closed).code).toBe(1006);
  });

  test('that do not begin give way to newer ones, the oldest first', async ({ startWith }) => {
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    const openSilent = () => openSocket(gateway, { payload: null });
    const [first, ...others] = [await openSilent(), await openSilent(), await openSilent()];
    expect((await first.closed).code).toBe(1006);
    for (const other of others) {
      other.send({ type: 'connection_init', payload: { authorization: 'Bearer test-key' } });
      await expect.poll(() => other.messages).toEqual([{ type: 'connection_ack' }]);
    }
  });

  test('have some time to begin, and are counted by the code of their end', async ({ startWith }) => {
    const gateway = await startWith({ REQUEST_HEADERS_TIMEOUT_MS: '200' });
    const { closed } = await openSocket(gateway, { payload: null });
    expect(await closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
    await expect.poll(() => scrape(gateway)).toContain('switchboard_websockets_closed_total{code="4408"} 1\n');
  });
});
