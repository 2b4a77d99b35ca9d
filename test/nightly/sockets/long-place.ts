import { hostile } from '../../limits/hostile.ts';

type Header = readonly [name: string, value: string];

/** A request to the letter, besides its key and the length of its body. */
interface Request {
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
}

/** A text of so many bytes as JSON, made of one unit or two. */
type Texture = (bytes: number) => string;

/** Makes a request of a text, so long that four times of it are still read. */
type Place = (text: Texture, scale: number) => Request;

const json: Header = ['content-type', 'application/json'];

const posted = (query: string, rest: object = {}, headers: readonly Header[] = []): Request => ({
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
  (count: number, write: (count: number) => Request): Place =>
  (_text, scale) =>
    write(count * scale);

const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

const nodeId = (type: string, index: number): string =>
  Buffer.from(JSON.stringify([type, `id-${index}`, null])).toString('base64url');
// As many as one field takes, in as many fields as cost no more than an operation may.
const mostNodeIds = 500;
const nodesFields = 36;

/** Fields of `nodes`, each with a list of its own. */
function nodesOf(count: number, idOf: (field: number, index: number) => string): Request {
  const variables = Array.from({ length: nodesFields }, (_, field) => [
    `v${field}`,
    Array.from({ length: count }, (_item, index) => idOf(field, index)),
  ]);
  const parameters = many(nodesFields, (field) => `$v${field}: [ID!]!`);
  const fields = many(nodesFields, (field) => `a${field}: nodes(nodeIds: $v${field}) { nodeId }`);
  return posted(`query (${parameters}) { ${fields} }`, { variables: Object.fromEntries(variables) });
}

/** Every place where a client's text may be long, or where there may be many of something. */
export const places: Readonly<Record<string, Place>> = {
  'a quoted variable': argument('Int', 'missions(first: $v) { totalCount }'),
  // graphql-js#1753: it would write the whole object into the error of each unknown member.
  'a text beside unknown members': (text, scale) =>
    posted('query ($v: WebhookDeliveryFilter) { webhookDeliveries(filter: $v) { totalCount } }', {
      variables: {
        v: {
          ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`unknown${at}`, 1])),
          connectionId: text(bodyLength * scale),
        },
      },
    }),
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
  ...Object.fromEntries(
    Object.entries({
      'the same nodeIds': (_field: number, index: number) => nodeId('Mission', index),
      'the same nodeIds of two types': (_field: number, index: number) =>
        nodeId(index % 2 ? 'Mission' : 'IpConnection', index),
      'the same bad nodeIds': () => 'bad',
      'different nodeIds': (field: number, index: number) => nodeId('Mission', field * mostNodeIds + index),
    }).map(([what, idOf]) => [`${what} in many fields`, counted(mostNodeIds / 4, (count) => nodesOf(count, idOf))]),
  ),
  'the same representations in many fields': counted(90, (count) =>
    posted(`query ($v: [_Any!]!) { ${many(50, (at) => `a${at}: _entities(representations: $v) { __typename }`)} }`, {
      variables: { v: Array.from({ length: count }, (_, id) => ({ __typename: 'Mission', id: String(id) })) },
    }),
  ),
  'fields of charges': counted(12, (count) =>
    posted(
      `{ ${many(count, (at) => `a${at}: chargesSummary(startDate: "2026-01-01", endDate: "2026-01-02") { currency }`)} }`,
    ),
  ),
  'event types in many fields': counted(9_000, (count) =>
    posted(
      `query ($v: [String!]) { ${many(39, (at) => `a${at}: webhookDeliveries(filter: { eventType: $v }) { totalCount }`)} }`,
      { variables: { v: Array(count).fill('e') } },
    ),
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
  'deep objects': counted(30_000, (count) => ({
    ...posted(''),
    body: Buffer.from(`{"query":"{ __typename }","variables":${'{"v":'.repeat(count)}1${'}'.repeat(count)}}`),
  })),
  'brackets and no JSON': counted(200_000, (count) => ({ ...posted(''), body: Buffer.from('['.repeat(count)) })),
  'different names in many objects': counted(4_900, (count) =>
    posted('{ __typename }', { variables: { v: Array.from({ length: count }, (_, at) => ({ [`a${at}`]: 1 })) } }),
  ),
  ...Object.fromEntries(
    Object.entries(hostile).map(([what, make]) => [what, counted(documentLength, (length) => posted(make(length)))]),
  ),
};

function printable(text: string): string {
  return text.replace(/[^\t -~\u0080-\u00FF]/g, '');
}
