import type { RawRequest } from '../support/http.ts';
import type { Script } from '../support/scripted-upstream.ts';
import { post, send } from './every-path.ts';
import { fails, isOdd, type Exchange } from './exchange-case.ts';

type Headers = NonNullable<RawRequest['headers']>;

let documents = 0;
/** A document that no other exchange has, so that it is new to a gateway once. */
const fresh = (query: string): string => `${query} #${documents++}`;
/** A query of which nothing can go wrong but its values. */
const good = '{ missions { totalCount nodes { id name metadata } } }';
const query = (text: string, more: object = {}, headers: Headers = {}): RawRequest =>
  post({ query: fresh(text), ...more }, headers);
const authorization = 'Bearer test-key';
const origins = ['https://app.example.com', 'https://evil.example', 'null'];
const [json, graphqlResponse] = ['application/json', 'application/graphql-response+json'];
const [pieces, events, page] = ['multipart/mixed', 'text/event-stream', 'text/html'];

/** What may come of a request in each media type; the first are asked for in all of them. */
const results: readonly (readonly [what: string, request: (headers: Headers) => RawRequest, reply?: Script])[] = [
  ['a good query', (headers) => query(good, {}, headers)],
  ['a query with a bad value', (headers) => query(good, {}, headers), isOdd],
  ['an unknown field', (headers) => query('{ nope }', {}, headers)],
  ['no JSON', (headers) => send('{"query":', headers)],
  ['a query that fails', (headers) => query(good, {}, headers), fails],
];
/** What is accepted, and the media type that is answered; null is none: 406. */
const accepted: readonly (readonly [accept: string, type: string | null])[] = [
  ['none', json],
  [json, json],
  [graphqlResponse, graphqlResponse],
  ['*/*', json],
  ['application/json;q=0.1, application/graphql-response+json;q=0.9', graphqlResponse],
  ['application/graphql-response+json;q=0.1, application/json;q=0.9', json],
  ['application/json; charset="UTF-8"; q="0.3", text/html;q=0.2', json],
  [';;q=1,, application/json ; q="0.5"; a="b,c"', json],
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
  [`application/${'x'.repeat(10_000)}`, null],
  ['text/csv,'.repeat(1_500), null],
];
const byAccept: readonly Exchange[] = accepted.flatMap(([accept, type], index) =>
  results.slice(0, index < 4 ? results.length : 2).map(([what, request, reply], at) => ({
    name: `${what}, Accept ${accept.slice(0, 90)}`,
    request: request({ accept }),
    reply,
    ...(at === 0 && (type === null ? { status: 406, code: 'BAD_REQUEST' } : { status: 200, type })),
  })),
);

const byHeader: readonly Exchange[] = [
  ...['none', '', 'Bearer', 'Bearer ', 'Bearer a b', 'bearer test-key', 'Basic eDp5'].map((key) => [
    'authorization',
    key,
  ]),
  ...['1', 'true', '1, 1'].map((value) => ['x-cost', value]),
  ...['', 'a b', 'test-key', 'x'.repeat(200)].map((value) => ['x-request-id', value]),
  ...origins.map((origin) => ['origin', origin]),
  ...['identity', ''].map((coding) => ['content-encoding', coding]),
  ['accept-encoding', 'gzip, br'],
  ['if-none-match', '*'],
  ['cookie', 'a=b'],
  ['expect', '100-continue'],
].flatMap(([name = '', value = '']) => [
  { name: `${name} ${value}`, request: query(good, {}, { [name]: value }) },
  // What is not executed has the same headers, and nothing else of a key or a cost.
  ...(name === 'origin' || name === 'authorization'
    ? [{ name: `${name} ${value}, with no JSON`, request: send('{', { [name]: value }) }]
    : []),
]);

const byMethod: readonly Exchange[] = [
  ...['GET', 'HEAD', 'OPTIONS', 'PUT'].flatMap((method) =>
    ['/graphql', `/graphql?query=${encodeURIComponent('{ missions { totalCount } }')}`].map((path) => ({
      name: `${method} ${path}`,
      request: { method, path, headers: { authorization, origin: 'https://app.example.com' } },
    })),
  ),
  ...['/graphql?', '/graphql?x=1', '/graphql/', '/graphql#x', '//graphql', '/graphql?query={nope}'].map((path) => ({
    name: `POST ${path}`,
    request: { ...query(good), path },
  })),
  { name: 'a good query in chunks', request: { ...query(good), isChunked: true } },
  { name: 'no JSON in chunks', request: { ...send('{"query":"{__type'), isChunked: true } },
];

