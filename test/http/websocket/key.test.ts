import { describe } from 'vitest';
import { expect, test } from '../../support/gateway.ts';
import { openSocket, type SocketOptions } from '../../support/streams.ts';
import { scrape } from '../../support/metrics.ts';
import { pageReply, refusal } from '../../support/scripted-upstream.ts';

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

  test('keeps callers of equal operations apart', async ({ gateway, upstream }) => {
    upstream.script((request) => pageReply(request.headers.authorization === 'Bearer a' ? [1] : [1, 2], request));
    const sockets = await Promise.all(
      ['a', 'b'].map((key) => openSocket(gateway, { payload: { authorization: `Bearer ${key}` } })),
    );
    for (const socket of sockets) socket.subscribe('1', { query });
    const counts = await Promise.all(sockets.map(async (socket) => (await socket.next('1')).payload.data.missions));
    expect(counts).toEqual([{ totalCount: 1 }, { totalCount: 2 }]);
  });
});
