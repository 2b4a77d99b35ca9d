import { expect, type Gateway, offFastPath, testOfFile as test } from '../../support/gateway.ts';
import { openSocket } from '../../support/graphql-socket.ts';
import { pageReply, refusal } from '../../support/scripted-upstream.ts';

const json = 'application/json';
const graphqlResponse = 'application/graphql-response+json';
const two = 'query A { __typename } query B { __typename }';
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

const query = (text: string, more: object = {}): string => JSON.stringify({ query: text, ...more });
const typename = (more: string): string => `{"query":"{__typename}",${more}}`;
const unnamed = 'OPERATION_RESOLUTION_FAILURE';

/** What is refused, by its code. */
const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BAD_REQUEST: {
    'a body that is no JSON': '{"query":',
    'an empty body': '',
    'a body that is null': 'null',
    'a batch': '[{"query":"{__typename}"}]',
    'a body without a query': '{"qeury":"{__typename}"}',
    'a query that is null': '{"query":null}',
    'an empty query': '{"query":"","variables":{}}',
    'a query that is an object': '{"query":{}}',
    'an operationName that is a number': typename('"operationName":0'),
    'variables that are a list': typename('"variables":[]'),
    'variables that are a number': typename('"variables":1e0'),
    'variables that are a text': typename('"variables":"x"'),
    'extensions that are a text': typename('"extensions":"{}"'),
    'a number that JSON does not have': typename('"variables":{"a":01}'),
  },
  GRAPHQL_PARSE_FAILED: { 'a query that cannot be parsed': query('{') },
  GRAPHQL_VALIDATION_FAILED: {
    'an unknown field': query('{nope}'),
    'a mutation': query('mutation { __typename }'),
    'a mutation in pieces': query('mutation { ... @defer { a } }'),
    'a mutation beside a query': query('query A { __typename } mutation B { a }', { operationName: 'B' }),
  },
  OPERATION_RESOLUTION_FAILURE: {
    'an unknown operation': query(two, { operationName: 'C' }),
    'an ambiguous operation': query(two),
    'an ambiguous operation with an empty name': query(two, { operationName: '' }),
    'a name for a document with none': query('{ __typename }', { operationName: 'A' }),
    'a document without an operation': query('fragment A on Query { __typename }'),
    'two operations in pieces': query('query A { ... @defer { __typename } } query B { __typename }'),
  },
  BAD_USER_INPUT: {
    'a variable that is missing': query(withVariable),
    'a variable that does not fit': query(withVariable, { variables: { first: 'x' } }),
  },
  QUERY_TOO_COMPLEX: {
    'a query that is nested too deeply': query('{a'.repeat(50_000) + '}'.repeat(50_000)),
    'a value that is nested too deeply': query(`{a(b:${'['.repeat(100_000)}${']'.repeat(100_000)})}`),
  },
};
const listed = Object.entries(cases).flatMap(([code, bodies]) =>
  Object.entries(bodies).map(([what, body]) => [what, body, code] as const),
);

test.for(listed)('refuses %s with a code', async ([, body, code], { gateway, upstream }) => {
  for (const [accept, status] of [
    [json, code === 'BAD_REQUEST' ? 400 : 200],
    [graphqlResponse, 400],
  ] as const) {
    const { response, text, answer } = await post(gateway, body, { accept });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    expect(Object.keys(answer)).toEqual(['errors']);
    expect(answer.errors).not.toEqual([]);
    for (const error of answer.errors) {
      // A limit is reported with its figures, unless the stack ended before.
      const { limit: _limit, actual: _actual, ...extensions } = error.extensions;
      expect(extensions).toEqual({ code, retryable: false, requestId: response.headers.get('x-request-id') });
    }
    expect(text).not.toMatch(/stack|node_modules|file:|\.ts\b|originalError/);
  }
  expect(upstream.requests).toEqual([]);
  expect(gateway.log.join('')).not.toContain('internal error');
});

