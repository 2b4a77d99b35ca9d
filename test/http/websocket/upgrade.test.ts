import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { connectTo, openSocket, upgradeHead, type GraphqlSocketClient } from '../../support/graphql-socket.ts';
import { scrape, valueOf } from '../../support/metrics.ts';
import { pageReply, refusal } from '../../support/scripted-upstream.ts';

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
    ['another version', { 'sec-websocket-version': '8' }],
    ['no key', { 'sec-websocket-key': null }],
    ['a key that is none', { 'sec-websocket-key': 'short' }],
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

  test('behind a request that waits for its response is refused, and both get theirs', async ({
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
    await expect.poll(() => said).toMatch(/^HTTP\/1\.1 200 [^]*"totalCount":1[^]*HTTP\/1\.1 400 Bad Request/);
    expect(said).not.toContain('101');
    socket.destroy();
  });
});

describe('the sockets of a gateway', () => {
  test('are bounded altogether: one more is refused with 503 and Retry-After', async ({ startWith }) => {
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '4' });
    const opened: GraphqlSocketClient[] = [];
    for (const key of ['a', 'b', 'c', 'd'])
      opened.push(await openSocket(gateway, { payload: { authorization: `Bearer ${key}` } }));
    const said = await heard(gateway, upgradeHead());
    expect(said).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*UPSTREAM_UNAVAILABLE/i);
    expect(await valueOf(gateway, 'switchboard_websockets')).toBe(4);
    opened[0]?.ws.close();
    await expect.poll(() => valueOf(gateway, 'switchboard_websockets')).toBe(3);
    const another = await openSocket(gateway);
    for (const { ws } of [...opened, another]) ws.close();
  });

  test('leave room for others: a caller has a quarter of them', async ({ startWith }) => {
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    const opened = [await openSocket(gateway), await openSocket(gateway)];
    const third = await openSocket(gateway);
    expect(await third.closed).toEqual({ code: 4429, reason: 'Too many sockets of this caller' });
    const other = await openSocket(gateway, { payload: { authorization: 'Bearer other' } });
    expect(other.messages).toEqual([{ type: 'connection_ack' }]);
    for (const { ws } of [...opened, other]) ws.close();
  });

  test('leave room for callers that the API knows: all others together have a quarter', async ({
    startWith,
    upstream,
  }) => {
    upstream.script((request) =>
      request.headers.authorization === 'Bearer test-key' ? pageReply([1], request) : refusal(401, '10009', 'Invalid'),
    );
    const gateway = await startWith({ WEBSOCKET_MAX_SOCKETS: '8' });
    await gateway.query('{ missions { totalCount } }');
    const strangers: GraphqlSocketClient[] = [];
    for (const key of ['a', 'b', 'c'])
      strangers.push(await openSocket(gateway, { payload: { authorization: `Bearer ${key}` } }));
    expect(strangers.map(({ messages }) => messages.length)).toEqual([1, 1, 0]);
    const known = await openSocket(gateway);
    expect(known.messages).toEqual([{ type: 'connection_ack' }]);
    for (const { ws } of [...strangers, known]) ws.close();
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
