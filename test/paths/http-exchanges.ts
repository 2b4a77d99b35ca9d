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

/** What may come of a request in each media type; the first are asked for in all of them. */
const results: readonly (readonly [what: string, request: (headers: Headers) => RawRequest, reply?: Script])[] = [
  ['a good query', (headers) => query(good, {}, headers)],
  ['a query with a bad value', (headers) => query(good, {}, headers), isOdd],
  ['an unknown field', (headers) => query('{ nope }', {}, headers)],
  ['no JSON', (headers) => send('{"query":', headers)],
  ['a query that fails', (headers) => query(good, {}, headers), fails],
  ['no document', (headers) => query('{', {}, headers)],
  [
    'a variable that is missing',
    (headers) => query('query ($n: Int!) { missions(first: $n) { totalCount } }', {}, headers),
  ],
  ['an unknown operation', (headers) => query('query A { __typename }', { operationName: 'B' }, headers)],
];
const plainTypes = ['none', 'application/json', 'application/graphql-response+json', '*/*'];
const otherTypes = [
  'application/*',
  'application/graphql-response+json,application/json;q=0.9',
  'application/json, multipart/mixed',
  'multipart/mixed, application/json',
  'application/json, text/event-stream',
  'text/event-stream',
  'multipart/mixed',
  'text/html',
  'text/csv',
  'application/json;q=0.1, application/graphql-response+json;q=0.9',
  'application/json;q=0, */*;q=0.1',
  '*/*;q=0',
  ';;q=1,, application/json ; q="0.5"; a="b,c"',
  '',
];
const byAccept: readonly Exchange[] = [...plainTypes, ...otherTypes].flatMap((accept) =>
  results
    .slice(0, plainTypes.includes(accept) ? results.length : 2)
    .map(([what, request, reply]) => ({ name: `${what}, Accept ${accept}`, request: request({ accept }), reply })),
);

const byHeader: readonly Exchange[] = [
  ...['none', '', 'Bearer', 'Bearer ', 'Bearer a b', 'bearer test-key', 'Basic eDp5'].map((key) => [
    'authorization',
    key,
  ]),
  ...['1', 'true', '1, 1'].map((value) => ['x-cost', value]),
  ...['', 'a b', 'test-key', 'x'.repeat(200)].map((value) => ['x-request-id', value]),
  ...origins.map((origin) => ['origin', origin]),
  ...['gzip', 'identity', ''].map((coding) => ['content-encoding', coding]),
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
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'].flatMap((method) =>
    ['/graphql', `/graphql?query=${encodeURIComponent('{ missions { totalCount } }')}`].map((path) => ({
      name: `${method} ${path}`,
      request: { method, path, headers: { authorization, origin: 'https://app.example.com' } },
    })),
  ),
  ...['/graphql?', '/graphql?x=1', '/graphql/', '/graphql#x', '//graphql', '/graphql?query={__typename}'].map(
    (path) => ({ name: `POST ${path}`, request: { ...query(good), path } }),
  ),
  { name: 'a good query in chunks', request: { ...query(good), isChunked: true } },
  { name: 'no JSON in chunks', request: { ...send('{"query":"{__type'), isChunked: true } },
];

const byContentType: readonly Exchange[] = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset=latin1',
  'application/json; charset=nope',
  'application/json;',
  'Application/JSON',
  'APPLICATION/Json ; Charset="Utf-8"',
  'application/json; charset=utf8; a="b;c"',
  'application/json; charset=utf-16',
  'application/json, text/plain',
  'application/graphql+json',
  'application/graphql',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '*/*',
  '',
  'none',
].map((type) => ({
  name: `a body of type ${type}`,
  request: query('{ missions { totalCount } } # é', {}, { 'content-type': type }),
}));

const hash = '{"persistedQuery":{"version":1,"sha256Hash":"x"}}';
const byBody: readonly Exchange[] = Object.entries({
  'no body': '',
  'a body of blanks': '  ',
  null: 'null',
  'a number': '1',
  'a text': '"{__typename}"',
  'a batch': '[{"query":"{__typename}"}]',
  'an empty list': '[]',
  'an empty object': '{}',
  'a query that is null': '{"query":null}',
  'a query that is empty': '{"query":""}',
  'a query that is a number': '{"query":1}',
  'a query of blanks': '{"query":"  "}',
  'a query behind a byte order mark': '\uFEFF{"query":"{__typename}"}',
  'a query with one in it': '{"query":"\uFEFF{__typename}"}',
  'a query twice': '{"query":"{nope}","query":"{__typename}"}',
  'a query with blanks around': ' \n{ "query" : "{__typename}" }\t',
  'a query that is no UTF-8': Buffer.from('{"query":"{__typename} #\xE9"}', 'latin1'),
  'half a character': '{"query":"{__typename} #\\ud800"}',
  'a member that nobody knows': '{"query":"{__typename}","more":1}',
  'a member __proto__': '{"query":"{__typename}","__proto__":{"variables":{}}}',
  extensions: '{"query":"{__typename}","extensions":{}}',
  'extensions that are null': '{"query":"{__typename}","extensions":null}',
  'extensions that are a text': '{"query":"{__typename}","extensions":"x"}',
  'a hash beside the query': `{"query":"{__typename}","extensions":${hash}}`,
  'a hash alone': `{"extensions":${hash}}`,
  'an identifier alone': '{"documentId":"x"}',
  'an object that nobody ends': '{"query":"{__typename}"',
  'something behind the object': '{"query":"{__typename}"}x',
}).map(([name, body]) => ({ name, request: send(body) }));