test.for([
  ['', 'BAD_REQUEST'],
  ['query=', 'BAD_REQUEST'],
  ['qeury={__typename}', 'BAD_REQUEST'],
  ['query={__typename}&variables=[]', 'BAD_REQUEST'],
  ['query={__typename}&variables={"a":', 'BAD_REQUEST'],
  ['query={__typename}&extensions="x"', 'BAD_REQUEST'],
  ['query={__typename}&extensions={"a":', 'BAD_REQUEST'],
  ['query={', 'GRAPHQL_PARSE_FAILED'],
  [`query=${two}&operationName=`, unnamed],
  [`query=${two}&operationName=C`, unnamed],
] as const)('responds to GET ?%s as to a POST', async ([search, code], { gateway }) => {
  for (const [accept, status] of [
    [json, code === 'BAD_REQUEST' ? 400 : 200],
    [graphqlResponse, 400],
  ] as const) {
    const response = await gateway.fetch(`/graphql?${search}`, { headers: { accept } });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code, retryable: false } }] });
  }
  expect(gateway.log.join('')).not.toContain('internal error');
});

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
    for (const body of [
      { query: asked, ...more, ...('extensions' in more ? {} : beside) },
      { ...more, query: asked },
    ])
      for (const accept of [json, graphqlResponse]) {
        const { response, answer } = await post(gateway, JSON.stringify(body), { accept });
        expect([response.status, answer]).toEqual([200, { data }]);
      }
  const texts = Object.entries(more).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const search = new URLSearchParams([
    ['query', asked],
    ...texts.filter(([, value]) => value !== 'null'),
  ] as string[][]);
  const got = await gateway.fetch(`/graphql?${search}`, { headers: { authorization: 'Bearer test-key' } });
  expect([got.status, await got.json()]).toEqual([200, { data }]);
  const socket = await openSocket(gateway);
  socket.subscribe('1', { query: asked, ...more });
  expect(await Promise.race([socket.next('1'), socket.closed])).toMatchObject({ payload: { data } });
  socket.ws.close();
});

test('an empty operationName, variables or extensions in a URL are none', async ({ gateway }) => {
  for (const more of ['', '&operationName=', '&variables=', '&extensions=', '&variables=null&extensions=null']) {
    const response = await gateway.fetch(`/graphql?query=query A { a: __typename }${more}`);
    expect([response.status, await response.json()]).toEqual([200, { data: { a: 'Query' } }]);
  }
});

test.for([
  'text/plain',
  'text/plain; a=application/json',
  'text/plain,application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/graphql',
  'application/graphql+json',
  'application/jsonp',
  'application/json, text/plain',
  'application/xml',
  '*/*',
  '',
])('refuses a body of type %j', async (contentType, { gateway }) => {
  for (const body of ['{"query":"{__typename}"}', 'query={__typename}', '{__typename}']) {
    const { response, answer } = await post(gateway, body, { 'content-type': contentType });
    expect(response.status).toBe(415);
    expect(Object.keys(answer)).toEqual(['errors']);
    expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) } }]);
  }
});

test.for([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'APPLICATION/JSON ; CHARSET="utf-8"',
  'application/json; charset=utf8',
  'application/json; a="b;charset=latin1"; charset=utf-8',
  'application/json;',
  `application/json${';a=b'.repeat(3_000)}`,
])('accepts a body of type %.60j', async (contentType, { gateway }) => {
  for (const extensions of [offFastPath, {}]) {
    const body = JSON.stringify({ query: '{__typename}', extensions });
    const { answer } = await post(gateway, body, { 'content-type': contentType });
    expect(answer).toEqual({ data: { __typename: 'Query' } });
  }
});

const named = '{"query":"{ missions { totalCount } }"}';
const whileKnown = async (gateway: Gateway): Promise<void> => {
  for (let count = 0; count < 2; count++) await post(gateway, named, { authorization: 'none' });
};

test.for<[what: string, headers: Readonly<Record<string, string>>]>([
  ['in Latin-1', { 'content-type': 'application/json; charset=latin1' }],
  ['in UTF-16', { 'content-type': 'application/json;charset="UTF-16LE"' }],
  ['in ASCII', { 'content-type': 'Application/JSON; Charset=us-ascii' }],
  ['in a charset that nobody knows', { 'content-type': `application/json; charset=${'x'.repeat(10_000)}` }],
  ['that is compressed', { 'content-encoding': 'gzip' }],
  ['that is compressed twice', { 'content-encoding': 'identity, BR' }],
  ['that is compressed with zstd', { 'content-encoding': ' ZSTD ' }],
  ['in a coding that nobody knows', { 'content-encoding': 'aes128gcm' }],
])('refuses a body %s, and executes nothing of it', async ([, headers], { gateway, upstream }) => {
  await whileKnown(gateway);
  const { response, answer } = await post(gateway, named, headers);
  expect(response.status).toBe(415);
  expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) } }]);
  const accept = 'application/json;q=0, */*';
  const { response: other } = await post(gateway, named, { ...headers, accept });
  expect([other.status, other.headers.get('content-type')]).toEqual([415, `${graphqlResponse}; charset=utf-8`]);
  for (const { headers: told } of [response, other])
    expect(told.get('accept-encoding')).toBe('content-encoding' in headers ? 'identity' : null);
  expect(upstream.requests).toEqual([]);
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
        body: named,
      });
      expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    }
});

