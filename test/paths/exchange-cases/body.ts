import { fresh, query, send, type ExchangeCase } from '../exchange-case.ts';

const contentTypes = [
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

const bodies: readonly ExchangeCase[] = Object.entries({
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
  'a hash beside the query': '{"query":"{__typename}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  'a hash alone': '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  'an identifier alone': '{"documentId":"x"}',
  'an object that nobody ends': '{"query":"{__typename}"',
  'something behind the object': '{"query":"{__typename}"}x',
}).map(([name, body]) => ({ name, request: send(body) }));

const mebibyte = 1_048_576;
const sized = (bytes: number): string => {
  const body = JSON.stringify({ query: fresh('{ __typename }'), variables: { pad: '' } });
  return `${body.slice(0, -3)}${'x'.repeat(bytes - body.length)}${body.slice(-3)}`;
};
const sizes: readonly ExchangeCase[] = [mebibyte, mebibyte + 1].flatMap((bytes) => [
  { name: `a body of ${bytes} bytes`, request: send(sized(bytes)) },
  { name: `a body of ${bytes} bytes in chunks`, request: { ...send(sized(bytes)), isChunked: true } },
]);

/** Requests that differ in their bodies, and in the headers of these. */
export const body: readonly ExchangeCase[] = [...contentTypes, ...bodies, ...sizes];
