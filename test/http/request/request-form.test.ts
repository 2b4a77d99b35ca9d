import { expect, testOfFile as test, type Gateway } from '../../support/gateway.ts';
import { ask, type RawAnswer, type RawRequest } from '../../support/http.ts';
import { healthyReply } from '../../support/records.ts';
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts';

type Headers = Readonly<Record<string, string>>;
interface Served {
  readonly gateway: Gateway;
  readonly upstream: ScriptedUpstream;
}

const [json, graphqlResponse] = ['application/json', 'application/graphql-response+json'];
const [pieces, events] = ['multipart/mixed', 'text/event-stream'];
const good = '{ missions { totalCount nodes { id name metadata } } }';

/** A POST of a body with these headers; those that are given as `none` are left out. */
function send(body: string | Buffer, headers: Headers = {}): RawRequest {
  const own = { authorization: 'Bearer test-key', 'content-type': json };
  return {
    headers: Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== 'none')),
    body,
  };
}
const query = (text: string, headers: Headers = {}, more: object = {}): RawRequest =>
  send(JSON.stringify({ query: text, ...more }), headers);

function answerTo({ gateway, upstream }: Served, request: RawRequest): Promise<RawAnswer> {
  upstream.script(healthyReply);
  return ask(gateway.url, request);
}

/** Sends a request, and sees it refused with this status and code, before anything is called or executed. */
async function expectRefusal(served: Served, request: RawRequest, status: number, code: string): Promise<RawAnswer> {
  const answer = await answerTo(served, request);
  const { data, errors } = JSON.parse(answer.text);
  expect([answer.status, data, errors.length > 0, served.upstream.requests]).toEqual([status, undefined, true, []]);
  for (const error of errors) {
    // A limit is reported with its figures, unless the stack ended before.
    const { limit: _limit, actual: _actual, ...extensions } = error.extensions;
    expect(extensions).toEqual({ code, retryable: false, requestId: expect.any(String) });
    expect(JSON.stringify(error)).not.toMatch(/stack|node_modules|file:|\.ts\b|originalError/);
  }
  return answer;
}

// What is accepted, and the media type that is answered; null is none.
test.for<[accept: string, type: string | null]>([
  ['none', json],
  [graphqlResponse, graphqlResponse],
  ['*/*', json],
  ['application/json;q=0.1, application/graphql-response+json;q=0.9', graphqlResponse],
  ['application/graphql-response+json;q=0.1, application/json;q=0.9', json],
  ['application/json; charset="UTF-8"; q="0.3", text/html;q=0.2', json],
  [';;q=1,, application/json ; q="0.5"; a="b,c"', json],
  ['application/json;q=high', json],
  ['application/json, text/event-stream;q=2', json],
  ['application/json, multipart/mixed', json],
  ['multipart/mixed, application/json', json],
  ['multipart/mixed;incrementalSpec=v0.2, text/event-stream', events],
  ['multipart/mixed;incrementalSpec=v0.2', null],
  ['text/event-stream;q=0.5, application/json;q=0.4', events],
  [events, events],
  [pieces, pieces],
  ['', json],
  ['text/csv', null],
  ['application/json; charset=latin1', null],
  ['application/json;q=0, application/graphql-response+json;q=0, multipart/*;q=0, text/event-stream;q=0, */*', null],
  ['"unclosed, application/json', null],
  [',', null],
])('the response to Accept: %s is %s', async ([accept, type], { gateway, upstream }) => {
  const request = query(good, { accept });
  const { status, headers } =
    type === null
      ? await expectRefusal({ gateway, upstream }, request, 406, 'BAD_REQUEST')
      : await answerTo({ gateway, upstream }, request);
  expect(status).toBe(type === null ? 406 : 200);
  expect(headers.join('\n')).toContain(`content-type: ${type ?? json}`);
});

