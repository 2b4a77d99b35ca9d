import { setImmediate as nextTick } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { hintPageSize, hintShare, hintsOneByOne, pagesOfHint, rowsPerTick } from '../bounds.ts';
import { gatewayErrorsOf, type ErrorCode, type GatewayError } from '../errors.ts';
import { CallBudget } from '../paging/call-budget.ts';
import { ServedSizes } from '../paging/served-sizes.ts';
import type { Source } from '../paging/source.ts';
import type { Arguments } from '../upstream/arguments.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { Loaders } from './loaders.ts';
import { listSource } from './list-source.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { beyondScan, scanList, scanStill } from './scan.ts';

/** A row to be found. */
export interface WantedRow {
  readonly id: string;
  /** What the entity's `hintOf` said of the row when it was last seen; null where nothing is known. */
  readonly hint: string | null;
}

type Found<Row> = Row | null | Error;
/** By identifier: what has been found so far; null where there is no such row, undefined where that is not known yet. */
export type FoundRows<Row> = ReadonlyMap<string, Found<Row> | undefined>;
/** Resolves when each of the rows is among those that were found, or has failed. */
export type LookUp<Row> = (wanted: readonly WantedRow[]) => Promise<FoundRows<Row>>;

/** Takes note of rows that were read, and tells whether all that is wanted has been found. */
type Note<Row> = (rows: readonly (Row | null)[]) => boolean;

/** Where rows of one kind are looked for in one request, and the calls that all of it may take. */
interface Search<Row> {
  readonly entity: Entity<Row>;
  readonly loaders: Loaders;
  readonly budget: CallBudget;
  readonly served: ServedSizes;
}

/**
 * The look-up of one kind of row in one request: all that is asked for at once is found together, and all that is ever asked
 * for takes `scanPages` calls at most.
 */
export function createLookUp<Row>(
  entity: Entity<Row>,
  loaders: Loaders,
  { lookUp, scanPages }: LookUpOptions,
): LookUp<Row> {
  if (lookUp === 'retrieve') return batched((wanted) => retrieve(entity, wanted, loaders));
  const served = new ServedSizes(entity.list.pageLimit);
  const search = { entity, loaders, budget: new CallBudget(scanPages), served };
  return batched((wanted) => findAll(search, wanted));
}

/**
 * Searches for each row once. Lists are batched whole: a promise for each row would cost more than all else about it. Very
 * many rows are gathered in several ticks, so that others are served meanwhile.
 */
function batched<Row>(searchFor: (wanted: readonly WantedRow[]) => Promise<readonly Found<Row>[]>): LookUp<Row> {
  // Undefined where it is being searched for.
  const found = new Map<string, Found<Row> | undefined>();
  const searches = new Set<Promise<void>>();

  async function search(lists: readonly (readonly WantedRow[])[]): Promise<void> {
    const isLarge = lists.reduce((sum, { length }) => sum + length, 0) > rowsPerTick;
    if (isLarge) await nextTick();
    const wanted: WantedRow[] = [];
    let gathered = 0;
    for (const list of lists) {
      for (const row of list) {
        if (found.has(row.id)) continue;
        found.set(row.id, undefined);
        wanted.push(row);
      }
      gathered += list.length;
      if (gathered < rowsPerTick) continue;
      gathered = 0;
      await nextTick();
    }
    if (wanted.length === 0) return;
    const rows = await searchFor(wanted).catch((error: unknown) => wanted.map(() => asError(error)));
    for (const [index, { id }] of wanted.entries()) found.set(id, rows[index] ?? null);
  }

  const lists = new DataLoader<readonly WantedRow[], FoundRows<Row>>(
    async (batch) => {
      const current = search(batch);
      searches.add(current);
      await Promise.all(searches);
      searches.delete(current);
      return batch.map(() => found);
    },
    { cache: false },
  );
  return (wanted) => lists.load(wanted);
}

/** One call for each row, side by side (`UPSTREAM_LOOKUP=retrieve`). */
async function retrieve<Row>(
  entity: Entity<Row>,
  wanted: readonly WantedRow[],
  loaders: Loaders,
): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  return Promise.all(wanted.map(async ({ id }) => found.get(id) ?? (await retrieveOne(entity, id, loaders))));
}

async function retrieveOne<Row>(entity: Entity<Row>, id: string, loaders: Loaders): Promise<Found<Row>> {
  // No path segment can hold these; a URL would take them for another path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return null;
  try {
    return await loaders.load(entity.retrieve, { id });
  } catch (error) {
    return gatewayErrorsOf(error).every(isAbsence) ? null : asError(error);
  }
}

// Codes by which the upstream refuses what it was asked, and neither who asks nor itself.
const refusals: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'BAD_USER_INPUT', 'UNPROCESSABLE_ENTITY']);

