import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe } from 'vitest';
import { interimResponses } from '../../src/bounds.ts';
import { expect, startGateway, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { rootFields } from '../support/records.ts';
import type { Reply } from '../support/scripted-upstream.ts';

const [summary] = rootFields.map(({ selection }) => `{ ${selection} }`);
const json = { 'content-type': 'application/json' };
const list = '{ ipConnections { totalCount nodes { id } } }';

async function failureOf(gateway: Gateway, document = summary ?? '') {
  const { status, data, errors } = await gateway.query(document);
  expect(status).toBe(200);
  expect(errors).toHaveLength(1);
  expect(data).toEqual({ [errors[0].path[0]]: null });
  return errors[0];
}

/** The address of a TCP server that does as it is told with every byte it gets. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
}

describe('a response that cannot be read', () => {
  const replies: readonly Reply[] = [
    { text: '<html>canary</html>', headers: { 'content-type': 'text/html' } },
    { text: '', headers: json },
    { text: '{"data":{}} canary', headers: json },
    { status: 204 },
    { json: null },
    { json: {} },
    { json: { data: null } },
    { text: '{"data":1e400}', headers: json },
    { json: { errors: [] } },
    { json: { canary: { user_id: 'x' } } },
  ];

  test.for(replies)('is a bad response: %j', async (reply, { gateway, upstream }) => {
    upstream.script(() => reply);
    for (const [document, operation] of [
      [summary, 'GET /charges_summary'],
      [list, 'GET /ip_connections'],
    ] as const) {
      const { message, extensions } = await failureOf(gateway, document);
      expect(extensions).toMatchObject({
        code: 'UPSTREAM_BAD_RESPONSE',
        retryable: false,
        upstream: { operation, status: reply.status ?? 200 },
      });
      expect(message).not.toContain('canary');
    }
    expect(upstream.requests).toHaveLength(2);
  });

  test('is a redirect, which is followed to no host, port or scheme', async ({ gateway, upstream }) => {
    let visits = 0;
    const other = createServer((socket) => {
      visits++;
      socket.destroy();
    });
    const origin = new URL(await listen(other)).origin;
    const places = [upstream.baseUrl, origin, origin.replace('//', '//user:secret@'), origin.replace('http:', '')];
    for (const place of [...places, origin.replace('http', 'https'), origin.replace('127.0.0.1', 'localhost')])
      for (const status of [300, 302, 304, 308]) {
        const url = `${place}/elsewhere`;
        upstream.script(() => ({ status, headers: { location: url, refresh: `0; url=${url}`, link: `<${url}>` } }));
        const { message, extensions } = await failureOf(gateway);
        expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false, upstream: { status } });
        expect(message).not.toContain('elsewhere');
        const headers = { authorization: 'Bearer test-key' };
        const report = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', { headers });
        expect([report.status, await report.text()]).toEqual([502, expect.not.stringContaining('elsewhere')]);
      }
    other.close();
    expect(visits).toBe(0);
    expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(
      new Set(['/charges_summary', '/charges_breakdown']),
    );
  });

  test('comes behind more informational ones than there may be', async ({ gateway, upstream }) => {
    const headers = { authorization: 'Bearer test-key' };
    for (const more of [0, 1]) {
      upstream.script(({ path }) => ({
        act(res) {
          for (let sent = 0; sent < interimResponses + more; sent++) res.writeProcessing();
          res.writeHead(200, { 'content-type': path === '/charges_breakdown' ? 'text/csv' : 'application/json' });
          res.end(path === '/charges_breakdown' ? 'number\n' : '{"data":[],"meta":{"total_results":0}}');
        },
      }));
      const { data, errors } = await gateway.query(list);
      const report = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', { headers });
      const codes = errors.map(({ extensions }) => extensions.code);
      expect([data.ipConnections?.totalCount, codes, report.status]).toEqual(
        more === 0 ? [0, [], 200] : [undefined, ['UPSTREAM_BAD_RESPONSE'], 502],
      );
    }
  });

  test('is not HTTP at all', async () => {
    const server = createServer((socket) => socket.end('220 canary SMTP\r\n'));
    const gateway = await startGateway(await listen(server));
    const { message, extensions } = await failureOf(gateway);
    await gateway.close();
    server.close();
    expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
    expect(message).not.toContain('canary');
  });
});

test.for(['text', null, { total_results: '12', page_size: 'x' }, { total_results: -1, page_size: 0 }])(
  'a meta of %j is worth nothing, and costs nothing',
  async (meta, { gateway, upstream }) => {
    upstream.script(() => ({ json: { data: [{ id: 'a' }], meta } }));
    const { data, errors } = await gateway.query(list);
    expect(errors).toEqual([]);
    expect(data).toEqual({ ipConnections: { totalCount: 1, nodes: [{ id: 'a' }] } });
  },
);

const half = '{"data":{"user_id":"canary","start_';

test.for<[string, Reply['act']]>([
  [
    'before its length is reached',
    (res) => res.writeHead(200, { ...json, 'content-length': 1000 }).write(half, () => res.destroy()),
  ],
  ['before its last chunk', (res) => res.writeHead(200, json).write(half, () => res.destroy())],
  ['in an error body', (res) => res.writeHead(500, json).write('{"errors":[{"title":"canary', () => res.destroy())],
  ['before it begins', (res) => res.destroy()],
  ['by a reset', (res) => void res.socket?.resetAndDestroy()],
])('a response that breaks off %s means the upstream is unavailable', async ([, act], { gateway, upstream }) => {
  if (act !== undefined) upstream.script(() => ({ act }));
  for (const document of [summary, list]) {
    const { message, extensions } = await failureOf(gateway, document);
    expect(extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    expect(Object.keys(extensions.upstream)).toEqual(['operation']);
    expect(message).not.toMatch(/canary|127\.0\.0\.1|socket|ECONN/i);
  }
});

test.for([
  // No test listens there; a port that has been free a moment ago may be another's by now.
  ['http://127.0.0.1:9/v2', 'ECONNREFUSED'],
  ['http://no-such-host.invalid/v2', '(?:ENOTFOUND|EAI_AGAIN)'],
])('an upstream at %s is unavailable, and the log says why', async ([url = '', cause = '']) => {
  const gateway = await startGateway(url);
  const { message, extensions } = await failureOf(gateway);
  await gateway.close();
  expect(extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
  expect(extensions.upstream).toEqual({ operation: 'GET /charges_summary' });
  expect(message).not.toMatch(/127\.0\.0\.1|no-such-host|E[A-Z]{3}|\d{4}/);
  expect(gateway.log.join('')).toMatch(new RegExp(`"cause":"${cause}"`));
});

// What becomes of the message: fields/error.test.ts.
test.for<[said: object, told: object]>([
  [{}, {}],
  [{ code: 10015 }, { code: '10015' }],
  [{ title: '', detail: null, code: true }, {}],
  [
    { source: { parameter: 'end_date', pointer: '/end_date' } },
    { source: { parameter: 'end_date', pointer: '/end_date' } },
  ],
  [{ source: {} }, {}],
  [{ meta: { url: 'https://docs.example.com', other: 'x' } }, { meta: { url: 'https://docs.example.com' } }],
  [{ meta: { other: 'x' } }, {}],
])('of an error of the API %j no more than %j is told', async ([said, told], { gateway, upstream }) => {
  upstream.script(() => ({ status: 400, json: { errors: [said] } }));
  const { extensions } = await failureOf(gateway);
  expect(extensions.upstream).toEqual({ operation: 'GET /charges_summary', status: 400, ...told });
});
