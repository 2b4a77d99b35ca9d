import { expect, test } from 'vitest';
import { openSocket, type GraphqlSocketClient } from '../support/graphql-socket.ts';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startHaproxy } from './haproxy.ts';
import { startReplica } from './replica.ts';

const query = '{ missions { totalCount } }';

test('WebSockets pass HAProxy, with the key in either place, and find another replica when theirs stops', async () => {
  await using cleanups = new AsyncDisposableStack();
  const sandbox = await startFixedSandbox(() => 0);
  cleanups.defer(() => sandbox.close());
  const env = { UPSTREAM_BASE_URL: sandbox.baseUrl };
  const replicas = await Promise.all(Array.from({ length: 3 }, () => startReplica(env)));
  for (const replica of replicas) cleanups.use(replica);
  const { url } = cleanups.use(await startHaproxy({ replicas: replicas.map(({ address }) => address) }));
  const authorization = 'Bearer some-key';
  const ask = async (socket: GraphqlSocketClient): Promise<unknown> => {
    socket.subscribe('1', { query });
    return (await socket.next('1')).payload;
  };
  const open = (): Promise<GraphqlSocketClient> => openSocket({ url }, { headers: { authorization }, payload: {} });
  const byPayload = await openSocket({ url }, { payload: { authorization } });
  const byHeader = await Promise.all([open(), open()]);
  const answer = await ask(byPayload);
  expect(answer).toEqual({ data: { missions: { totalCount: 230 } } });
  expect(await Promise.all(byHeader.map(ask))).toEqual([answer, answer]);
  // The header leads all sockets of a caller to one replica, which knows their number.
  const counts = await Promise.all(
    replicas.map(async (replica) => {
      const text = await (await fetch(`${replica.url}/metrics`)).text();
      return Number(/^switchboard_websockets (\d+)$/m.exec(text)?.[1]);
    }),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  const theirs = counts.findIndex((count) => count >= 2);
  await replicas[theirs]?.end('SIGTERM');
  for (const { closed } of byHeader) expect((await closed).code).toBe(1001);
  const again = await open();
  expect(await ask(again)).toEqual(answer);
  for (const { ws } of [again, byPayload]) ws.terminate();
});
