import DataLoader from 'dataloader';
import { gatewayErrorsOf, type ErrorCode, type GatewayError } from '../errors.ts';
import type { Entity } from '../upstream/operation.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { beyondScan, scanList, scanStill, type Scanned } from './scan.ts';

/** A row to be found. */
export interface Wanted {
  readonly id: string;
  /** What the entity's `hintOf` said of the row when it was last seen; null where nothing is known. */
  readonly hint: string | null;
}

type Found<Row> = Row | null | Error;
/** Takes note of rows that were read, and tells whether all that is wanted has been found. */
type Note<Row> = (rows: readonly (Row | null)[]) => boolean;

// Up to this many rows are asked for one by one by their hints; for more, one search through a part of the list is less.
const mostHints = 4;
// Several rows may share a hint, such as a moment in time.
const hintPageSize = 10;
const mostPagesOfHint = 2;

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
async function search<Row>(
  entity: Entity<Row>,
  wanted: readonly Wanted[],
  loaders: Loaders,
  { scanPages }: LookUpOptions,
): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  const isMissing = ({ id }: Wanted): boolean => !found.has(id);
  const note: Note<Row> = (rows) => {
    for (const [id, row] of indexOf(entity, rows)) found.set(id, row);
    return !wanted.some(isMissing);
  };
  const missingHints = (): readonly string[] => [
    ...new Set(wanted.filter(isMissing).flatMap(({ hint }) => (hint === null ? [] : [hint]))),
  ];
  await searchByHint(entity, missingHints, loaders, scanPages, note);
  const failure = wanted.some(isMissing) ? await searchAll(entity, loaders, scanPages, note) : null;
  return wanted.map(({ id }) => found.get(id) ?? failure);
}

/** A hint may be out of date and its filter may fail: then the search through the list decides. */
async function searchByHint<Row>(
  entity: Entity<Row>,
  missingHints: () => readonly string[],
  loaders: Loaders,
  scanPages: number,
  note: Note<Row>,
): Promise<void> {
  const hints = missingHints();
  if (hints.length > mostHints && (await isSearchedTogether(entity, hints, loaders, scanPages, note))) return;
  await Promise.allSettled(missingHints().map((hint) => searchOneHint(entity, hint, loaders, note)));
}

/** Looks through the part of the list that holds all hints; false where asking for them one by one takes fewer calls. */
async function isSearchedTogether<Row>(
  entity: Entity<Row>,
  hints: readonly string[],
  loaders: Loaders,
  scanPages: number,
  note: Note<Row>,
): Promise<boolean> {
  const { list } = entity;
  const args = entity.narrow(hints);
  if (args === null) return true;
  try {
    // One page tells how long that part is, and is not asked for again.
    const { outcome, total } = await scanList(list, args, loaders, 1, note);
    if (outcome !== 'exhausted') return true;
    const pages = total === null ? Infinity : Math.ceil(total / list.pageLimit);
    if (hints.length < pages && hints.length <= scanPages) return false;
    await scanList(list, args, loaders, scanPages, note);
  } catch {
    // As where the hints are of no use.
  }
  return true;
}

async function searchOneHint<Row>(entity: Entity<Row>, hint: string, loaders: Loaders, note: Note<Row>): Promise<void> {
  const args = entity.narrow([hint]);
  if (args === null) return;
  const page = { number: 1, size: hintPageSize, numberArgument: undefined, sizeArgument: undefined };
  const { rows, meta } = await loaders.load(entity.list, args, page);
  const mayHoldMore = meta.totalResults === null ? rows.length === hintPageSize : meta.totalResults > rows.length;
  if (!note(rows) && mayHoldMore) await scanList(entity.list, args, loaders, mostPagesOfHint, note);
}

/** Null where the rows still missing are known not to exist; else why that cannot be told. */
async function searchAll<Row>(
  { list }: Entity<Row>,
  loaders: Loaders,
  scanPages: number,
  note: Note<Row>,
): Promise<Error | null> {
  try {
    const scan = (fresh: boolean): Promise<Scanned> => scanList(list, {}, loaders, scanPages, note, fresh);
    const { outcome, total } = await scanStill(scan);
    return outcome === 'exhausted' ? beyondScan(list, scanPages, total) : null;
  } catch (error) {
    // Of the pages that were asked for together, others may have come, and hold what is looked for.
    note(await loaders.rowsOf(list));
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
