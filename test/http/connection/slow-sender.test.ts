import { connect } from 'node:net';
import { expect, test, type Gateway } from '../../support/gateway.ts';
import type { Reply } from '../../support/scripted-upstream.ts';

const impatient = { REQUEST_HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '300' };

/**
 * Sends the beginning of a request, then a byte now and then for ever. Resolves with all that was answered once the other
 * side has closed the connection.
 */
function drip(gateway: Gateway, beginning: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  // Writing on to a connection that is being closed.
  socket.on('error', () => {});
  socket.write(beginning);
  const dripping = setInterval(() => socket.write('x'), 20);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(answer);
    });
  });
}

const slow = {
  headers: 'POST /graphql HTTP/1.1\r\nhost: gateway\r\nx-slow: ',
  body: 'POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"query":"',
};

test.for(Object.entries(slow))(
  'cuts off a client that drips its %s, and serves others meanwhile',
  async ([, beginning], { startWith, upstream }) => {
    const gateway = await startWith(impatient);
    const answers: string[] = [];
    const drips = Array.from({ length: 5 }, async () => answers.push(await drip(gateway, beginning)));
    let served = 0;
    while (answers.length < drips.length) {
      const { data } = await gateway.query('{ __typename }', { key: null });
      expect(data).toEqual({ __typename: 'Query' });
      served++;
    }
    expect(served).toBeGreaterThan(5);
    for (const answer of answers) expect(answer).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    expect(upstream.requests).toEqual([]);
  },
);

test('waits for a response that takes longer than a request may', async ({ startWith, upstream }) => {
  const gateway = await startWith(impatient);
  const waiting = Promise.withResolvers<Reply>();
  upstream.script(() => waiting.promise);
  const answered = gateway.query('{ missions { totalCount } }');
  // By then the slow sender is cut off.
  await drip(gateway, slow.body);
  waiting.resolve({ json: { data: [], meta: { total_results: 7 } } });
  expect((await answered).data).toEqual({ missions: { totalCount: 7 } });
});
