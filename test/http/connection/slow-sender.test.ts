import { expect, test, type Gateway } from '../../support/gateway.ts';
import { connectTo, talk } from '../../support/http.ts';
import type { Reply } from '../../support/scripted-upstream.ts';

const impatient = { REQUEST_HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '300' };

/**
 * Sends the beginning of a request, then a byte now and then for ever. Resolves with all that was answered once the other
 * side has closed the connection.
 */
function drip(gateway: Gateway, beginning: string): Promise<string> {
  const socket = connectTo(gateway);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  socket.write(beginning);
  const dripping = setInterval(() => socket.write('x'), 20);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(answer);
    });
  });
}

const post = 'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const slow = { headers: `${post}x-slow: `, body: `${post}content-length: 100000\r\n\r\n{"query":"` };

test.for(Object.entries(slow))(
  'cuts off a client that drips its %s, and serves others',
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
    expect(served).toBeGreaterThan(0);
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

test.for<[what: string, pieces: readonly string[], statuses: readonly number[]]>([
  ['says nothing', [''], [408]],
  ['sends half of a chunk', [`${post}transfer-encoding: chunked\r\n\r\nff\r\n{`], [408]],
  ['sends half a request behind a whole one', [`GET /health HTTP/1.1\r\nhost: a\r\n\r\nGET /hea`], [200, 408]],
])('a connection that %s is closed when its time is up', async ([, pieces, statuses], { startWith }) => {
  const gateway = await startWith(impatient);
  const { end, responses } = await talk(gateway.url, { pieces, responses: 0, waitMs: 20_000 });
  expect([end, responses.map(({ status }) => status)]).toEqual(['closed', statuses]);
});

// Sixty-four mebibytes are for all workers together.
test('a worker has its part of the room for unfinished bodies', async ({ startWith }) => {
  const { url } = await startWith({}, { workers: 64 });
  const half = `${post}content-length: 900000\r\n\r\n${' '.repeat(700_000)}`;
  const leaving = Promise.withResolvers<void>();
  const begun = [0, 1].map(async () => {
    const heard = await talk(url, { pieces: [half], waitMs: 40_000, leaving: leaving.promise });
    leaving.resolve();
    return heard.responses.map(({ status }) => status);
  });
  expect((await Promise.all(begun)).flat()).toEqual([429]);
});
