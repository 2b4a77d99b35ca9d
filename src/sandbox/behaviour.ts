import { badParameter } from './errors.ts';
import { mapTexts } from './json.ts';
import type { PageMeta } from './page.ts';
import { publishedShapes } from './published-shape.ts';
import { value } from './query.ts';
import type { Query } from './query.ts';

/** What a list or a look-up answers. */
export type Body = { data: unknown; meta?: Partial<PageMeta> };

/** How the sandbox departs from its contract: by what it makes of a query, and of the answer to that. */
type Behaviour = {
  query?: (query: Query) => Query;
  id?: (id: string) => void;
  body?: (body: Body, asked: Query) => Body;
};

const SIZE = 'page[size]';
const CENTURY = 100;

const sizeOf = (query: Query): number => Number(value(query, SIZE) ?? 20);

const withSize = (query: Query, size: number): Query => {
  const changed = new URLSearchParams(query);
  changed.set(SIZE, String(size));
  return changed;
};

const clamped =
  (most: number) =>
  (query: Query): Query =>
    sizeOf(query) > most ? withSize(query, most) : query;

/** Claims that the page has the size that was asked for. */
const claimSize = (body: Body, asked: Query): Body => {
  const size = sizeOf(asked);
  if (body.meta === undefined || !Number.isInteger(size)) return body;
  return {
    ...body,
    meta: { ...body.meta, page_size: size, total_pages: Math.ceil((body.meta.total_results ?? 0) / size) },
  };
};

const without =
  (...names: readonly (keyof PageMeta)[]) =>
  (body: Body): Body => {
    if (body.meta === undefined) return body;
    const kept = Object.entries(body.meta).filter(([name]) => !names.some((other) => other === name));
    return { ...body, meta: Object.fromEntries(kept) };
  };

const withoutFilters = (query: Query): Query =>
  new URLSearchParams([...query].filter(([name]) => !name.startsWith('filter[')));

const TIMESTAMP = /^(\d{4})(-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))$/;

const shiftYears = (text: string, years: number): string =>
  text.replace(
    TIMESTAMP,
    (_all, year: string, rest: string) => `${String(Math.max(0, Number(year) + years)).padStart(4, '0')}${rest}`,
  );

/** All moments of rows lie a century later; what is asked about them is understood so. */
const FUTURE: Behaviour = {
  query: (query) => new URLSearchParams([...query].map(([name, text]) => [name, shiftYears(text, -CENTURY)])),
  body: (body) => ({ ...body, data: mapTexts(body.data, (text) => shiftYears(text, CENTURY)) }),
};

const WELL_FORMED_ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{19})$/i;

const refuseMalformed = (id: string): void => {
  if (!WELL_FORMED_ID.test(id)) throw badParameter('id', 'The identifier is not well-formed.');
};

/** By key. Several keys, joined by `+`, behave in all their ways. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'clamped-pages-key': { query: clamped(20) },
  'clamped-to-100-key': { query: clamped(100) },
  'cut-pages-key': { query: clamped(100), body: claimSize },
  'no-totals-key': { body: without('total_results', 'total_pages') },
  'pages-only-key': { body: without('total_results') },
  'future-rows-key': FUTURE,
  'ignored-filters-key': { query: withoutFilters },
  'published-shapes-key': { body: (body) => ({ ...body, data: publishedShapes(body.data) }) },
  'strict-ids-key': { id: refuseMalformed },
};

/** Answers a list or a look-up of one row the way the key wants it, by default as the contract has it. */
export const behaving = (key: string, id: string, query: Query, answer: (query: Query) => Body): Body => {
  const behaviours = key
    .split('+')
    .flatMap((name) => (Object.hasOwn(BEHAVIOURS, name) ? (BEHAVIOURS[name] ?? []) : []));
  for (const behaviour of behaviours) if (id !== '') behaviour.id?.(id);
  const understood = behaviours.reduce((changed, behaviour) => behaviour.query?.(changed) ?? changed, query);
  return behaviours.reduce((body, behaviour) => behaviour.body?.(body, query) ?? body, answer(understood));
};
