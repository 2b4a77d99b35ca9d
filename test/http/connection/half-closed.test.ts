import { connect } from 'node:net';
import { expect, test } from '../../support/gateway.ts';
import { pageReply, watched, hang } from '../../support/scripted-upstream.ts';

const query = '{"query":"{ missions { totalCount } }"}';
const head = 'host: a\r\nauthorization: Bearer test-key\r\ncontent-type: application/json\r\n';
const whole = (version: string): string =>
  `POST /graphql HTTP/${version}\r\n${head}content-length: ${query.length}\r\n\r\n${query}`;
const chunked = `POST /graphql HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\n${query.length.toString(16)}\r\n${query}\r\n0\r\n\r\n`;
const report = `GET /exports/charges-breakdown.csv?startDate=2026-10-01 HTTP/1.1\r\n${head}\r\n`;
const page = 'GET / HTTP/1.1\r\nhost: a\r\naccept: text/html\r\n\r\n';

/** All that a client hears that ends its side of the connection behind its requests. */
function heardBehind(url: string, requests: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
    socket.once('end', () => resolve(heard)).once('error', reject);
    socket.end(requests);
  });
}

test.for([
  ['a query', whole('1.1'), 1],
  ['a query of HTTP/1.0', whole('1.0'), 1],
  ['a query in chunks', chunked, 1],
  ['queries behind each other', whole('1.1') + chunked + whole('1.1'), 3],
  ['a report', report, 1],
  ['a page', page, 1],
] as const)(
  '%s is answered although its client has ended its side',
  async ([, requests, count], { gateway, upstream }) => {
    upstream.script(async (request) => {
      await new Promise((resolve) => setImmediate(resolve));
      return request.path === '/charges_breakdown'
        ? { text: 'tn,cost\r\n' }
        : pageReply([{ mission_id: 'a' }], request);
    });
    const heard = await heardBehind(gateway.url, requests);
    expect(heard.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(count);
    expect(heard).toMatch(/"totalCount":1|tn,cost|<\/html>/);
  },
);

test('a call ends with a client that has left, which looks the same at first', async ({ gateway, upstream }) => {
  const { reply, asked, left } = watched(hang);
  upstream.script(() => reply);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(whole('1.1'));
  await asked;
  socket.destroy();
  await left;
  expect(upstream.requests).toHaveLength(1);
});
