import type { SeenRequest } from '../support/scripted-upstream.ts';

/** Why the value of a parameter is one that the contract does not have; null where it is sound. */
type Check = (value: string) => string | null;

const day = 86_400_000;
const longestDays = 31;
const longestText = 4_096;

const text: Check = (value) => (Buffer.byteLength(value) <= longestText ? null : 'a text beyond the limit');
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value) ? null : 'none of its values';
const count =
  (most: number): Check =>
  (value) =>
    /^[1-9]\d{0,8}$/.test(value) && Number(value) <= most ? null : `no number from 1 to ${most}`;
const date: Check = (value) =>
  /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toJSON()?.slice(0, 10) === value ? null : 'no calendar date';
const moment: Check = (value) => (/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) ? text(value) : 'no moment');

const mostPages = 999_999_999;
const page = (mostRows: number) => ({ 'page[number]': count(mostPages), 'page[size]': count(mostRows) });
const sorts = ['created_at', 'connection_name', 'active'].flatMap((name) => [name, `-${name}`]);

/** The parameters of every operation (contract, "Endpoints"), and the largest pages (field notes, "Pagination"). */
const operations: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  '/charges_summary': { start_date: date, end_date: date },
  '/charges_breakdown': { start_date: date, end_date: date, format: oneOf('json', 'csv') },
  '/ip_connections': {
    ...page(250),
    sort: oneOf(...sorts),
    'filter[connection_name]': text,
    'filter[connection_name][contains]': text,
    'filter[fqdn]': text,
    'filter[outbound_voice_profile_id]': text,
    'filter[outbound.outbound_voice_profile_id]': text,
  },
  '/ai/missions': page(1_000),
  '/webhook_deliveries': {
    ...page(250),
    'filter[status][eq]': text,
    'filter[event_type]': text,
    'filter[webhook][contains]': text,
    'filter[attempts][contains]': text,
    'filter[started_at][gte]': moment,
    'filter[started_at][lte]': moment,
    'filter[finished_at][gte]': moment,
    'filter[finished_at][lte]': moment,
  },
};

/** How a call of the API breaks its contract: another operation, a value that it does not have, or a range that holds nothing. */
export function faultOfCall({ path, query }: Pick<SeenRequest, 'path' | 'query'>): string | null {
  const parameters = Object.hasOwn(operations, path) ? operations[path] : undefined;
  if (parameters === undefined) return `there is no operation ${path}`;
  for (const [name, value] of Object.entries(query)) {
    const fault = Object.hasOwn(parameters, name) ? parameters[name]?.(value) : 'no parameter of the operation';
    if (fault != null) return `${path} has ${name}, which is ${fault}: ${value.slice(0, 100)}`;
  }
  return faultOfPeriod(query) ?? faultOfRange(query, 'started_at') ?? faultOfRange(query, 'finished_at');
}

function faultOfPeriod({ start_date: start, end_date: end }: SeenRequest['query']): string | null {
  if (start === undefined || end === undefined) return null;
  const days = (Date.parse(end) - Date.parse(start)) / day;
  return days > 0 && days <= longestDays ? null : `a period has ${days} days: ${start} to ${end}`;
}

function faultOfRange(query: SeenRequest['query'], name: string): string | null {
  const [from = '', to = ''] = ['gte', 'lte'].map((end) => query[`filter[${name}][${end}]`]);
  // Only the API knows the zone of a moment without one.
  const doubt = hasZone(from) === hasZone(to) ? 0 : day;
  // A moment that Date does not know, such as a leap second, is compared with nothing here.
  return momentOf(from) - momentOf(to) > doubt ? `a range is reversed: ${from} to ${to}` : null;
}

function hasZone(value: string): boolean {
  return /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(value.slice('2026-10-01'.length));
}

function momentOf(value: string): number {
  return Date.parse(hasZone(value) ? value : `${value}Z`);
}
