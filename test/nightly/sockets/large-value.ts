import * as records from '../../support/records.ts';

/** A kind of JSON value, of about so many bytes. */
export type Kind = (bytes: number) => string;

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))));
}

function list(item: string, bytes: number): string {
  return `[${repeated(`${item},`, bytes)}${item}]`;
}

function members(bytes: number, nameOf: (index: number) => string): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < bytes; index++) {
    const part = `"${nameOf(index)}":0`;
    length += part.length + 1;
    parts.push(part);
  }
  return `{${parts.join(',')}}`;
}

const levels = 900;

/** Kinds of values, each of which something in the way of a body might take long for. */
export const kinds: Readonly<Record<string, Kind>> = {
  exponents: (bytes) => list('1e5', bytes),
  'long integers': (bytes) => list('1234567890123456789', bytes),
  fractions: (bytes) => list('0.10', bytes),
  'negative zeros': (bytes) => list('-0', bytes),
  integers: (bytes) => list('7', bytes),
  'one number': (bytes) => `1${repeated('0', bytes)}`,
  'short texts': (bytes) => list('"abc"', bytes),
  'one text': (bytes) => `"${repeated('abcdefgh', bytes)}"`,
  'one text of other letters': (bytes) => `"${repeated('äöü語', bytes)}"`,
  escapes: (bytes) => `"${repeated('\\"\\n', bytes)}"`,
  'escaped letters': (bytes) => `"${repeated('\\u0041\\ud83d\\ude00', bytes)}"`,
  'deep lists': (bytes) => list(`${'['.repeat(levels)}${']'.repeat(levels)}`, bytes),
  'too deep lists': (bytes) => `${repeated('[', bytes / 2)}${repeated(']', bytes / 2)}`,
  'empty lists': (bytes) => list('[]', bytes),
  'empty objects': (bytes) => list('{}', bytes),
  'many members': (bytes) => members(bytes, (index) => `name${index}`),
  'members that are numbers': (bytes) => members(bytes, (index) => String((index * 7_919) % 10_000_019)),
  'a name that comes twice': (bytes) => members(bytes, (index) => `name${index % 1_000_000}`),
  'one name': (bytes) => `{"${repeated('name', bytes)}":1}`,
  blanks: (bytes) => `[${repeated(' \n', bytes)}1${' '.repeat(10)}]`,
  'blanks between': (bytes) => list(' { "a" : [ 1 , 2 ] } ', bytes),
};

const meta = '"meta":{"total_results":1,"total_pages":1,"page_number":1,"page_size":250}';

/** Puts a value into a record in place of a member. */
function within(record: object, name: string, value: string): string {
  const { [name]: _replaced, ...others } = record as Readonly<Record<string, unknown>>;
  return `{"${name}":${value},${JSON.stringify(others).slice(1)}`;
}

/** Where a value may stand in a response, and what asks for it. */
export interface Place {
  readonly path: string;
  readonly query: string;
  readonly status?: number;
  readonly contentType?: string;
  /** The body that has a value there. */
  readonly body: (value: string) => string;
}

const attempt = records.attemptRecord();
const oneOf = (row: string): string => `{${meta},"data":[${row}]}`;
const freeForm = (value: string): string => (value.startsWith('{') ? value : `{"value":${value}}`);
const month = 'startDate: "2026-10-01", endDate: "2026-10-31"';

export const places: Readonly<Record<string, Place>> = {
  metadata: {
    path: '/ai/missions',
    query: '{ missions(first: 250) { nodes { id metadata } } }',
    body: (value) => oneOf(within(records.missionRecord(), 'metadata', freeForm(value))),
  },
  'a text of a mission': {
    path: '/ai/missions',
    query: '{ missions(first: 250) { edges { cursor node { description } } } }',
    body: (value) => oneOf(within(records.missionRecord(), 'description', value)),
  },
  payload: {
    path: '/webhook_deliveries',
    query: '{ webhookDeliveries(first: 250) { nodes { id status webhook { payload } } } }',
    body: (value) =>
      oneOf(
        within(
          records.webhookDeliveryRecord(),
          'webhook',
          `{"id":"w","record_type":"event","payload":${freeForm(value)}}`,
        ),
      ),
  },
  attempts: {
    path: '/webhook_deliveries',
    query:
      '{ webhookDeliveries(first: 250) { nodes { attemptCount newestAttempt { status } attempts { status startedAt http { response { headers { name value } } } errors } } } }',
    body: (value) => oneOf(within(records.webhookDeliveryRecord(), 'attempts', value)),
  },
  'the body of a response': {
    path: '/webhook_deliveries',
    query: '{ webhookDeliveries(first: 250) { nodes { attempts { http { response { body } } } } } }',
    body: (value) =>
      oneOf(
        within(
          records.webhookDeliveryRecord(),
          'attempts',
          `[${within(attempt, 'http', `{"response":{"status":200,"body":${value}}}`)}]`,
        ),
      ),
  },
  'tags of a connection': {
    path: '/ip_connections',
    query: '{ ipConnections(first: 250) { nodes { id connectionName tags } } }',
    body: (value) => oneOf(within(records.ipConnectionRecord(), 'tags', value)),
  },
  'an unknown member': {
    path: '/ip_connections',
    query: '{ ipConnections(first: 250) { nodes { id connectionName } } }',
    body: (value) => oneOf(within(records.ipConnectionRecord(), 'unknown', value)),
  },
  'a record with more': {
    path: '/ip_connections',
    query: '{ ipConnections(first: 250) { nodes { id connectionName } } }',
    body: (value) => oneOf(`{"more":${value},${freeForm(value).slice(1, -1)},"id":"last"}`),
  },
  'services of a report': {
    path: '/charges_breakdown',
    query: `{ chargesBreakdown(${month}) { currency results(first: 50) { nodes { tn services { name cost } } } } }`,
    body: (value) => {
      const row = within(records.chargesBreakdownResultRecord(), 'services', value);
      return `{"data":${within(records.chargesBreakdownRecord(), 'results', `[${row}]`)}}`;
    },
  },
  'lines of a summary': {
    path: '/charges_summary',
    query: `{ chargesSummary(${month}) { currency summary { lines { __typename } adjustments { amount } } } }`,
    body: (value) =>
      `{"data":${within(records.chargesSummaryRecord(), 'summary', `{"lines":${value},"adjustments":[]}`)}}`,
  },
  'a report as CSV': {
    path: '/charges_breakdown',
    query: `{ chargesBreakdownCsv(${month}) { content } }`,
    contentType: 'text/csv',
    body: (value) => `name,${value}`,
  },
  'an error': {
    path: '/ip_connections',
    status: 400,
    query: '{ ipConnections(first: 250) { nodes { id } } }',
    body: (value) => `{"errors":[{"code":"10015","title":"Bad","detail":${value}}]}`,
  },
  'a list of errors': {
    path: '/ai/missions',
    status: 422,
    query: '{ missions(first: 250) { nodes { id } } }',
    body: (value) => `{"errors":${value}}`,
  },
  'a body that is cut': {
    path: '/ai/missions',
    query: '{ missions(first: 250) { nodes { id metadata } } }',
    body: (value) => oneOf(within(records.missionRecord(), 'metadata', freeForm(value))).slice(0, -4),
  },
};
