import { createServer } from 'node:net';
import { interimResponses } from '../../src/upstream/transport/transport.ts';
import { describe, downloadReport, expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { rootFields } from '../support/records.ts';
import { cutOff, hangUp, type Reply } from '../support/scripted-upstream.ts';
import { open, startBefore } from './loopback.ts';

const [summary] = rootFields.map(({ selection }) => `{ ${selection} }`);
const headers = { 'content-type': 'application/json' };
const list = '{ ipConnections { totalCount nodes { id } } }';

async function failureOf(gateway: Gateway, document = summary ?? '') {
  const { status, data, errors } = await gateway.query(document);
  expect(status).toBe(200);
  expect(errors).toHaveLength(1);
  expect(data).toEqual({ [errors[0].path[0]]: null });
  return errors[0];
}

describe('a response that cannot be read', () => {
  const replies: readonly Reply[] = [
    { text: '<html>canary</html>', headers: { 'content-type': 'text/html' } },
    { text: '', headers },
    { text: '{"data":{}} canary', headers },
    { status: 204 },
    { json: null },
    { json: {} },
    { json: { data: null } },
    { text: '{"data":1e400}', headers },
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
      const fault = { operation, status: reply.status ?? 200 };
      expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false, upstream: fault });
      expect(message).not.toContain('canary');
    }
    expect(upstream.requests).toHaveLength(2);
  });

  test('is a redirect, which is followed to no host, port or scheme', async ({ gateway, upstream }) => {
    const other = await open(createServer((socket) => socket.destroy()));
    const { origin } = other;
    const places = [upstream.baseUrl, origin, origin.replace('//', '//user:secret@'), origin.replace('http:', '')];
    for (const place of [...places, other.baseUrl('https'), origin.replace('127.0.0.1', 'localhost')])
      for (const status of [300, 302, 304, 308]) {
        const url = `${place}/elsewhere`;
        upstream.script(() => ({ status, headers: { location: url, refresh: `0; url=${url}`, link: `<${url}>` } }));
        const { message, extensions } = await failureOf(gateway);
        expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false, upstream: { status } });
        expect(message).not.toContain('elsewhere');
        const report = await downloadReport(gateway);
        expect([report.status, await report.text()]).toEqual([502, expect.not.stringContaining('elsewhere')]);
      }
    expect(other.connections).toEqual([]);
    const paths = new Set(upstream.requests.map(({ path }) => path));
    expect(paths).toEqual(new Set(['/charges_summary', '/charges_breakdown']));
  });

  test('comes behind more informational ones than there may be', async ({ gateway, upstream }) => {
    for (const more of [0, 1]) {
      upstream.script(({ path }) => ({
        act(res) {
          for (let sent = 0; sent < interimResponses + more; sent++) res.writeProcessing();
          res.writeHead(200, { 'content-type': path === '/charges_breakdown' ? 'text/csv' : 'application/json' });
          res.end(path === '/charges_breakdown' ? 'number\n' : '{"data":[],"meta":{"total_results":0}}');
        },
      }));
      const { data, errors } = await gateway.query(list);
      const codes = errors.map(({ extensions }) => extensions.code);
      expect([data.ipConnections?.totalCount, codes, (await downloadReport(gateway)).status]).toEqual(
        more === 0 ? [0, [], 200] : [undefined, ['UPSTREAM_BAD_RESPONSE'], 502],
      );
    }
  });
});

test.for(['text', null, { total_results: '1e1', page_size: 'x' }, { total_results: -1, page_size: 0 }])(
  'a meta of %j is worth nothing, and costs nothing',
  async (meta, { gateway, upstream }) => {
    upstream.script(() => ({ json: { data: [{ id: 'a' }], meta } }));
    const { data, errors } = await gateway.query(list);
    expect([data, errors]).toEqual([{ ipConnections: { totalCount: 1, nodes: [{ id: 'a' }] } }, []]);
  },
);

const half = '{"data":{"user_id":"canary","start_';

test.for<[string, Reply]>([
  ['before its length is reached', cutOff(half, { headers: { ...headers, 'content-length': '1000' } })],
  ['before its last chunk', cutOff(half, { headers })],
  ['in an error body', cutOff('{"errors":[{"title":"canary', { status: 500, headers })],
  ['before it begins', hangUp],
  ['by a reset', { act: (res) => void res.socket?.resetAndDestroy() }],
])('a response that breaks off %s means the upstream is unavailable', async ([, reply], { gateway, upstream }) => {
  upstream.script(() => reply);
  for (const document of [summary, list]) {
    const { message, extensions } = await failureOf(gateway, document);
    expect(extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
    expect(Object.keys(extensions.upstream)).toEqual(['operation']);
    expect(message).not.toMatch(/canary|127\.0\.0\.1|socket|ECONN/i);
  }
});

test('what is no HTTP is a bad response, and the log says why', async () => {
  const smtp = await open(createServer((socket) => socket.end('220 canary SMTP\r\n')));
  const gateway = await startBefore(smtp.baseUrl());
  const { message, extensions } = await failureOf(gateway);
  expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
  expect(message).not.toContain('canary');
  expect(gateway.log.join('')).toContain('"cause":"EPROTO"');
});

// What is told of one that can be used: fields/error.test.ts.
test('of an error of the API nothing is told that cannot be used', async ({ gateway, upstream }) => {
  const error = { title: '', detail: null, code: true, source: {}, meta: { other: 'x' } };
  upstream.script(() => ({ status: 400, json: { errors: [error] } }));
  const { extensions } = await failureOf(gateway);
  expect(extensions.upstream).toEqual({ operation: 'GET /charges_summary', status: 400 });
});
