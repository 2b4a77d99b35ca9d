import type { Script } from '../../support/scripted-upstream.ts';
import { authorization, fails, good, isOdd, query, send, type ExchangeCase } from '../exchange-case.ts';
import type { RawRequest } from '../../support/raw-client.ts';

const accepts = [
  'none',
  '*/*',
  'application/*',
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json,application/json;q=0.9',
  'application/json, multipart/mixed',
  'multipart/mixed, application/json',
  'application/json;q=0.5, application/graphql-response+json;q=0.4',
  'application/graphql-response+json; charset=utf-8',
  'application/json, text/event-stream',
  'text/event-stream',
  'multipart/mixed',
  'text/html',
  'text/csv',
  'APPLICATION/JSON',
  'application/json;q=0.1, application/graphql-response+json;q=0.9',
  'application/json;q=0, */*;q=0.1',
  'application/json;q=0.2, text/event-stream',
  '*/*;q=0',
  ';;q=1,, application/json ; q="0.5"; a="b,c"',
  '',
];

const byAccept: readonly ExchangeCase[] = accepts.flatMap((accept) => {
  const of = (what: string, request: RawRequest, reply?: Script): ExchangeCase => ({
    name: `${what}, Accept ${accept}`,
    request,
    ...(reply !== undefined && { reply }),
  });
  return [
    of('a good query', query(good, {}, { accept })),
    of('a query with a bad value', query(good, {}, { accept }), isOdd),
    of('a query that fails', query(good, {}, { accept }), fails),
    of('an unknown field', query('{ nope }', {}, { accept })),
    of('no document', query('{', {}, { accept })),
    of('a variable that is missing', query('query ($n: Int!) { missions(first: $n) { totalCount } }', {}, { accept })),
    of('an unknown operation', query('query A { __typename }', { operationName: 'B' }, { accept })),
    of('no JSON', send('{"query":', { accept })),
  ];
});

const keys: readonly ExchangeCase[] = [
  'none',
  '',
  'Bearer',
  'Bearer ',
  'Bearer a b',
  'bearer test-key',
  'Basic eDp5',
].map((given) => ({ name: `Authorization ${given}`, request: query(good, {}, { authorization: given }) }));

const headers: readonly ExchangeCase[] = [
  ['X-Cost', '1'],
  ['X-Cost', 'true'],
  ['X-Cost', '1, 1'],
  ['X-Request-Id', ''],
  ['X-Request-Id', 'a b'],
  ['X-Request-Id', 'test-key'],
  ['X-Request-Id', 'x'.repeat(200)],
  ['Origin', 'https://app.example.com'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Content-Encoding', ''],
  ['Accept-Encoding', 'gzip, br'],
  ['If-None-Match', '*'],
  ['Cookie', 'a=b'],
  ['Expect', '100-continue'],
].flatMap(([name = '', value = '']) => [
  { name: `${name} ${value}`, request: query(good, {}, { [name]: value }) },
  { name: `${name} ${value}, with a bad value`, request: query(good, {}, { [name]: value }), reply: isOdd },
  { name: `${name} ${value}, with no JSON`, request: send('{', { [name]: value }) },
]);

const methods: readonly ExchangeCase[] = [
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'].flatMap((method) =>
    ['/graphql', `/graphql?query=${encodeURIComponent('{ missions { totalCount } }')}`].map((path) => ({
      name: `${method} ${path}`,
      request: { method, path, headers: { authorization, origin: 'https://app.example.com' } },
    })),
  ),
  ...['/graphql?', '/graphql?x=1', '/graphql/', '/graphql#x', '//graphql', '/graphql?query={__typename}'].map(
    (path) => ({
      name: `POST ${path}`,
      request: { ...query(good), path },
    }),
  ),
  { name: 'a good query in chunks', request: { ...query(good), isChunked: true } },
  { name: 'no JSON in chunks', request: { ...send('{"query":"{__type'), isChunked: true } },
];

/** Requests that differ in their method, path and headers. */
export const head: readonly ExchangeCase[] = [...byAccept, ...keys, ...headers, ...methods];