/**
 * Whether an answer says that there is no such row: by a 404, or by refusing the identifier as none that a row can have. A refusal
 * that points nowhere may be about anything.
 */
function isAbsence({ code, argument, upstream }: GatewayError): boolean {
  if (!refusals.has(code)) return false;
  const isRefused = upstream?.status === 400 || upstream?.status === 422;
  return upstream?.status === 404 || (isRefused && argument?.[0] === 'id');
}

/** Over the list operation: in the pages that are here already, then by hint, then through the list until all are found. */
async function findAll<Row>(search: Search<Row>, wanted: readonly WantedRow[]): Promise<Found<Row>[]> {
  const { entity, loaders } = search;
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  const isMissing = ({ id }: WantedRow): boolean => !found.has(id);
  const note: Note<Row> = (rows) => {
    for (const [id, row] of indexOf(entity, rows)) found.set(id, row);
    return !wanted.some(isMissing);
  };
  const missingHints = (): readonly string[] => [
    ...new Set(wanted.filter(isMissing).flatMap(({ hint }) => (hint === null ? [] : [hint]))),
  ];
  await searchByHint(search, missingHints, note);
  const failure = wanted.some(isMissing) ? await searchAll(search, note) : null;
  return wanted.map(({ id }) => found.get(id) ?? failure);
}

function sourceOf<Row>(
  { entity, loaders, served }: Search<Row>,
  args: Arguments,
  budget: CallBudget,
): Source<Row | null> {
  return listSource(entity.list, args, loaders, { budget, served });
}

/** A hint may be out of date and its filter may fail: then the search through the list decides. */
async function searchByHint<Row>(
  search: Search<Row>,
  missingHints: () => readonly string[],
  note: Note<Row>,
): Promise<void> {
  const { limit } = search.budget;
  const budget = search.budget.part(Math.max(1, Math.floor(limit * hintShare)));
  const hints = missingHints();
  if (hints.length > hintsOneByOne && (await isSearchedTogether(search, hints, budget, note))) return;
  await Promise.allSettled(missingHints().map((hint) => searchOneHint(search, hint, budget, note)));
}

/** Looks through the part of the list that holds all hints; false where asking for them one by one takes fewer calls. */
async function isSearchedTogether<Row>(
  search: Search<Row>,
  hints: readonly string[],
  single: CallBudget,
  note: Note<Row>,
): Promise<boolean> {
  const { entity, budget, served } = search;
  const args = entity.narrow(hints);
  if (args === null) return true;
  try {
    // One page tells how long that part is, and is not asked for again.
    const { outcome, total } = await scanList(sourceOf(search, args, budget.part(1)), { visit: note });
    if (outcome !== 'exhausted') return true;
    const pages = total === null ? Infinity : Math.ceil(total / served.range.most);
    if (hints.length < pages && hints.length <= single.left) return false;
    // Where the calls are too few for this part of the list, they may do for what is wanted at the head of all of it.
    if (pages <= budget.left + 1) await scanList(sourceOf(search, args, budget), { visit: note });
  } catch {
    // As where the hints are of no use.
  }
  return true;
}

async function searchOneHint<Row>(
  search: Search<Row>,
  hint: string,
  budget: CallBudget,
  note: Note<Row>,
): Promise<void> {
  const { list, narrow } = search.entity;
  const args = narrow([hint]);
  if (args === null) return;
  const page = { number: 1, size: hintPageSize, numberArgument: undefined, sizeArgument: undefined };
  const { rows, meta } = await search.loaders.load(list, args, page, { budget });
  const mayHoldMore = meta.totalResults === null ? rows.length === hintPageSize : meta.totalResults > rows.length;
  if (note(rows) || !mayHoldMore) return;
  await scanList(sourceOf(search, args, budget.part(pagesOfHint)), { visit: note });
}

/** Null where the rows still missing are known not to exist; else why that cannot be told. */
async function searchAll<Row>(search: Search<Row>, note: Note<Row>): Promise<Error | null> {
  const { entity, loaders, budget } = search;
  try {
    const scanned = await scanStill((how) => scanList(sourceOf(search, {}, budget), { visit: note, ...how }));
    return scanned.outcome === 'exhausted'
      ? beyondScan(entity.list, budget.limit, scanned.rows.length, scanned.total)
      : null;
  } catch (error) {
    // Of the pages that were asked for together, others may have come, and hold what is looked for.
    note(await loaders.rowsOf(entity.list));
    return asError(error);
  }
}

function indexOf<Row>({ list }: Entity<Row>, rows: readonly (Row | null)[]): Map<string, Row> {
  const index = new Map<string, Row>();
  for (const row of rows) {
    const id = row?.[list.idName];
    if (typeof id === 'string' && row !== null) index.set(id, row);
  }
  return index;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something was thrown that is no error.', { cause: error });
}
