import fc from 'fast-check';
import type { Reading } from '../hostile/connection.ts';
import { credential, goodCredential } from './key.ts';
import { plainOperation } from './plain-operation.ts';
import { anyOperation, requestBody, type Material } from './request-body.ts';
import { contentEncodings, contentTypes, requestHeaders } from './request-header.ts';
import { damagedText, hostileText, lineText } from './text.ts';
import { toolMessage } from './tool-message.ts';
import type { Dialect, Framing, Header, Sending, StrangerRequest } from './wire.ts';

const methods: readonly string[] = [
  ...Array<string>(12).fill('GET'),
  ...'HEAD PUT DELETE OPTIONS PATCH TRACE PROPFIND QUERY POST get'.split(' '),
  'A'.repeat(300),
];
const csv = '/exports/charges-breakdown.csv';
const paths =
  `/graphql / /schema.graphql /voyager /health /ready /metrics /mcp /docs/client-guide.md /docs/agents.md ${csv}
  /.well-known/x /.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/mcp`.split(/\s+/);
const beginnings = ['/', '//', 'http://elsewhere.invalid/graphql?', '/graphql/../', '/%2e%2e/', '*', ''];
const sendings: readonly Sending[] = ['whole', 'in halves', 'half', 'twice at once', 'many at once'];
const readings: readonly Reading[] = ['all', 'all', 'slowly', 'nothing', 'leaves', 'hangs up'];
const framings: readonly Framing[] = [
  ...Array<Framing>(20).fill('length'),
  'chunked',
  'too short',
  'too long',
  'both',
  'none',
];

const dialects: readonly Dialect[] = [
  'HTTP/1.0',
  'HTTP/2',
  'bare line feeds',
  'no host',
  'folded',
  'a space before colons',
  'a NUL',
];

type Manners = Pick<StrangerRequest, 'sending' | 'reading' | 'dialect'>;

/** Most are sent whole and read: others show less. */
const manners: fc.Arbitrary<Manners> = fc.oneof(
  { arbitrary: fc.constant<Manners>({ sending: 'whole', reading: 'all', dialect: 'HTTP/1.1' }), weight: 9 },
  {
    arbitrary: fc.record<Manners>({
      sending: fc.constantFrom(...sendings),
      reading: fc.constantFrom(...readings),
      dialect: fc.constant('HTTP/1.1'),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record<Manners>({
      sending: fc.constant('whole'),
      reading: fc.constant('all'),
      dialect: fc.constantFrom(...dialects),
    }),
    weight: 1,
  },
);

function posted(material: Material): fc.Arbitrary<StrangerRequest> {
  const encoding: fc.Arbitrary<readonly Header[]> = fc.oneof(
    { arbitrary: fc.constant([]), weight: 9 },
    {
      arbitrary: fc.constantFrom(...contentEncodings).map((value): readonly Header[] => [['content-encoding', value]]),
      weight: 1,
    },
  );
  return fc
    .record({
      who: credential,
      type: fc.constantFrom(...contentTypes),
      encoding,
      others: requestHeaders(material.handouts),
      body: requestBody(material),
      framing: fc.constantFrom(...framings),
      path: fc.constantFrom(...Array<string>(12).fill('/graphql'), ...paths),
      how: manners,
    })
    .map(({ who, type, encoding: packed, others, body, framing, path, how }) => {
      const headers: readonly Header[] = [['content-type', type], ...packed, ...others];
      return { ...who, method: 'POST', target: path, headers, body, framing, ...how };
    });
}

// A line that is longer is refused unread, most of the time.
const longestParameter = 6_000;
const graphqlParameters = ['query', 'variables', 'operationName', 'extensions', 'documentId', 'id', '__proto__'];

function target(material: Material): fc.Arbitrary<string> {
  const operation = anyOperation(material);
  const parameter = fc.oneof(
    fc.tuple(fc.constantFrom(...graphqlParameters), hostileText(longestParameter)),
    operation.map(({ query }) => ['query', query] as const),
    operation.map(({ variables }) => ['variables', JSON.stringify(variables)] as const),
    fc.tuple(fc.constantFrom('startDate', 'endDate', 'format'), fc.oneof(fc.constant('2026-10-01'), hostileText(500))),
  );
  const search = fc
    .array(parameter, { maxLength: 4 })
    .map((list) => list.map(([name, value]) => [name, value.slice(0, longestParameter)]))
    .map((list) => new URLSearchParams(list).toString());
  const good = fc.tuple(fc.constantFrom('/graphql', '/graphql', csv, ...paths), search).map((parts) => parts.join('?'));
  const odd = fc.tuple(fc.constantFrom(...beginnings), lineText(3_000)).map((parts) => parts.join('') || '/');
  const damaged = fc
    .constantFrom(...paths)
    .chain(damagedText)
    .map((path) => path.replace(/[^!-~]/g, '') || '*');
  return fc.oneof(
    { arbitrary: good, weight: 4 },
    { arbitrary: fc.constantFrom(...paths), weight: 2 },
    { arbitrary: damaged, weight: 1 },
    { arbitrary: odd, weight: 1 },
  );
}

function asked(material: Material): fc.Arbitrary<StrangerRequest> {
  return fc
    .record({
      who: credential,
      method: fc.constantFrom(...methods),
      path: target(material),
      headers: requestHeaders(material.handouts),
      how: manners,
    })
    .map(({ who, method, path, headers, how }) => ({
      ...who,
      method,
      target: path,
      headers,
      body: null,
      framing: 'none',
      ...how,
    }));
}

/** A message to the tool server. */
function messaged(material: Material): fc.Arbitrary<StrangerRequest> {
  return fc
    .record({
      who: credential,
      message: toolMessage(material),
      others: requestHeaders(material.handouts),
      how: manners,
    })
    .map(({ who, message: { body, headers }, others, how }) => ({
      ...who,
      method: 'POST',
      target: '/mcp',
      headers: [['content-type', 'application/json'], ...headers, ...others.filter(([name]) => name !== 'accept')],
      body,
      framing: 'length',
      ...how,
    }));
}

/** A sound request of a caller whom the API knows, with odd arguments. */
function argued({ schema, handouts }: Material): fc.Arbitrary<StrangerRequest> {
  return fc.tuple(plainOperation(schema, handouts), fc.constantFrom('/graphql', '/mcp')).map(([operation, path]) => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'run_query', arguments: operation },
    };
    return {
      ...goodCredential,
      method: 'POST',
      target: path,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(JSON.stringify(path === '/mcp' ? message : operation)),
      framing: 'length',
      sending: 'whole',
      reading: 'all',
      dialect: 'HTTP/1.1',
    };
  });
}

/** Anything that a stranger may send, and how it may be sent and read. */
export function strangerRequest(material: Material): fc.Arbitrary<StrangerRequest> {
  return fc.oneof(
    { arbitrary: posted(material), weight: 6 },
    { arbitrary: argued(material), weight: 2 },
    { arbitrary: asked(material), weight: 2 },
    { arbitrary: messaged(material), weight: 2 },
  );
}
