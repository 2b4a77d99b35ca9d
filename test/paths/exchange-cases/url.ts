import { authorization, fails, fresh, good, isOdd, type ExchangeCase } from '../exchange-case.ts';

type Headers = Readonly<Record<string, string>>;

const caller: Headers = { authorization };

/** A GET with this query string. */
function get(queryString: string, headers: Headers = caller): ExchangeCase['request'] {
  return { method: 'GET', path: `/graphql?${queryString}`, headers };
}

const encoded = (text: string): string => encodeURIComponent(fresh(text));
const paged =
  'query Paged($n: Int, $name: String) { ipConnections(first: $n, filter: {connectionName: {contains: $name}}) { totalCount } }';

const variables: readonly ExchangeCase[] = Object.entries({
  'no variables': '',
  'empty variables': '&variables=',
  'good variables': '&variables={"n":2,"name":"a%20b%2Bc+d"}',
  'variables of nobody': '&variables={"other":1}',
  'bad variables': '&variables={"n":"x"}',
  'variables that are null': '&variables=null',
  'variables that are a list': '&variables=[]',
  'variables that are a text': '&variables="x"',
  'variables that are a number': '&variables=1',
  'variables that are no JSON': '&variables={',
  'variables behind a byte order mark': '&variables=%EF%BB%BF{}',
  'variables that are no UTF-8': '&variables={"name":"%FF"}',
  'variables with half an escape': '&variables={"name":"%2"}',
  'variables with a lone surrogate': '&variables={"name":"\\ud800"}',
  'variables with __proto__': '&variables={"__proto__":{"n":1},"constructor":1}',
  'variables twice': '&variables={"n":1}&variables={"n":2}',
  'bad variables behind good ones': '&variables={"n":1}&variables={',
  'variables in capitals': '&Variables={"n":1}',
}).map(([name, rest]) => ({ name: `GET with ${name}`, request: get(`query=${encoded(paged)}${rest}`) }));

const twoOperations = 'query A { missions { totalCount } } query B { __typename }';
const parameters: readonly ExchangeCase[] = Object.entries({
  'an operation': `query=${encoded(twoOperations)}&operationName=B`,
  'an operation that is not there': `query=${encoded(twoOperations)}&operationName=C`,
  'an empty name for two operations': `query=${encoded(twoOperations)}&operationName=`,
  'two names': `operationName=A&operationName=B&query=${encoded(twoOperations)}`,
  'an empty query': 'query=',
  'an empty query before a good one': `query=&query=${encoded(good)}`,
  'a good query before another': `query=${encoded(good)}&query={nope}`,
  'a query and a hash': `query=${encoded(good)}&extensions={"persistedQuery":{"version":1,"sha256Hash":"x"}}`,
  'a hash alone': 'extensions={"persistedQuery":{"version":1,"sha256Hash":"x"}}',
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

const heads: readonly ExchangeCase[] = [
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
  { origin: 'https://app.example.com' },
  { origin: 'https://evil.example' },
  { authorization: '' },
].map((headers: Headers) => ({
  name: `GET with ${JSON.stringify(headers)}`,
  request: get(`query=${encoded(good)}`, { ...caller, ...headers }),
}));

/** Requests that name their query in the URL. */
export const url: readonly ExchangeCase[] = [
  ...variables,
  ...parameters,
  ...heads,
  { name: 'GET with a body', request: { ...get(`query=${encoded(good)}`), body: '{"query":"{nope}"}' } },
  { name: 'GET of a busy upstream', request: get(`query=${encoded(good)}`), reply: fails },
  { name: 'GET of an odd upstream', request: get(`query=${encoded(good)}`), reply: isOdd },
  { name: 'HEAD with a query', request: { ...get(`query=${encoded(good)}`), method: 'HEAD' } },
  {
    name: 'POST with a query in the URL too',
    request: {
      ...get(`query=${encoded('{ nope }')}`),
      method: 'POST',
      headers: { ...caller, 'content-type': 'application/json' },
      body: JSON.stringify({ query: fresh(good) }),
    },
  },
];
