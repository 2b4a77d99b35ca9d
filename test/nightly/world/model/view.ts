import { type JsonRecord, fieldNameOf } from '../../../support/records.ts';
import type { ListName, Row } from './account.ts';

/** What a list is asked for, in the words of the API: parameters without those of the page. */
export type Filter = Readonly<Record<string, string>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const spelled = (type: string): string => type.replaceAll('.', '_');

type Test = (record: JsonRecord, wanted: string, row: Row) => boolean;

const moments = (field: string, isRight: (moment: number, bound: number) => boolean): Test => {
  return (record, wanted) => isRight(microsOf(textOf(record[field])), microsOf(wanted));
};

/** Microseconds since 1970 of a timestamp: more than a double of milliseconds tells apart. */
function microsOf(text: string): number {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(text) ?? [];
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const tests: Readonly<Record<string, Test>> = {
  'filter[connection_name]': (record, wanted) => record['connection_name'] === wanted,
  'filter[connection_name][contains]': (record, wanted) =>
    textOf(record['connection_name']).toLowerCase().includes(wanted.toLowerCase()),
  'filter[status][eq]': (record, wanted) => record['status'] === wanted,
  'filter[event_type]': (record, wanted) =>
    wanted
      .split(',')
      .map(spelled)
      .includes(spelled(textOf((record['webhook'] as JsonRecord)['event_type']))),
  'filter[webhook][contains]': (record, wanted) => JSON.stringify(record['webhook']).includes(wanted),
  'filter[attempts][contains]': (record, wanted) => JSON.stringify(record['attempts']).includes(wanted),
  'filter[started_at][gte]': moments('started_at', (moment, bound) => moment >= bound),
  'filter[started_at][lte]': moments('started_at', (moment, bound) => moment <= bound),
  // The gateway's own filters.
  active: (record, wanted) => String(record['active']) === wanted,
  tag: (record, wanted) => ((record['tags'] ?? []) as readonly string[]).includes(wanted),
};

const sortValues: Readonly<Record<string, (row: Row) => string>> = {
  created_at: ({ moment }) => moment,
  connection_name: ({ record }) => textOf(record['connection_name']),
  active: ({ record }) => (record['active'] === true ? '1' : '0'),
};

/** The rows of a list, newest first, that pass a filter, in the order that `sort` asks for. */
export function viewOf(rows: readonly Row[], filter: Filter): readonly Row[] {
  const { sort, ...conditions } = filter;
  const wanted = Object.entries(conditions);
  const passing =
    wanted.length === 0
      ? rows
      : rows.filter((row) => wanted.every(([name, value]) => tests[name]?.(row.record, value, row) !== false));
  if (sort === undefined || sort === '-created_at') return passing;
  const direction = sort.startsWith('-') ? -1 : 1;
  const valueOf = sortValues[sort.replace('-', '')] ?? sortValues['created_at'];
  if (valueOf === undefined) return passing;
  return passing.toSorted((a, b) => compare(valueOf(a), valueOf(b)) * direction || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What each list is called where, and the most rows of its pages. */
export const wordsOf = {
  connections: {
    path: '/ip_connections',
    type: 'IpConnection',
    one: 'ipConnection',
    field: 'ipConnections',
    pageLimit: 250,
  },
  missions: { path: '/ai/missions', type: 'Mission', one: 'mission', field: 'missions', pageLimit: 1000 },
  deliveries: {
    path: '/webhook_deliveries',
    type: 'WebhookDelivery',
    one: 'webhookDelivery',
    field: 'webhookDeliveries',
    pageLimit: 250,
  },
} satisfies Record<ListName, unknown>;

const hidden = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key']);

/** A record as GraphQL shows it, by the public interface alone; no rule of the gateway is asked. */
export function shownOf(value: unknown, name = ''): unknown {
  if (name === 'payload' || name === 'metadata') return value;
  if (name === 'ip_authentication_token') return null;
  if (name === 'headers' && Array.isArray(value)) return value.map(headerOf);
  if (Array.isArray(value)) return value.map((each) => shownOf(each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [fieldNameOf(key), shownOf(member, key)]));
}

function headerOf(header: unknown): JsonRecord {
  const [name = '', value = ''] = Array.isArray(header) ? (header as string[]) : String(header).split(/:\s*/);
  return { name, value: hidden.has(name.toLowerCase()) ? '[redacted]' : value };
}

/** Whether rows of these forms may be shown so; else where the first differs, by path. */
export function misshownOf(value: unknown, forms: readonly Row[]): string | null {
  const differences = forms.map(({ record }) => differenceOf(value, shownOf(record)));
  return differences.includes(null) ? null : (differences[0] ?? 'was never there');
}

/** Where a shown value differs from the expected one, by path; null where everything that it shows is right. */
export function differenceOf(shown: unknown, expected: unknown, path = ''): string | null {
  if (Array.isArray(shown) && Array.isArray(expected) && shown.length !== expected.length)
    return `${path}: ${shown.length} items, not ${expected.length}`;
  if (isObject(shown) && isObject(expected)) {
    for (const [name, member] of Object.entries(shown)) {
      const difference = differenceOf(member, expected[name], `${path}.${name}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  return shown === expected ? null : `${path}: ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`;
}

function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}
