import { parseTimestamp, timestamp } from './clock.ts';
import { badParameter } from './errors.ts';

/** The query string of a request; the platform's parser reads brackets that are literal or percent-encoded. */
export type Query = URLSearchParams;

/** The last value of a parameter, or undefined when it is absent. */
export function value(query: Query, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/** A predicate on the text of a row: true for all texts when the parameter is absent. */
export type TextMatch = (text: string | null | undefined) => boolean;

function always(): boolean {
  return true;
}

/** Exact, case-sensitive match on a parameter. */
export function exactly(query: Query, name: string): TextMatch {
  const wanted = value(query, name);
  return wanted === undefined ? always : (text) => text === wanted;
}

/** Case-sensitive substring match on a parameter. */
export function containing(query: Query, name: string): TextMatch {
  const wanted = value(query, name);
  return wanted === undefined ? always : (text) => text?.includes(wanted) ?? false;
}

/** Substring match that ignores case; 400 when fewer than three characters are given (field notes, "Filters and sort"). */
export function containingAnyCase(query: Query, name: string): TextMatch {
  const wanted = value(query, name)?.toLowerCase();
  if (wanted === undefined) return always;
  if (Array.from(wanted).length < 3) throw badParameter(name, 'The value must have at least three characters.');
  return (text) => text?.toLowerCase().includes(wanted) ?? false;
}

function bound(query: Query, name: string, round: (micros: number) => number): string | undefined {
  const text = value(query, name);
  if (text === undefined) return undefined;
  const micros = parseTimestamp(text);
  if (micros === undefined) throw badParameter(name, 'The value must be an ISO 8601 date-time with a time zone.');
  return timestamp(round(micros));
}

/** Match of a timestamp against `name[gte]` and `name[lte]`, both included; a row without one matches no bound. */
export function between(query: Query, name: string): TextMatch {
  const from = bound(query, `${name}[gte]`, Math.ceil);
  const to = bound(query, `${name}[lte]`, Math.floor);
  if (from === undefined && to === undefined) return always;
  return (text) => typeof text === 'string' && (from ?? text) <= text && text <= (to ?? text);
}