test.for([
  ['application/json; charset=utf-8', true],
  ['APPLICATION/Json ; Charset="Utf-8"', true],
  ['application/json; charset=utf8; a="b;charset=latin1"', true],
  ['application/json; charset=latin1', false],
  ['text/plain; a=application/json', false],
  ['application/x-www-form-urlencoded', false],
  ['', false],
  ['none', false],
] as const)('a body of type %s is read: %s', async ([type, isRead], { gateway, upstream }) => {
  const request = query('{ missions { totalCount } } # é', { 'content-type': type });
  if (isRead) expect((await answerTo({ gateway, upstream }, request)).status).toBe(200);
  else await expectRefusal({ gateway, upstream }, request, 415, 'BAD_REQUEST');
});

test.for(['gzip', 'identity, BR', ' ZSTD ', 'aes128gcm'])(
  'a body in %s is refused',
  async (coding, { gateway, upstream }) => {
    const { headers } = await expectRefusal(
      { gateway, upstream },
      query(good, { 'content-encoding': coding }),
      415,
      'BAD_REQUEST',
    );
    expect(headers).toContain('accept-encoding: identity');
  },
);

const two = 'query A { missions { totalCount } } query B { __typename }';
const withVariable = 'query ($n: Int!) { missions(first: $n) { totalCount } }';
const asked = (text: string, more: object = {}): string => JSON.stringify({ query: text, ...more });
const typename = (more: string): string => `{"query":"{__typename}"${more}}`;
const hash = '{"persistedQuery":{"version":1,"sha256Hash":"x"}}';
const inBody = (...bytes: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from('{"query":"{__typename} #'), Buffer.from(bytes), Buffer.from('"}')]);

/** Bodies that are refused, by their code. */
const refused: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  BAD_REQUEST: {
    'no body': '',
    'a batch': '[{"query":"{__typename}"}]',
    'a body without a query': '{"qeury":"{__typename}"}',
    'an empty query': '{"query":"","variables":{}}',
    'a query that is an object': '{"query":{}}',
    'an operationName that is a number': typename(',"operationName":0'),
    'variables that are a list': typename(',"variables":[]'),
    'extensions that are a text': typename(',"extensions":"{}"'),
    'a number that JSON does not have': typename(',"variables":{"a":01}'),
    'an object that nobody ends': '{"query":"{__typename}"',
    'Latin-1': inBody(0xe9),
    'half a character in UTF-8': inBody(0xe2, 0x82),
    'too long a form in UTF-8': inBody(0xc0, 0xaf),
  },
  GRAPHQL_PARSE_FAILED: {
    'a query that cannot be parsed': asked('{'),
    'a query of blanks': '{"query":"  "}',
    'half a character': '{"query":"{__typename} #\\ud800"}',
  },
  GRAPHQL_VALIDATION_FAILED: {
    'an unknown field': asked('{nope}'),
    'a mutation': asked('mutation { __typename }'),
    'a mutation beside a query': asked('query A { __typename } mutation B { a }', { operationName: 'B' }),
  },
  OPERATION_RESOLUTION_FAILURE: {
    'an unknown operation': asked(two, { operationName: 'C' }),
    'an ambiguous operation': asked(two),
    'a name for a document with none': asked('{ __typename }', { operationName: 'A' }),
    'two operations in pieces': asked('query A { ... @defer { __typename } } query B { __typename }'),
  },
  BAD_USER_INPUT: {
    'a variable that is missing': asked(withVariable),
    'a variable that does not fit': asked(withVariable, { variables: { n: 'x' } }),
  },
  QUERY_TOO_COMPLEX: {
    'a query that is nested too deeply': asked('{a'.repeat(50_000) + '}'.repeat(50_000)),
    'a value that is nested too deeply': asked(`{a(b:${'['.repeat(100_000)}${']'.repeat(100_000)})}`),
  },
};
const statusOf = (code: string, accept: string): number => (code === 'BAD_REQUEST' || accept !== json ? 400 : 200);
const byCode = <Sent>(all: Readonly<Record<string, Readonly<Record<string, Sent>>>>) =>
  Object.entries(all).flatMap(([code, each]) =>
    Object.entries(each).map(([name, sent]) => [name, code, sent] as const),
  );

