import { describe } from 'vitest';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { connectTo, openSocket, upgradeHead, type GraphqlSocketClient } from '../../support/streams.ts';
import { scrape, valueOf } from '../../support/metrics.ts';
import { pageReply, refusal, type ScriptedUpstream } from '../../support/scripted-upstream.ts';

/** What a gateway says to what is sent, until it says no more for a connection that is at its end. */
async function heard(gateway: { readonly url: string }, text: string): Promise<string> {
  const socket = connectTo(gateway);
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  socket.write(text.replace('\r\n', '\r\nconnection: close\r\n'));
  await new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.destroy()));
  return said;
}

describe('an upgrade', () => {
  test.for([
    ['http://127.0.0.1:0', 'its own origin'],
    ['https://app.example.com', 'one of CORS_ORIGINS'],
    ['https://gateway.example.com', 'the one of PUBLIC_URL'],
    [undefined, 'none'],
  ])('from %s is taken: %s', async ([origin], { startWith }) => {
    const gateway = await startWith({
      CORS_ORIGINS: 'https://app.example.com',
      PUBLIC_URL: 'https://gateway.example.com/api',
    });
    const headers = origin === undefined ? {} : { origin: origin.replace('http://127.0.0.1:0', gateway.url) };
    const socket = await openSocket(gateway, { headers });
    expect(socket.messages).toEqual([{ type: 'connection_ack' }]);
    socket.ws.close();
  });

  test.for(['https://evil.example', 'null', 'http://app.example.com', 'https://app.example.com.evil.example'])(
    'from %s is refused with 403',
    async (origin, { startWith }) => {
      const gateway = await startWith({ CORS_ORIGINS: 'https://app.example.com' });
      await expect(openSocket(gateway, { headers: { origin } })).rejects.toThrow('403');
    },
  );

  test.for<[what: string, changes: Readonly<Record<string, string | null>>]>([
    ['another subprotocol', { 'sec-websocket-protocol': 'graphql-ws' }],
    ['no subprotocol', { 'sec-websocket-protocol': null }],
    ['no key', { 'sec-websocket-key': null }],
  ])('with %s is refused with 400, as a request is', async ([, changes], { gateway }) => {
    const said = await heard(gateway, upgradeHead(changes));
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(said).toMatch(/\r\nx-request-id: /);
    expect(JSON.parse(said.slice(said.indexOf('{"errors"')))).toMatchObject({
      errors: [{ message: expect.stringContaining('Sec-WebSocket-'), extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(gateway.log.join('')).toContain('"endpoint":"/graphql","status":400');
  });

  test('with two Authorization headers is refused with 400', async ({ gateway }) => {
    const head = upgradeHead().replace('\r\n', '\r\nauthorization: Bearer a\r\nauthorization: Bearer b\r\n');
    expect(await heard(gateway, head)).toMatch(/^HTTP\/1\.1 400 /);
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

  test('behind a request that waits for its response is not served: that response is the last', async ({
    gateway,
    upstream,
  }) => {
    const answer = Promise.withResolvers<void>();
    upstream.script(async (request) => (await answer.promise, pageReply([1], request)));
    const target = `/graphql?query=${encodeURIComponent('{missions{totalCount}}')}`;
    const first = `GET ${target} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key\r\n\r\n`;
    const socket = connectTo(gateway);
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
    socket.write(first + upgradeHead());
    await expect.poll(() => upstream.requests).toHaveLength(1);
    answer.resolve();
    await new Promise((resolve) => socket.once('end', resolve));
    expect(said).toMatch(/^HTTP\/1\.1 200 [^]*"totalCount":1/);
    expect(said.match(/HTTP\/1\.1/g)).toHaveLength(1);
    socket.destroy();
  });
});

describe('the sockets of a gateway', () => {
  const isGood = (authorization = ''): boolean => authorization.startsWith('Bearer good');
  const open = (gateway: Gateway, key: string) => openSocket(gateway, { payload: { authorization: `Bearer ${key}` } });

  /** Starts a gateway before an API that takes keys which begin with `good`, and has it accept some. */
  async function startWithKeys(
    startWith: (env: Readonly<Record<string, string>>) => Promise<Gateway>,
    upstream: ScriptedUpstream,
    most: number,
    keys: readonly string[],
  ) {
    upstream.script((request) =>
      isGood(request.headers.authorization) ? pageReply([1], request) : refusal(401, '10009', 'Invalid'),
    );
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: String(most) });
    for (const key of keys) await gateway.query('{ missions { totalCount } }', { key });
    return gateway;
  }

  test('are bounded altogether: one more is refused with 503 and Retry-After', async ({ startWith, upstream }) => {
    const keys = ['good-a', 'good-b', 'good-c', 'good-d'];
    const gateway = await startWithKeys(startWith, upstream, 4, keys);
    const opened: GraphqlSocketClient[] = [];
    for (const key of keys) opened.push(await open(gateway, key));
    const said = await heard(gateway, upgradeHead());
    expect(said).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*UPSTREAM_UNAVAILABLE/i);
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(4);
    opened[0]?.ws.close();
    await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(3);
    const another = await open(gateway, 'good-a');
    for (const { ws } of [...opened, another]) ws.close();
  });

  test('leave room for others: a caller has a quarter of them', async ({ startWith, upstream }) => {
    const gateway = await startWithKeys(startWith, upstream, 8, ['good-a', 'good-b']);
    const opened = [await open(gateway, 'good-a'), await open(gateway, 'good-a')];
    const third = await open(gateway, 'good-a');
    expect(await third.closed).toEqual({ code: 4429, reason: 'Too many sockets of this caller' });
    const other = await open(gateway, 'good-b');
    expect(other.messages).toEqual([{ type: 'connection_ack' }]);
    for (const { ws } of [...opened, other]) ws.close();
  });

  test('of keys that nobody has accepted share a quarter from the first moment; the oldest give way', async ({
    startWith,
    upstream,
  }) => {
    const gateway = await startWithKeys(startWith, upstream, 8, []);
    const strangers: GraphqlSocketClient[] = [];
    // They answer pings and operations alike, as `ws` does.
    for (let n = 0; n < 12; n++) strangers.push(await open(gateway, `made-up-${n}`));
    for (const { closed } of strangers.slice(0, 10)) expect((await closed).code).toBe(1006);
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(2);
    const good = await open(gateway, 'good');
    good.subscribe('1', { query: '{ missions { totalCount } }' });
    expect((await good.next('1')).payload).toEqual({ data: { missions: { totalCount: 1 } } });
    for (const { ws } of [...strangers, good]) ws.close();
  });

  test('are weighed again when a key is accepted, and when it is refused', async ({ startWith, upstream }) => {
    const gateway = await startWithKeys(startWith, upstream, 8, []);
    const good = await open(gateway, 'good');
    good.subscribe('1', { query: '{ missions { totalCount } }' });
    await good.next('1', 'complete');
    const strangers: GraphqlSocketClient[] = [];
    for (let n = 0; n < 4; n++) strangers.push(await open(gateway, `made-up-${n}`));
    expect((await strangers[1]?.closed)?.code).toBe(1006);
    good.subscribe('2', { query: '{ missions { totalCount } }' });
    await good.next('2', 'complete');
    upstream.script(() => refusal(401, '10009', 'Invalid'));
    good.subscribe('3', { query: '{ missions { totalCount } }' });
    await good.next('3', 'complete');
    strangers.push(await open(gateway, 'made-up'));
    expect((await good.closed).code).toBe(1006);
    for (const { ws } of strangers) ws.close();
  });

  test('that do not begin give way to newer ones, the oldest first', async ({ startWith }) => {
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    const first = await openSocket(gateway, { payload: null });
    const others = [await openSocket(gateway, { payload: null }), await openSocket(gateway, { payload: null })];
    expect((await first.closed).code).toBe(1006);
    for (const other of others) {
      other.send({ type: 'connection_init', payload: { authorization: 'Bearer test-key' } });
      await expect.poll(() => other.messages).toEqual([{ type: 'connection_ack' }]);
      other.ws.close();
    }
  });

  test('have some time to begin, and are counted by the code of their end', async ({ startWith }) => {
    const gateway = await startWith({ REQUEST_HEADERS_TIMEOUT_MS: '200' });
    const { closed } = await openSocket(gateway, { payload: null });
    expect(await closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
    await expect.poll(() => scrape(gateway)).toContain('switchboard_websockets_closed_total{code="4408"} 1\n');
  });
});