test('accepts a body behind a byte order mark, and one with Content-Encoding: identity', async ({ gateway }) => {
  for (const [body, headers] of [
    ['\uFEFF{"query":"{__typename}"}', {}],
    ['{"query":"{__typename}"}', { 'content-encoding': 'Identity' }],
    ['{"query":"{__typename}"}', { 'content-encoding': '' }],
  ] as const)
    for (let count = 0; count < 2; count++)
      expect((await post(gateway, body, headers)).answer).toEqual({ data: { __typename: 'Query' } });
});

test.for<[what: string, bytes: readonly number[]]>([
  ['Latin-1', [0xe9]],
  ['half a character', [0xe2, 0x82]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['too long a form', [0xc0, 0xaf]],
])('refuses a body with %s in it instead of reading it as something else', async ([, bytes], { gateway, upstream }) => {
  const text = (value: string): string =>
    JSON.stringify({
      query: 'query ($name: String!) { ipConnections(filter: { fqdn: $name }) { totalCount } }',
      variables: { name: value },
    });
  const [before = '', after = ''] = text('|').split('|');
  await post(gateway, text('known'), { authorization: 'none' });
  const { length: asked } = upstream.requests;
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': json, authorization: 'Bearer test-key' },
    body: Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expect(upstream.requests.length).toBe(asked);
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

test.for([
  'text/csv',
  'text/html',
  'image/*',
  'application/json; charset=latin1',
  'application/json;q=0',
  '*/*;q=0',
  'application/*;q=0.0, text/plain',
  'application/json;q=0, application/graphql-response+json;q=0, multipart/*;q=0, text/event-stream;q=0, */*',
  'json',
  ',',
  `application/${'x'.repeat(10_000)}`,
  'text/csv,'.repeat(1_500),
])('refuses Accept: %.60s without an upstream call', async (accept, { gateway, upstream }) => {
  await whileKnown(gateway);
  const { response, answer } = await post(gateway, named, { accept });
  expect(response.status).toBe(406);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) } }]);
  expect(upstream.requests).toEqual([]);
});

test.for([
  ['application/json;q=0.1, application/graphql-response+json;q=0.9', graphqlResponse],
  ['application/graphql-response+json;q=0.1, application/json;q=0.9', json],
  ['application/json;q=0, */*', graphqlResponse],
  ['application/graphql-response+json;q=0, application/*', json],
  ['APPLICATION/GraphQL-Response+JSON', graphqlResponse],
  ['*/*;q=0.1, Application/Graphql-Response+Json;q=0.2', graphqlResponse],
  ['application/json; charset="UTF-8"; q="0.3", text/html;q=0.2', json],
  ['application/json, text/html', json],
  ['text/html, application/json', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['text/html;q=0, application/json;q=0.001', json],
  ['application/json;q=', json],
  ['application/json;q=much', json],
  ['application/json;q=-1, application/graphql-response+json;q=1e-3', graphqlResponse],
  ['"unclosed, application/json', json, 406],
  ['text/event-stream;q=0.5, application/json;q=0.4', 'text/event-stream'],
  ['text/event-stream, application/json', json],
  ['text/event-stream;q=0, multipart/mixed;q=0.1', 'multipart/mixed'],
] as const)('answers %s as %s', async ([accept, type, status = 200], { gateway }) => {
  for (let count = 0; count < 2; count++) {
    const response = await gateway.fetch('/graphql?query={__typename}', { headers: { accept } });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
    await response.text();
  }
});

const mebibyte = 1_048_576;
const padded = (padding: string): string => JSON.stringify({ query: `{__typename} #${padding}` });
const bodyOf = (bytes: number): string => padded('x'.repeat(bytes - padded('').length));

test('accepts a body of one mebibyte and refuses one byte more', async ({ gateway }) => {
  const whole = await post(gateway, bodyOf(mebibyte));
  expect(whole.response.status).toBe(200);
  expect(whole.answer).toEqual({ data: { __typename: 'Query' } });
  const { response, answer } = await post(gateway, bodyOf(mebibyte + 1));
  expect(response.status).toBe(413);
  expect(answer.errors).toMatchObject([{ extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', retryable: false } }]);
});

test('refuses a body in chunks that grows beyond one mebibyte', async ({ gateway }) => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent > 2 * mebibyte) return controller.close();
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

test('executes the operation that operationName selects, in the requested media type', async ({ gateway }) => {
  const body = query('query A { a: __typename } query B { b: __typename }', { operationName: 'B' });
  for (const accept of [json, graphqlResponse]) {
    const { response, answer } = await post(gateway, body, { accept });
    expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    expect(answer).toEqual({ data: { b: 'Query' } });
  }
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
