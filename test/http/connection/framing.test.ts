import { expect, test as base, type Gateway } from '../../support/gateway.ts';
import { hear } from '../../support/http.ts';
import { missionRecord } from '../../support/records.ts';
import { pageReply } from '../../support/scripted-upstream.ts';

const test = base.extend<{ readonly served: Gateway }>({
  served: async ({ startWith, upstream }, use) => {
    upstream.script((request) =>
      request.path === '/charges_breakdown'
        ? { text: 'tn,cost\n+1,2\n', headers: { 'content-type': 'text/csv' } }
        : pageReply([missionRecord({ name: 'the last' })], request),
    );
    await use(await startWith({ MCP: 'true' }));
  },
});

const post = (path: string, accept: string, body: object) => ({
  target: `POST ${path}`,
  lines: ['content-type: application/json', `accept: ${accept}`],
  body: JSON.stringify(body),
});
const missions = '{ missions { nodes { name } } }';
const pieces = '{ missions { totalCount ... @defer { nodes { name } } } }';
const params = { name: 'newest_missions', arguments: {} };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
const requests = {
  JSON: post('/graphql', 'application/json', { query: missions }),
  'a response in pieces': post('/graphql', 'multipart/mixed', { query: pieces }),
  'a query as events': post('/graphql', 'text/event-stream', { query: missions }),
  'pieces as events': post('/graphql', 'text/event-stream', { query: pieces }),
  'a tool call': post('/mcp', 'application/json, text/event-stream', call),
  'a download': { target: 'GET /exports/charges-breakdown.csv?startDate=2026-10-01', lines: [], body: '' },
} as const;

/** The head and the body of the response to a request, once the gateway has ended the connection. */
async function responseTo(url: string, version: string, lines: readonly string[], request: keyof typeof requests) {
  const { target, lines: own, body } = requests[request];
  const length = body === '' ? [] : [`content-length: ${body.length}`];
  const head = [`${target} HTTP/${version}`, 'host: localhost', 'authorization: Bearer test-key', ...own, ...length];
  const [responseHead = '', ...rest] = (await hear(url, [...head, ...lines, '', body].join('\r\n'))).split('\r\n\r\n');
  return { head: responseHead.toLowerCase(), body: rest.join('\r\n\r\n') };
}

test.for<[version: string, lines: readonly string[]]>([
  ['1.0', []],
  ['1.1', ['connection: close']],
])(
  'every response ends the connection of a client that asks for that by HTTP/%s and %j',
  async ([version, lines], { served }) => {
    for (const request of Object.keys(requests) as (keyof typeof requests)[])
      for (let round = 0; round < 2; round++) {
        const { head, body } = await responseTo(served.url, version, lines, request);
        expect([request, head]).toEqual([
          request,
          expect.stringMatching(/^http\/1\.1 200 [^]*\r\nconnection: close(?:\r\n|$)/),
        ]);
        expect(body).toMatch(/the last|\+1,2/);
        // HTTP/1.0 has no chunks: its client would take their sizes for a part of the body.
        if (version === '1.0') expect(head).not.toContain('transfer-encoding');
      }
  },
);
