import { badParameter } from './errors.ts';
import { mapTexts } from './json.ts';
import type { PageMeta } from './page.ts';
import { publishedShapes } from './published-shape.ts';
import { value, type Query } from './query.ts';

/** The body of a list, or of one record. */
export interface RecordBody {
  readonly data: unknown;
  readonly meta?: Partial<PageMeta>;
}

/** How the sandbox departs from its contract: it changes the query, refuses an identifier, or changes the body. */
interface Behaviour {
  readonly query?: (query: Query) => Query;
  readonly id?: (id: string) => void;
  readonly body?: (body: RecordBody, asked: Query) => RecordBody;
}

const sizeParameter = 'page[size]';
const yearsPerCentury = 100;

function sizeOf(query: Query): number {
  return Number(value(query, sizeParameter) ?? 20);
}

function withSize(query: Query, size: number): Query {
  const changed = new URLSearchParams(query);
  changed.set(sizeParameter, String(size));
  return changed;
}

function clampedTo(most: number): (query: Query) => Query {
  return (query) => (sizeOf(query) > most ? withSize(query, most) : query);
}

/** Claims that the page has the size that was asked for. */
function claimSize(body: RecordBody, asked: Query): RecordBody {
  const size = sizeOf(asked);
  if (body.meta === undefined || !Number.isInteger(size)) return body;
  return {
    ...body,
    meta: { ...body.meta, page_size: size, total_pages: Math.ceil((body.meta.total_results ?? 0) / size) },
  };
}

function without(...names: readonly (keyof PageMeta)[]): (body: RecordBody) => RecordBody {
  return (body) => {
    if (body.meta === undefined) return body;
    const kept = Object.entries(body.meta).filter(([name]) => !names.some((other) => other === name));
    return { ...body, meta: Object.fromEntries(kept) };
  };
}

function withoutFilters(query: Query): Query {
  return new URLSearchParams([...query].filter(([name]) => !name.startsWith('filter[')));
}

const timestampPattern = /^(\d{4})(-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))$/;

function shiftYears(text: string, years: number): string {
  return text.replace(
    timestampPattern,
    (_all, year: string, rest: string) => `${String(Math.max(0, Number(year) + years)).padStart(4, '0')}${rest}`,
  );
}

/** All moments of rows lie a century later, and those of filters are read as such. */
const futureRows: Behaviour = {
  query: (query) => new URLSearchParams([...query].map(([name, text]) => [name, shiftYears(text, -yearsPerCentury)])),
  body: (body) => ({ ...body, data: mapTexts(body.data, (text) => shiftYears(text, yearsPerCentury)) }),
};

const wellFormedId = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{19})$/i;

function refuseMalformed(id: string): void {
  if (!wellFormedId.test(id)) throw badParameter('id', 'The identifier is not well-formed.');
}

/** A key that joins several of these by `+` has all their behaviours. */
const behaviourByKey: Readonly<Record<string, Behaviour>> = {
  'clamped-pages-key': { query: clampedTo(20) },
  'clamped-to-100-key': { query: clampedTo(100) },
  'cut-pages-key': { query: clampedTo(100), body: claimSize },
  'no-totals-key': { body: without('total_results', 'total_pages') },
  'pages-only-key': { body: without('total_results') },
  'future-rows-key': futureRows,
  'ignored-filters-key': { query: withoutFilters },
  'published-shapes-key': { body: (body) => ({ ...body, data: publishedShapes(body.data) }) },
  'strict-ids-key': { id: refuseMalformed },
};

/** The body of a list or of one record, changed as the key wants it; without such a key, as the contract has it. */
export function bodyForKey(key: string, id: string, query: Query, read: (query: Query) => RecordBody): RecordBody {
  const behaviours = behavioursOf(key);
  for (const behaviour of behaviours) if (id !== '') behaviour.id?.(id);
  const understood = behaviours.reduce((changed, behaviour) => behaviour.query?.(changed) ?? changed, query);
  return behaviours.reduce((body, behaviour) => behaviour.body?.(body, query) ?? body, read(understood));
}

function behavioursOf(key: string): readonly Behaviour[] {
  return key.split('+').flatMap((name) => (Object.hasOwn(behaviourByKey, name) ? (behaviourByKey[name] ?? []) : []));
}