const mebibyte = 1_048_576;
const sized = (bytes: number): string => {
  const body = JSON.stringify({ query: fresh('{ __typename }'), variables: { pad: '' } });
  return `${body.slice(0, -3)}${'x'.repeat(bytes - body.length)}${body.slice(-3)}`;
};
const bySize: readonly Exchange[] = [mebibyte, mebibyte + 1].flatMap((bytes) => [
  { name: `a body of ${bytes} bytes`, request: send(sized(bytes)) },
  { name: `a body of ${bytes} bytes in chunks`, request: { ...send(sized(bytes)), isChunked: true } },
]);

/** A GET with this query string. */
const get = (queryString: string, headers: Headers = {}): RawRequest => ({
  method: 'GET',
  path: `/graphql?${queryString}`,
  headers: { authorization, ...headers },
});
const encoded = (text: string): string => encodeURIComponent(fresh(text));
const paged = `query Paged($n: Int, $name: String) {
  ipConnections(first: $n, filter: { connectionName: { contains: $name } }) { totalCount } }`;
const two = 'query A { missions { totalCount } } query B { __typename }';
const byUrl: readonly Exchange[] = Object.entries({
  'no variables': `query=${encoded(paged)}`,
  'empty variables': `query=${encoded(paged)}&variables=`,
  'good variables': `query=${encoded(paged)}&variables={"n":2,"name":"a%20b%2Bc+d"}`,
  'variables of nobody': `query=${encoded(paged)}&variables={"other":1}`,
  'bad variables': `query=${encoded(paged)}&variables={"n":"x"}`,
  'variables that are null': `query=${encoded(paged)}&variables=null`,
  'variables that are a list': `query=${encoded(paged)}&variables=[]`,
  'variables that are a text': `query=${encoded(paged)}&variables="x"`,
  'variables that are a number': `query=${encoded(paged)}&variables=1`,
  'variables that are no JSON': `query=${encoded(paged)}&variables={`,
  'variables behind a byte order mark': `query=${encoded(paged)}&variables=%EF%BB%BF{}`,
  'variables that are no UTF-8': `query=${encoded(paged)}&variables={"name":"%FF"}`,
  'variables with half an escape': `query=${encoded(paged)}&variables={"name":"%2"}`,
  'variables with a lone surrogate': `query=${encoded(paged)}&variables={"name":"\\ud800"}`,
  'variables with __proto__': `query=${encoded(paged)}&variables={"__proto__":{"n":1},"constructor":1}`,
  'variables twice': `query=${encoded(paged)}&variables={"n":1}&variables={"n":2}`,
  'bad variables behind good ones': `query=${encoded(paged)}&variables={"n":1}&variables={`,
  'variables in capitals': `query=${encoded(paged)}&Variables={"n":1}`,
  'an operation': `query=${encoded(two)}&operationName=B`,
  'an operation that is not there': `query=${encoded(two)}&operationName=C`,
  'an empty name for two operations': `query=${encoded(two)}&operationName=`,
  'two names': `operationName=A&operationName=B&query=${encoded(two)}`,
  'an empty query': 'query=',
  'an empty query before a good one': `query=&query=${encoded(good)}`,
  'a good query before another': `query=${encoded(good)}&query={nope}`,
  'a query and a hash': `query=${encoded(good)}&extensions=${hash}`,
  'a hash alone': `extensions=${hash}`,
  'extensions of a client': `query=${encoded(good)}&extensions={"clientLibrary":{"name":"x"}}`,
  'extensions that are a list': `query=${encoded(good)}&extensions=[]`,
  'extensions that are no JSON': `query=${encoded(good)}&extensions=x`,
  'an identifier beside a query': `query=${encoded(good)}&documentId=x`,
  'an identifier alone': 'documentId=x',
  'a parameter that nobody knows': `query=${encoded(good)}&utm_source=x`,
  'a parameter __proto__': `query=${encoded(good)}&__proto__=x&constructor=y`,
  'a query that is not valid': `query=${encoded('{ nope }')}`,
  'a query that cannot be parsed': `query=${encoded('{')}`,
  'a mutation': `query=${encoded('mutation { __typename }')}`,
  'a subscription': `query=${encoded('subscription { __typename }')}`,
  'a deferred part': `query=${encoded('{ ... @defer { __typename } }')}`,
  'plus signs for blanks': `query=${encoded('{ missions { totalCount } }').replaceAll('%20', '+')}`,
  'letters as they are': 'query={missions{totalCount}}',
}).map(([name, queryString]) => ({ name: `GET with ${name}`, request: get(queryString) }));

const headersOfUrls: readonly Headers[] = [
  { accept: 'text/html' },
  { accept: 'text/event-stream' },
  { accept: 'application/graphql-response+json, text/event-stream' },
  { accept: 'text/plain' },
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
  { 'accept-encoding': 'gzip' },
  { 'if-none-match': '*' },
  { 'last-event-id': 'x' },
  { 'x-cost': '1', 'x-explain': '1' },
  ...origins.map((origin) => ({ origin })),
  { authorization: '' },
];
const byUrlAndMore: readonly Exchange[] = [
  ...headersOfUrls.map((headers) => ({
    name: `GET with ${JSON.stringify(headers)}`,
    request: get(`query=${encoded(good)}`, headers),
  })),
  { name: 'GET with a body', request: { ...get(`query=${encoded(good)}`), body: '{"query":"{nope}"}' } },
  { name: 'GET of a busy upstream', request: get(`query=${encoded(good)}`), reply: fails },
  { name: 'GET of an odd upstream', request: get(`query=${encoded(good)}`), reply: isOdd },
  { name: 'HEAD with a query', request: { ...get(`query=${encoded(good)}`), method: 'HEAD' } },
  {
    name: 'POST with a query in the URL too',
    request: { ...query(good), path: `/graphql?query=${encoded('{ nope }')}` },
  },
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
  { query: '__PERSISTED_OPERATION_Missions__' },
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
