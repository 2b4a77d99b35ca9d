import { expect, test } from '../../support/gateway.ts';
import { talk } from '../../support/http.ts';

const impatient = { REQUEST_HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '200' };
const get = (lines: string): string => `GET /health HTTP/1.1\r\nhost: a\r\n${lines}\r\n`;
const waitMs = 20_000;

test.for([
  ['one long header', `x-long: ${'x'.repeat(17_000)}\r\n`],
  ['many headers', 'a: b\r\n'.repeat(4_000)],
  ['a long name', `${'x'.repeat(17_000)}: 1\r\n`],
] as const)('%s beyond 16 KiB are refused, and the connection is closed', async ([, lines], { gateway }) => {
  const { end, responses } = await talk(gateway.url, { pieces: [get(lines)], responses: 0, waitMs });
  expect([end, responses.map(({ status }) => status)]).toEqual(['closed', [431]]);
});

test('a long address is refused', async ({ gateway }) => {
  const pieces = [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`];
  expect((await talk(gateway.url, { pieces, waitMs })).responses).toMatchObject([{ status: 431 }]);
});

test.for([
  [900, 200],
  [1_000, 431],
] as const)('of %d headers in a request, none is left out in silence', async ([count, status], { gateway }) => {
  const { responses } = await talk(gateway.url, { pieces: [get('a: b\r\n'.repeat(count))], waitMs });
  expect(responses).toMatchObject([{ status }]);
});

test.for<[what: string, pieces: readonly string[], statuses: readonly number[]]>([
  ['says nothing', [''], [408]],
  ['sends half of its headers', ['GET /health HTTP/1.1\r\nhost: '], [408]],
  [
    'sends half of its body',
    ['POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"q'],
    [408],
  ],
  [
    'sends half of a chunk',
    [
      'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{',
    ],
    [408],
  ],
  ['sends half a request behind a whole one', [`${get('')}GET /hea`], [200, 408]],
])('a connection that %s is closed when its time is up', async ([, pieces, statuses], { startWith }) => {
  const gateway = await startWith(impatient);
  const { end, responses } = await talk(gateway.url, { pieces, responses: 0, waitMs });
  expect([end, responses.map(({ status }) => status)]).toEqual(['closed', statuses]);
});
