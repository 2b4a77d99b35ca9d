import { expect, type Gateway, offFastPath, testOfFile as test } from '../../support/gateway.ts';
import { openSocket } from '../../support/graphql-socket.ts';
import { pageReply, refusal } from '../../support/scripted-upstream.ts';

const json = 'application/json';
const graphqlResponse = 'application/graphql-response+json';
const withVariable = 'query ($first: Int!) { missions(first: $first) { totalCount } }';

async function post(gateway: Gateway, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': json, authorization: 'Bearer test-key', ...headers },
    body,
  });
  const text = await response.text();
  return { response, text, answer: JSON.parse(text) };
}

/** What means nothing here, and does not stop a query. */
const ignored: readonly object[] = [
  { operationName: '' },
  { operationName: null, variables: null, extensions: null },
  { onError: 'NULL' },
  { id: 'Q' },
  { doc_id: '1', documentId: `sha256:${'a'.repeat(64)}` },
  { documentId: 5, id: null, doc_id: {} },
  { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
  { extensions: { nothing: 12345678901234567890n.toString() }, query2: '{ nope }' },
  { constructor: 1, toString: 'x', hasOwnProperty: [], '': {} },
  JSON.parse('{"__proto__":{"query":"{ nope }","operationName":"A"}}') as object,
];

test.for(ignored)('runs a query beside %j, on every transport', async (more, { gateway, upstream }) => {
  upstream.script((request) => pageReply([1], request));
  const asked = 'query ($n: Int = 1) { missions(first: $n) { totalCount } }';
  const data = { missions: { totalCount: 1 } };
  for (const beside of [{}, { extensions: offFastPath }])
    expect((await post(gateway, JSON.stringify({ query: asked, ...beside, ...more }))).answer).toEqual({ data });
  const texts = Object.entries({ query: asked, ...more }).filter(([, value]) => value !== null);
  const search = new URLSearchParams(
    texts.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const got = await gateway.fetch(`/graphql?${search}`, { headers: { authorization: 'Bearer test-key' } });
  expect([got.status, await got.json()]).toEqual([200, { data }]);
  const socket = await openSocket(gateway);
  socket.subscribe('1', { query: asked, ...more });
  expect(await Promise.race([socket.next('1'), socket.closed])).toMatchObject({ payload: { data } });
  socket.ws.close();
});

test('says of a coded body that it takes none, on every endpoint that takes one', async ({ startWith }) => {
  const gateway = await startWith({ MCP: 'true' });
  for (const [path, method] of [
    ['/graphql', 'QUERY'],
    ['/mcp', 'POST'],
  ] as const)
    for (const coding of ['gzip', 'br', 'deflate', 'x-gzip, gzip']) {
      const response = await gateway.fetch(path, {
        method,
        headers: { 'content-type': json, 'content-encoding': coding },
        body: '{"query":"{ __typename }"}',
      });
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    }
});

test('refuses an Authorization header that is too long, and repeats nothing of it', async ({ gateway }) => {
  const secret = 'hush'.repeat(10_000);
  const response = await gateway.fetch('/graphql?query={__typename}', {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(response.status).toBe(431);
  expect(JSON.stringify([...response.headers]) + (await response.text()) + gateway.log.join('')).not.toContain('hush');
});

test('refuses a mutation in a URL, and reads no body of a GET', async ({ gateway }) => {
  const response = await gateway.fetch('/graphql?query=mutation{__typename}');
  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { requestId: expect.any(String) } }] });
});

test('refuses a body in chunks that grows beyond one mebibyte', async ({ gateway }) => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent > 2_097_152) return controller.close();
      sent += 65_536;
      return controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': json },
    body,
    duplex: 'half',
  } as RequestInit);
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_ENTITY_TOO_LARGE' } }] });
});

test('responds to a failed field with 200 and with data', async ({ gateway, upstream }) => {
  upstream.script(() => refusal(404, '10005', 'Not found'));
  const body = JSON.stringify({ query: '{ missions { totalCount } }' });
  for (const accept of [json, graphqlResponse]) {
    const { response, answer } = await post(gateway, body, { accept });
    expect(response.status).toBe(200);
    expect(answer).toMatchObject({ data: { missions: null }, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  }
});

test("repeats no part of the caller's key in what it says of a request", async ({ gateway }) => {
  const key = 'KEY_0123456789abcdef';
  const bodies = [
    { query: `{ ${key} }` },
    { query: `{ missions(${key}: 1) { totalCount } }` },
    { query: withVariable, variables: { first: key } },
    { query: `query ${key} { missions(first: -1) { totalCount } }` },
    { query: `{ __typename } ${key}` },
  ].map((body) => JSON.stringify(body));
  for (const body of [...bodies, `{"query":"${key}`]) {
    const { text, answer } = await post(gateway, body, { authorization: `Bearer ${key}` });
    expect(answer.errors).toHaveLength(1);
    expect(text).not.toContain(key);
  }
  expect(gateway.log.join('')).not.toContain(key);
});
