import DataLoader from 'dataloader';
import { GatewayError } from '../errors.ts';
import type { Entity } from '../upstream/operation.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { beyondScan, scanList } from './scan.ts';

/** A row to be found. */
export interface Wanted {
  readonly id: string;
  /** What the entity's `hintOf` said of the row when it was last seen; null where nothing is known. */
  readonly hint: string | null;
}

type Found<Row> = Row | null | Error;

// Up to this many rows are asked for one by one by their hints; for more, one search through a part of the list is less.
const mostHints = 4;
// Several rows may share a hint, such as a moment in time.
const hintPageSize = 10;

/** The look-up of one kind of row in one request: all that is asked for at once is found together. */
export function createLookUp<Row>(
  entity: Entity<Row>,
  loaders: Loaders,
  options: LookUpOptions,
): DataLoader<Wanted, Row | null, string> {
  const find = options.lookUp === 'retrieve' ? retrieve : search;
  return new DataLoader((wanted) => find(entity, wanted, loaders, options), { cacheKeyFn: ({ id }) => id });
}

/** One call for each row, side by side (`UPSTREAM_LOOKUP=retrieve`). */
async function retrieve<Row>(entity: Entity<Row>, wanted: readonly Wanted[], loaders: Loaders): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  return Promise.all(wanted.map(async ({ id }) => found.get(id) ?? (await retrieveOne(entity, id, loaders))));
}

async function retrieveOne<Row>(entity: Entity<Row>, id: string, loaders: Loaders): Promise<Found<Row>> {
  // No path segment can hold these; a URL would take them for another path.
  if (['', '.', '..'].includes(id)) return null;
  try {
    return await loaders.load(entity.retrieve, { id });
  } catch (error) {
    return error instanceof GatewayError && error.code === 'NOT_FOUND' ? null : asError(error);
  }
}

/** Over the list operation: in the pages that are here already, then by hint, then through the list until all are found. */
async function search<Row>(
  entity: Entity<Row>,
  wanted: readonly Wanted[],
  loaders: Loaders,
  { scanPages }: LookUpOptions,
): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  const isMissing = ({ id }: Wanted): boolean => !found.has(id);
  const note = (rows: readonly (Row | null)[]): boolean => {
    for (const [id, row] of indexOf(entity, rows)) found.set(id, row);
    return !wanted.some(isMissing);
  };
  await searchByHint(entity, wanted.filter(isMissing), loaders, scanPages, note);
  const failure = wanted.some(isMissing) ? await searchAll(entity, loaders, scanPages, note) : null;
  return wanted.map(({ id }) => found.get(id) ?? failure);
}

/** A hint may be out of date and its filter may fail: then the search through the list decides. */
async function searchByHint<Row>(
  entity: Entity<Row>,
  wanted: readonly Wanted[],
  loaders: Loaders,
  scanPages: number,
  note: (rows: readonly (Row | null)[]) => boolean,
): Promise<void> {
  const hints = new Set(wanted.flatMap(({ hint }) => (hint === null ? [] : [hint])));
  if (hints.size <= mostHints) {
    await Promise.allSettled([...hints].map((hint) => searchOneHint(entity, hint, loaders, note)));
    return;
  }
  const args = entity.narrow([...hints]);
  if (args !== null) await Promise.allSettled([scanList(entity.list, args, loaders, scanPages, note)]);
}

async function searchOneHint<Row>(
  entity: Entity<Row>,
  hint: string,
  loaders: Loaders,
  note: (rows: readonly (Row | null)[]) => boolean,
): Promise<void> {
  const args = entity.narrow([hint]);
  if (args === null) return;
  const page = { number: 1, size: hintPageSize, numberArgument: undefined, sizeArgument: undefined };
  note((await loaders.load(entity.list, args, page)).rows);
}

/** Null where the rows still missing are known not to exist; else why that cannot be told. */
async function searchAll<Row>(
  { list }: Entity<Row>,
  loaders: Loaders,
  scanPages: number,
  note: (rows: readonly (Row | null)[]) => boolean,
): Promise<Error | null> {
  try {
    let { outcome, total, hasMoved } = await scanList(list, {}, loaders, scanPages, note);
    if (outcome === 'ended' && hasMoved)
      ({ outcome, total } = await scanList(list, {}, loaders, scanPages, note, true));
    return outcome === 'exhausted' ? beyondScan(list, scanPages, total) : null;
  } catch (error) {
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
