import { request } from 'node:http';
import { BreakingChangeType, buildSchema, findBreakingChanges } from 'graphql';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { expect, testOfFile as test } from '../../support/gateway.ts';
import { whenReady } from '../../support/process.ts';
import { stall, watched } from '../../support/scripted-upstream.ts';

test('responds to a query in the URL as to one in a body', async ({ gateway, upstream }) => {
  const query = 'query Name($yes: Boolean!) { __typename @include(if: $yes) }';
  const search = new URLSearchParams({ query, variables: '{"yes":true}', operationName: 'Name' });
  const inUrl = await gateway.fetch(`/graphql?${search}`);
  expect(inUrl.status).toBe(200);
  expect(inUrl.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await inUrl.json()).toEqual({ data: { __typename: 'Query' } });
  const inBody = await gateway.query(query, { variables: { yes: true }, key: null });
  expect(inBody.data).toEqual({ __typename: 'Query' });
  expect(upstream.requests).toEqual([]);
});

test('serves the executed schema with its descriptions', async ({ gateway }) => {
  const response = await gateway.fetch('/schema.graphql');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/graphql\b/);
  const served = buildSchema(await response.text());
  const executed = createSchema(readTypeDefs());
  expect(findBreakingChanges(served, executed)).toEqual([]);
  const fields = findBreakingChanges(executed, served).filter(({ type }) => type === BreakingChangeType.FIELD_REMOVED);
  expect(fields.map(({ description }) => description)).toEqual([
    'Query._entities was removed.',
    'Query._service was removed.',
  ]);
  expect(served.getQueryType()?.getFields()['ipConnections']?.description).toMatch(/\w/);
});

test('/health and /ready respond 200', async ({ gateway, upstream }) => {
  expect(await (await gateway.fetch('/health')).json()).toEqual({ status: 'ok' });
  await whenReady(gateway.url);
  expect(await (await gateway.fetch('/ready')).json()).toEqual({ status: 'ready' });
  expect(upstream.requests).toEqual([]);
});

test.for(['/graphql/', '/graphq', '/GRAPHQL', '/constructor', '/__proto__', '/%', '//', '/metrics/x'])(
  'does not know %s',
  async (path, { gateway }) => {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      errors: [
        { extensions: { code: 'NOT_FOUND', retryable: false, requestId: response.headers.get('x-request-id') } },
      ],
    });
  },
);

const endpoints = ['/schema.graphql', '/voyager', '/exports/charges-breakdown.csv', '/health', '/ready', '/metrics'];
const refused: readonly [method: string, path: string, allow: string][] = [
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, '/graphql', 'GET, POST, QUERY'] as const),
  ...endpoints.flatMap((path) =>
    ['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [method, path, 'GET, HEAD'] as const),
  ),
].map(([method, path, allow]) => [method, path, allow]);

test.for(refused)('refuses %s %s and says what it allows: %s', async ([method, path, allow], { gateway, upstream }) => {
  const response = await gateway.fetch(path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: expect.any(String), retryable: false, requestId: expect.any(String) } }],
  });
  expect(upstream.requests).toEqual([]);
});

test.for(['/graphql?query={__typename}', '/schema.graphql', '/voyager', '/health', '/ready', '/metrics', '/nothing'])(
  'answers HEAD %s like GET, without a body',
  async (path, { gateway }) => {
    const [get, head] = [await gateway.fetch(path), await bytesOfHead(gateway.url, path)];
    expect(head.status).toBe(get.status);
    expect(head.contentType).toBe(get.headers.get('content-type'));
    expect(head.bytesAfterHeaders).toBe(0);
  },
);

test('HEAD of an export begins the upstream call and ends it unread', async ({ gateway, upstream }) => {
  const { reply, left } = watched(stall('tn,cost\n', { headers: { 'content-type': 'text/csv' } }));
  upstream.script(() => reply);
  const response = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', {
    method: 'HEAD',
    headers: { authorization: 'Bearer test-key' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  await left;
  expect(upstream.requests).toHaveLength(1);
});

/** The bytes on the wire: fetch would hide a body that must not be there. */
async function bytesOfHead(url: string, path: string) {
  const answered = Promise.withResolvers<{
    status: number;
    contentType: string | undefined;
    bytesAfterHeaders: number;
  }>();
  const head = request(url + path, { method: 'HEAD', agent: false }, (res) => {
    let bytesAfterHeaders = 0;
    res.on('data', (chunk: Buffer) => (bytesAfterHeaders += chunk.length));
    res.on('end', () =>
      answered.resolve({ status: res.statusCode ?? 0, contentType: res.headers['content-type'], bytesAfterHeaders }),
    );
  });
  head.on('error', answered.reject).end();
  return answered.promise;
}
