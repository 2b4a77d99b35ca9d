import type { Socket } from 'node:net';
import { mostSentAhead } from '../../../src/http/connection/listener.ts';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import { connectTo, queryBytes, talk } from '../../support/http.ts';
import { hang, watched } from '../../support/scripted-upstream.ts';

const query = queryBytes('{ missions { totalCount } }', 'authorization: Bearer test-key');
const [head = '', body = ''] = query.split('\r\n\r\n');
const inChunks = `${head.replace(/content-length: .*/, 'transfer-encoding: chunked')}\r\n\r\n${body.replace(/./g, '1\r\n$&\r\n')}0\r\n\r\n`;
const health = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';

function send(gateway: Gateway, bytes: string): Socket {
  const socket = connectTo(gateway).resume();
  socket.write(bytes);
  return socket;
}

test.for([
  ['a query', query],
  ['a query in chunks of a byte', inChunks],
  ['another path', health],
  ['half a query', query.slice(0, -5)],
  ['as many queries as may be', query.repeat(mostSentAhead)],
])('%s behind a query is not served: the answer ends the connection', async ([, ahead], { gateway, upstream }) => {
  const { reply, asked } = watched({
    act: (res) => void setImmediate(() => res.end(JSON.stringify({ data: [], meta: { total_results: 1 } }))),
  });
  upstream.script(() => reply);
  const heard = talk(gateway.url, { pieces: [query + ahead], responses: 2, waitMs: 30_000 });
  await asked;
  const { end, responses } = await heard;
  expect(end).toBe('closed');
  expect(responses.map(({ body: text }) => JSON.parse(text.toString()))).toEqual([
    { data: { missions: { totalCount: 1 } } },
  ]);
  expect(upstream.requests).toHaveLength(1);
});

test.for([
  ['sends more requests ahead than it may', (socket: Socket) => socket.write(health.repeat(mostSentAhead + 1))],
  ['ends its side before it has its answer', (socket: Socket) => socket.end()],
  ['leaves', (socket: Socket) => socket.destroy()],
] as const)(
  'the connection of a client that %s is closed, and its calls end',
  async ([, act], { gateway, upstream }) => {
    const { reply, asked, left } = watched(hang);
    upstream.script(() => reply);
    const socket = send(gateway, query);
    const closed = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    await asked;
    act(socket);
    await Promise.all([closed, left]);
    // Not because its time was up.
    await expect.poll(() => gateway.log.join('')).toContain('"aborted":true');
    expect((await gateway.query('{ __typename }')).data).toEqual({ __typename: 'Query' });
    expect(upstream.requests).toHaveLength(1);
    socket.destroy();
  },
);