const refusedType = { status: 415, code: 'BAD_REQUEST' } as const;
const byContentType: readonly Exchange[] = [
  ...[
    json,
    'application/json; charset=utf-8',
    'APPLICATION/Json ; Charset="Utf-8"',
    'application/json; charset=utf8; a="b;charset=latin1"',
    `application/json${';a=b'.repeat(3_000)}`,
  ].map((type) => ({ type, expected: { status: 200 } })),
  ...[
    'application/json; charset=latin1',
    `application/json; charset=${'x'.repeat(10_000)}`,
    'text/plain; a=application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
    'none',
  ].map((type) => ({ type, expected: refusedType })),
].map(({ type, expected }) => ({
  name: `a body of type ${type.slice(0, 60)}`,
  request: query('{ missions { totalCount } } # é', {}, { 'content-type': type }),
  ...expected,
}));
const byCoding: readonly Exchange[] = ['gzip', 'identity, BR', ' ZSTD ', 'aes128gcm'].map((coding) => ({
  name: `a body in ${coding}`,
  request: query(good, {}, { 'content-encoding': coding }),
  ...refusedType,
}));

const two = 'query A { missions { totalCount } } query B { __typename }';
const withVariable = 'query ($n: Int!) { missions(first: $n) { totalCount } }';
const asked = (text: string, more: object = {}): string => JSON.stringify({ query: fresh(text), ...more });
const typename = (more: string): string => `{"query":"{__typename}"${more}}`;
const hash = '{"persistedQuery":{"version":1,"sha256Hash":"x"}}';
const inBody = (bytes: readonly number[]): Buffer =>
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
    'Latin-1': inBody([0xe9]),
    'half a character in UTF-8': inBody([0xe2, 0x82]),
    'too long a form in UTF-8': inBody([0xc0, 0xaf]),
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
  PERSISTED_QUERY_NOT_SUPPORTED: { 'a hash alone': `{"extensions":${hash}}`, 'an id alone': '{"documentId":"x"}' },
  QUERY_TOO_COMPLEX: {
    'a query that is nested too deeply': asked('{a'.repeat(50_000) + '}'.repeat(50_000)),
    'a value that is nested too deeply': asked(`{a(b:${'['.repeat(100_000)}${']'.repeat(100_000)})}`),
  },
};
const statusOf = (code: string, accept: string): number => (code === 'BAD_REQUEST' || accept !== json ? 400 : 200);
const byBody: readonly Exchange[] = [
  ...Object.entries(refused).flatMap(([code, bodies]) =>
    Object.entries(bodies).flatMap(([name, body]) =>
      [json, graphqlResponse].map((accept) => ({
        name: `${name}, Accept ${accept}`,
        request: send(body, { accept }),
        status: statusOf(code, accept),
        code,
      })),
    ),
  ),
  ...Object.entries({
    'a query behind a byte order mark': '\uFEFF{"query":"{__typename}"}',
    'a query with one in it': '{"query":"\uFEFF{__typename}"}',
    'a query twice': '{"query":"{nope}","query":"{__typename}"}',
    'a query with blanks around': ' \n{ "query" : "{__typename}" }\t',
    'a member that nobody knows': typename(',"more":1'),
    'a member __proto__': typename(',"__proto__":{"query":"{nope}","variables":{}}'),
    'members that are null': typename(',"operationName":null,"variables":null,"extensions":null'),
    'a hash beside the query': typename(`,"extensions":${hash}`),
    'an operation of two': JSON.stringify({ query: two, operationName: 'B' }),
  }).map(([name, body]) => ({ name, request: send(body), status: 200, data: '{"__typename":"Query"}' })),
];

const mebibyte = 1_048_576;
const sized = (bytes: number): string => {
  const body = JSON.stringify({ query: fresh('{ __typename }'), variables: { pad: '' } });
  return `${body.slice(0, -3)}${'x'.repeat(bytes - body.length)}${body.slice(-3)}`;
};
const bySize: readonly Exchange[] = [mebibyte, mebibyte + 1].flatMap((bytes) =>
  [false, true].map((isChunked) => ({
    name: `a body of ${bytes} bytes${isChunked ? ' in chunks' : ''}`,
    request: { ...send(sized(bytes)), isChunked },
    ...(bytes > mebibyte ? { status: 413, code: 'REQUEST_ENTITY_TOO_LARGE' } : { status: 200 }),
  })),
);

/** A GET with this query string. */
const get = (queryString: string, headers: Headers = {}): RawRequest => ({
  method: 'GET',
  path: `/graphql?${queryString}`,
  headers: { authorization, accept: json, ...headers },
});
const encoded = (text: string): string => encodeURIComponent(fresh(text));
const paged = `query Paged($n: Int, $name: String) {
  ipConnections(first: $n, filter: { connectionName: { contains: $name } }) { totalCount } }`;