test.for(byCode(refused))('%s is %s, in either media type', async ([, code, body], { gateway, upstream }) => {
  for (const accept of [json, graphqlResponse])
    await expectRefusal({ gateway, upstream }, send(body, { accept }), statusOf(code, accept), code);
});

test.for(
  Object.entries({
    'a query behind a byte order mark': '\uFEFF{"query":"{__typename}"}',
    'a query with one in it': '{"query":"\uFEFF{__typename}"}',
    'a query twice': '{"query":"{nope}","query":"{__typename}"}',
    'a query with blanks around': ' \n{ "query" : "{__typename}" }\t',
    'a member that nobody knows': typename(',"more":1'),
    'a member __proto__': typename(',"__proto__":{"query":"{nope}","variables":{}}'),
    'members that are null': typename(',"operationName":null,"variables":null,"extensions":null'),
    'an empty operationName': typename(',"operationName":""'),
    'an operation of two': asked(two, { operationName: 'B' }),
  }),
)('%s is answered', async ([, body], { gateway, upstream }) => {
  const { status, text } = await answerTo({ gateway, upstream }, send(body));
  expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
});

test.for([true, false])('a body has a mebibyte at most, its length told: %s', async (isTold, { gateway, upstream }) => {
  const sized = (bytes: number): RawRequest => ({ ...send(typename('').padEnd(bytes)), isChunked: !isTold });
  expect((await answerTo({ gateway, upstream }, sized(1_048_576))).status).toBe(200);
  await expectRefusal({ gateway, upstream }, sized(1_048_577), 413, 'REQUEST_ENTITY_TOO_LARGE');
});

const paged = `query Paged($n: Int, $name: String) {
  ipConnections(first: $n, filter: { connectionName: { contains: $name } }) { totalCount } }`;
const of = (document: string, more = ''): string => `query=${encodeURIComponent(document)}${more}`;
const get = (queryString: string, accept: string): RawRequest => ({
  method: 'GET',
  path: `/graphql?${queryString}`,
  headers: { authorization: 'Bearer test-key', accept },
});

test.for([
  of(paged),
  of(paged, '&variables={"n":2,"name":"a%20b%2Bc+d"}'),
  of(paged, '&variables=null&extensions=null'),
  of(paged, '&variables=&extensions='),
  of(paged, '&variables={"name":"\\ud800"}'),
  of(paged, '&variables={"name":"%EF%BF%BD"}'),
  of(paged, '&variables={"__proto__":{"n":1},"constructor":1}'),
  // Of several values the first counts.
  of(paged, '&variables={"n":1}&variables={"n":"x"}'),
  of(two, '&operationName=B&operationName=C'),
  of('query A { __typename }', '&operationName='),
  of(good, `&extensions=${hash}`),
  of(good, '&documentId=x'),
  of(good, '&utm_source=x&__proto__=x&constructor=y'),
  of('{ missions { totalCount } }').replaceAll('%20', '+'),
  'query={missions{totalCount}}',
])('GET ?%s is answered', async (queryString, { gateway, upstream }) => {
  expect((await answerTo({ gateway, upstream }, get(queryString, json))).status).toBe(200);
});

test.for([
  ['', 'BAD_REQUEST'],
  ['query=', 'BAD_REQUEST'],
  [of(paged, '&variables={"a":'), 'BAD_REQUEST'],
  [of(paged, '&variables={"name":"caf%E9"}'), 'BAD_REQUEST'],
  [of(good, '&extensions={"a":'), 'BAD_REQUEST'],
  [of(two, '&operationName=C'), 'OPERATION_RESOLUTION_FAILURE'],
  [of(paged, '&variables={"n":"x"}'), 'BAD_USER_INPUT'],
] as const)('GET ?%s is %s, in either media type', async ([queryString, code], { gateway, upstream }) => {
  for (const accept of [json, graphqlResponse])
    await expectRefusal({ gateway, upstream }, get(queryString, accept), statusOf(code, accept), code);
});
