import { hostile } from '../limits/hostile.ts';
import type { Credential } from './key.ts';
import type { Header, StrangerRequest } from './wire.ts';

/** A text of so many bytes as JSON, made of one unit or two. */
export type Texture = (bytes: number) => string;

/** Makes a request of a text, so long that four times of it are still read. */
export type Place = (text: Texture, scale: number) => Pick<StrangerRequest, 'target' | 'headers' | 'body'>;

const json: Header = ['content-type', 'application/json'];

const posted = (query: string, rest: object = {}, headers: readonly Header[] = []): ReturnType<Place> => ({
  target: '/graphql',
  headers: [json, ...headers],
  body: Buffer.from(JSON.stringify({ query, ...rest })),
});

// In characters, for a scale of one: a quarter of what a body, a header or the line of a target may be.
const bodyLength = 230_000;
const headerLength = 3_000;
const documentLength = 7_500;

const header =
  (name: string): Place =>
  (text, scale) =>
    posted('{ missions { totalCount } }', {}, [[name, printable(text(headerLength * scale))]]);
const argument =
  (type: string, field: string): Place =>
  (text, scale) =>
    posted(`query ($v: ${type}) { ${field} }`, { variables: { v: text(bodyLength * scale) } });
const written =
  (write: (literal: string) => string): Place =>
  (text, scale) =>
    posted(write(JSON.stringify(text((bodyLength / 2) * scale))));
const counted =
  (count: number, write: (count: number) => ReturnType<Place>): Place =>
  (_text, scale) =>
    write(count * scale);

const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** Every place where a stranger's text may be long, or where there may be many of something. */
export const places: Readonly<Record<string, Place>> = {
  'a quoted variable': argument('Int', 'missions(first: $v) { totalCount }'),
  'a cursor': argument('String', 'missions(after: $v) { totalCount }'),
  'an id': argument('ID!', 'mission(id: $v) { id }'),
  'a nodeId': argument('ID!', 'node(nodeId: $v) { nodeId }'),
  'a date': argument('Date!', 'chargesSummary(startDate: $v, endDate: $v) { currency }'),
  'a moment': argument('DateTime', 'webhookDeliveries(filter: { startedAt: { gte: $v } }) { totalCount }'),
  'a filter': argument('String', 'ipConnections(filter: { fqdn: $v }) { totalCount }'),
  'a variable in fifty fields': argument(
    'String',
    many(50, (index) => `a${index}: ipConnections(filter: { fqdn: $v }) { totalCount }`),
  ),
  'a quoted literal': written((literal) => `{ missions(first: ${literal}) { totalCount } }`),
  'an argument in the document': written((literal) => `{ mission(id: ${literal}) { id } }`),
  'a comment': (text, scale) => posted(`{ __typename } # ${text(bodyLength * scale).replace(/[\r\n]/g, '')}`),
  'a document': (text, scale) => posted(text(bodyLength * scale)),
  'an operation name': (text, scale) => posted('query Q { __typename }', { operationName: text(bodyLength * scale) }),
  'an identifier of an operation': (text, scale) => ({
    ...posted(''),
    body: Buffer.from(JSON.stringify({ documentId: text(bodyLength * scale) })),
  }),
  'a body': (text, scale) => ({ ...posted(''), body: Buffer.from(text(bodyLength * scale)) }),
  'a query string': (text, scale) => ({
    target: `/graphql?query=${encodeURIComponent(text(headerLength * scale).toWellFormed()).slice(0, headerLength * scale)}`,
    headers: [],
    body: null,
  }),
  'a path': (text, scale) => ({
    target: `/${printable(text(headerLength * scale)).replace(/ /g, '')}`,
    headers: [],
    body: null,
  }),
  'the dates of an export': (text, scale) => ({
    target: `/exports/charges-breakdown.csv?startDate=${encodeURIComponent(text(headerLength * scale).toWellFormed()).slice(0, headerLength * scale)}`,
    headers: [],
    body: null,
  }),
  ...Object.fromEntries(
    ['x-request-id', 'last-event-id', 'accept', 'accept-encoding', 'cookie', 'origin', 'content-type', 'x-other'].map(
      (name) => [`the header ${name}`, header(name)],
    ),
  ),
  'many nodeIds': counted(120, (count) =>
    posted('query ($v: [ID!]!) { nodes(nodeIds: $v) { nodeId } }', { variables: { v: Array(count).fill('bad') } }),
  ),
  'many representations': counted(1_000, (count) =>
    posted('query ($v: [_Any!]!) { _entities(representations: $v) { __typename } }', {
      variables: { v: Array.from({ length: count }, (_, id) => ({ __typename: 'Mission', id: String(id) })) },
    }),
  ),
  'many event types': counted(5_000, (count) =>
    posted('query ($v: [String!]) { webhookDeliveries(filter: { eventType: $v }) { totalCount } }', {
      variables: { v: Array(count).fill('call_initiated') },
    }),
  ),
  'many fields of a filter': counted(5_000, (count) =>
    posted('query ($v: IpConnectionFilter) { ipConnections(filter: $v) { totalCount } }', {
      variables: { v: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at])) },
    }),
  ),
  'many wrong values': counted(5_000, (count) =>
    posted('query ($v: [String!]) { webhookDeliveries(filter: { eventType: $v }) { totalCount } }', {
      variables: { v: Array(count).fill(1) },
    }),
  ),
  'many variables': counted(5_000, (count) =>
    posted('{ __typename }', {
      variables: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at])),
    }),
  ),
  'many operations in a body': counted(5_000, (count) => ({
    ...posted(''),
    body: Buffer.from(JSON.stringify(Array.from({ length: count }, () => ({ query: '{a}' })))),
  })),
  'deep variables': counted(20_000, (count) => ({
    ...posted(''),
    body: Buffer.from(`{"query":"{ __typename }","variables":{"v":${'['.repeat(count)}${']'.repeat(count)}}}`),
  })),
  ...Object.fromEntries(
    Object.entries(hostile).map(([what, make]) => [what, counted(documentLength, (length) => posted(make(length)))]),
  ),
};

function printable(text: string): string {
  return text.replace(/[^\t -~\u0080-\u00FF]/g, '');
}

/** A request at a place, whole and read. */
export function requestAt(place: Place, text: Texture, scale: number, credential: Credential): StrangerRequest {
  const parts = place(text, scale);
  const isPosted = parts.body !== null;
  return {
    ...credential,
    ...parts,
    method: isPosted ? 'POST' : 'GET',
    framing: isPosted ? 'length' : 'none',
    sending: 'whole',
    reading: 'all',
    dialect: 'HTTP/1.1',
  };
}