const of = (document: string, more = ''): string => `query=${encoded(document)}${more}`;
/** Query strings: those that are executed, and those that are refused, by their code. */
const urls: Readonly<Record<string, readonly string[]>> = {
  '': [
    of(paged),
    of(paged, '&variables={"n":2,"name":"a%20b%2Bc+d"}'),
    of(paged, '&variables=null&extensions=null'),
    of(paged, '&variables={"name":"\\ud800"}'),
    of(paged, '&variables={"__proto__":{"n":1},"constructor":1}'),
    of(two, '&operationName=B'),
    of('query A { __typename }', '&operationName='),
    of(good, `&extensions=${hash}`),
    of(good, '&documentId=x'),
    of(good, '&utm_source=x&__proto__=x&constructor=y'),
    of('{ missions { totalCount } }').replaceAll('%20', '+'),
    'query={missions{totalCount}}',
  ],
  BAD_REQUEST: ['', 'query=', of(paged, '&variables=[]'), of(paged, '&variables={"a":'), of(good, '&extensions={"a":')],
  GRAPHQL_PARSE_FAILED: [of('{')],
  GRAPHQL_VALIDATION_FAILED: [of('{ nope }')],
  OPERATION_RESOLUTION_FAILURE: [of(two, '&operationName='), of(two, '&operationName=C')],
  BAD_USER_INPUT: [of(paged, '&variables={"n":"x"}')],
  PERSISTED_QUERY_NOT_SUPPORTED: [`extensions=${hash}`, 'documentId=x'],
};
// Whatever comes of them, it is the same on every path.
const otherUrls = [
  of(paged, '&variables=%EF%BB%BF{}'),
  of(paged, '&variables={"name":"%FF"}'),
  of(paged, '&variables={"name":"%2"}'),
  of(paged, '&variables={"n":1}&variables={"n":2}'),
  `operationName=A&operationName=B&${of(two)}`,
  `query=&${of(good)}`,
  of(good, '&query={nope}'),
  of('mutation { __typename }'),
  of('subscription { __typename }'),
  of('{ ... @defer { __typename } }'),
];
const byUrl: readonly Exchange[] = [
  ...Object.entries(urls).flatMap(([code, queryStrings]) =>
    queryStrings.flatMap((queryString) =>
      (code === '' ? [json] : [json, graphqlResponse]).map((accept) => ({
        name: `GET ?${queryString}, Accept ${accept}`,
        request: get(queryString, { accept }),
        ...(code === '' ? { status: 200 } : { status: statusOf(code, accept), code }),
      })),
    ),
  ),
  ...otherUrls.map((queryString) => ({ name: `GET ?${queryString}`, request: get(queryString) })),
];

const headersOfUrls: readonly Headers[] = [
  { accept: page },
  { accept: events },
  { accept: 'application/graphql-response+json, text/event-stream' },
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
  { 'accept-encoding': 'gzip' },
  { 'last-event-id': 'x' },
  { 'x-cost': '1', 'x-explain': '1' },
  ...origins.map((origin) => ({ origin })),
  { authorization: '' },
];
const byUrlAndMore: readonly Exchange[] = [
  ...headersOfUrls.map((headers) => ({
    name: `GET with ${JSON.stringify(headers)}`,
    request: get(of(good), headers),
  })),
  { name: 'GET with a body', request: { ...get(of(good)), body: '{"query":"{nope}"}' } },
  { name: 'GET of a busy upstream', request: get(of(good)), reply: fails },
  { name: 'GET of an odd upstream', request: get(of(good)), reply: isOdd },
  { name: 'HEAD with a query', request: { ...get(of(good)), method: 'HEAD' } },
];

/** Exchanges that a gateway with origins may answer differently from one without. */
export const ofOrigins: readonly Exchange[] = [
  ...byMethod,
  ...[...byHeader, ...byUrlAndMore].filter(({ request: { headers = {} } }) => 'origin' in headers),
];

/** Requests in every form, by header, method, body and URL. */
export const httpExchanges: readonly Exchange[] = [
  ...byAccept,
  ...byHeader,
  ...byMethod,
  ...byContentType,
  ...byCoding,
  ...byBody,
  ...bySize,
  ...byUrl,
  ...byUrlAndMore,
];

/** Requests that name documents of which a gateway knows one, `Missions`, by a manifest. */
export const persistedExchanges: readonly Exchange[] = [
  { documentId: 'Missions' },
  { id: 'Missions', variables: { n: 2 } },
  { doc_id: 'Missions', operationName: 'Missions' },
  { id: 'Missions', operationName: 'Nobody' },
  { id: 'nobody' },
  { id: 7 },
  { id: 'Missions', query: '{ __typename }' },
  { query: '{ missions { totalCount } }' },
  // A client cannot send the placeholder that Yoga's plugin puts in place of a document.
  { query: '__PERSISTED_OPERATION_Missions__', variables: { n: 2 } },
].flatMap((members: Readonly<Record<string, unknown>>) => {
  const texts = Object.entries(members).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const name = JSON.stringify(members);
  return [
    { name, request: post(members) },
    { name: `${name} by GET`, request: get(new URLSearchParams(Object.fromEntries(texts)).toString()) },
  ];
});
