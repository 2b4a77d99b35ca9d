import DataLoader from 'dataloader';
import type { Config } from '../config.ts';
import { gatewayErrorsOf, type ErrorCode, GatewayError } from '../errors.ts';
import { comparableId, identifierOf } from '../json.ts';
import { CallBudget, ServedSizes, type Source } from '../paging/source.ts';
import { WorkSlices } from '../time-slices.ts';
import type { Arguments, Entity } from '../upstream/endpoint.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from './loaders.ts';
import { beyondScan, scanList, scanStill } from './scan.ts';

/** Rows of one look-up that are asked for one by one by their hints; for more, one search through a part of the list is cheaper. */
const hintsOneByOne = 4;

/** Calls that a hint may take: several rows may share it, such as a moment. */
const pagesOfHint = 3;

/** The part of a look-up's calls that its hints may take: the search through the list keeps half where they lead nowhere. */
const hintShare = 0.5;

/** How rows are looked up, and how many calls that may take. */
type LookUpOptions = Pick<Config, 'upstreamScanPages' | 'upstreamLookUp'>;

/** A row to be found. */
export interface WantedRow {
  readonly id: string;
  /** The hint that the entity's `hintName` named when the row was last seen; null where there is none. */
  readonly hint: string | null;
}

/** A row that was looked for; null where there is none, an error where that is unknown. */
type Found<Row> = Row | null | Error;

/** What has been found so far, by identifier; undefined for a row that is still being looked for. */
export type FoundRows<Row> = ReadonlyMap<string, Found<Row> | undefined>;

/** Finds rows that the API only lists, by searching. Made for one request: the rows that it wants at once are searched together. */
export interface LookUps {
  /** One row by its identifier and its hint; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** Many rows in one promise, each as `find` has it, or its error. */
  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>>;
}

export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  const byEntity = new Map<unknown, LookUp<unknown>>();

  function findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>> {
    const lookUp = byEntity.getOrInsertComputed(entity, () => batched(createRowSearch(entity, loaders, options)));
    return lookUp(wanted) as Promise<FoundRows<Row>>;
  }

  return {
    findEach,
    async find(entity, wanted) {
      const found = (await findEach(entity, [wanted])).get(wanted.id) ?? null;
      if (found instanceof Error) throw found;
      return found;
    },
  };
}

/** Resolves when each of the rows is among those that were found, or has failed. */
type LookUp<Row> = (wanted: readonly WantedRow[]) => Promise<FoundRows<Row>>;

/**
 * Looks up each row once, and all rows that are wanted in one tick together. Lists are batched whole: a promise for each row would
 * cost more than all else about it.
 */
function batched<Row>(searchFor: (wanted: readonly WantedRow[]) => Promise<readonly Found<Row>[]>): LookUp<Row> {
  const found = new Map<string, Found<Row> | undefined>();
  let searches: Promise<unknown> = Promise.resolve();

  async function search(lists: readonly (readonly WantedRow[])[]): Promise<void> {
    const wanted: WantedRow[] = [];
    await new WorkSlices().each(lists.flat(), (row) => {
      if (found.has(row.id)) return;
      found.set(row.id, undefined);
      wanted.push(row);
    });
    const rows = await searchFor(wanted).catch((error: unknown) => wanted.map(() => error as Error));
    for (const [index, { id }] of wanted.entries()) found.set(id, rows[index] ?? null);
  }

  const lists = new DataLoader<readonly WantedRow[], FoundRows<Row>>(
    async (batch) => {
      // Some of the rows may be those of a search that is still under way.
      searches = Promise.all([searches, search(batch)]);
      await searches;
      return batch.map(() => found);
    },
    { cache: false },
  );
  return (wanted) => lists.load(wanted);
}

/** Finds rows of one kind in one request, each at its place. All searches together take at most `upstreamScanPages` calls. */
function createRowSearch<Row>(
  entity: Entity<Row>,
  loaders: Loaders,
  { upstreamLookUp, upstreamScanPages }: LookUpOptions,
): (wanted: readonly WantedRow[]) => Promise<readonly Found<Row>[]> {
  if (upstreamLookUp === 'retrieve') return (wanted) => retrieve(entity, wanted, loaders);
  const search = new ListSearch(entity, loaders, upstreamScanPages);
  return (wanted) => search.find(wanted);
}

/** Finds rows through their list: in the pages that are there already, then by hint, then in the list until all are found. */
class ListSearch<Row> {
  readonly #entity: Entity<Row>;
  readonly #loaders: Loaders;
  readonly #budget: CallBudget;
  readonly #sizes: ServedSizes;
  /** All rows that were read, by their identifiers, as these are compared. */
  readonly #found = new Map<string, Row>();

  constructor(entity: Entity<Row>, loaders: Loaders, scanPages: number) {
    this.#entity = entity;
    this.#loaders = loaders;
    this.#budget = new CallBudget(scanPages);
    this.#sizes = new ServedSizes(entity.list.pageLimit);
  }

  async find(wanted: readonly WantedRow[]): Promise<Found<Row>[]> {
    this.#add(await this.#loaders.rowsOf(this.#entity.list));
    await this.#searchByHint(wanted);
    const failure = this.#missing(wanted).length === 0 ? null : await this.#searchAll(wanted);
    return wanted.map(({ id }) => this.#found.get(comparableId(id)) ?? failure);
  }

  #add(rows: readonly (Row | null)[]): void {
    for (const [id, row] of indexOf(this.#entity, rows)) this.#found.set(id, row);
  }

  #missing(wanted: readonly WantedRow[]): readonly WantedRow[] {
    return wanted.filter(({ id }) => !this.#found.has(comparableId(id)));
  }

  /** The hints of those that are missing, each once. */
  #hints(wanted: readonly WantedRow[]): readonly string[] {
    return [...new Set(this.#missing(wanted).flatMap(({ hint }) => hint ?? []))];
  }

  /** Adds rows that were read; whether none of those that are wanted is missing any more. */
  #addUntilFound(wanted: readonly WantedRow[]): (rows: readonly (Row | null)[]) => boolean {
    return (rows) => {
      this.#add(rows);
      return this.#missing(wanted).length === 0;
    };
  }

  #source(args: Arguments, budget: CallBudget): Source<Row | null> {
    return listSource(this.#entity.list, args, this.#loaders, { budget, sizes: this.#sizes });
  }

  /** A hint may be out of date, and its filter may fail: the search through the list follows. */
  async #searchByHint(wanted: readonly WantedRow[]): Promise<void> {
    const oneByOne = this.#budget.part(Math.max(1, Math.floor(this.#budget.limit * hintShare)));
    if (this.#hints(wanted).length > hintsOneByOne && (await this.#isSearchedTogether(wanted, oneByOne))) return;
    await Promise.allSettled(this.#hints(wanted).map((hint) => this.#searchOneHint(wanted, hint, oneByOne)));
  }

  /** Searches the part of the list that holds all hints; false where asking for those that are left one by one takes fewer calls. */
  async #isSearchedTogether(wanted: readonly WantedRow[], oneByOne: CallBudget): Promise<boolean> {
    const args = this.#entity.narrow(this.#hints(wanted));
    if (args === null) return true;
    let isDearer = false;
    const isEnough = ({ length }: readonly unknown[], total: number | null): boolean => {
      const hints = this.#hints(wanted);
      const calls = total === null ? Infinity : Math.ceil((total - length) / this.#sizes.most);
      isDearer = hints.length < calls && hints.length <= oneByOne.left;
      // Calls that are too few for this part of the list may still find rows at the head of the whole list.
      return isDearer || calls > this.#budget.left;
    };
    // If it fails, the hints were of no use.
    await scanList(this.#source(args, this.#budget), { addRows: this.#addUntilFound(wanted), isEnough }).catch(
      () => {},
    );
    return !isDearer;
  }

  async #searchOneHint(wanted: readonly WantedRow[], hint: string, budget: CallBudget): Promise<void> {
    const args = this.#entity.narrow([hint]);
    if (args === null) return;
    const hinted = this.#missing(wanted).filter((row) => row.hint === hint);
    await scanList(this.#source(args, budget.part(pagesOfHint)), { addRows: this.#addUntilFound(hinted) });
  }

  /** Null where the rows still missing do not exist; an error where that is unknown. */
  async #searchAll(wanted: readonly WantedRow[]): Promise<Error | null> {
    const { list } = this.#entity;
    try {
      const { outcome, read } = await scanStill(this.#source({}, this.#budget), {
        addRows: this.#addUntilFound(wanted),
      });
      return outcome === 'exhausted' ? beyondScan(list, this.#budget.limit, read.covered, read.total) : null;
    } catch (error) {
      // Other pages that were asked for together may have come, and may hold wanted rows.
      this.#add(await this.#loaders.rowsOf(list));
      return error as Error;
    }
  }
}

// As many calls as a caller whom the API has not answered yet may make and have waiting.
const retrievedAtOnce = 64;

/** Retrieves rows by one call for each, some side by side (`UPSTREAM_LOOKUP=retrieve`). */
async function retrieve<Row>(
  entity: Entity<Row>,
  wanted: readonly WantedRow[],
  loaders: Loaders,
): Promise<Found<Row>[]> {
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  const rows: Found<Row>[] = [];
  for (let at = 0; at < wanted.length; at += retrievedAtOnce) {
    const together = wanted.slice(at, at + retrievedAtOnce);
    const reading = together.map(
      async ({ id }) => found.get(comparableId(id)) ?? (await retrieveOne(entity, id, loaders)),
    );
    rows.push(...(await Promise.all(reading)));
  }
  return rows;
}

async function retrieveOne<Row>(entity: Entity<Row>, id: string, loaders: Loaders): Promise<Found<Row>> {
  // No path segment can hold these: a URL with them would name another path.
  if (['', '.', '..'].includes(id) || !id.isWellFormed()) return null;
  try {
    const row = await loaders.load(entity.retrieve, { id });
    const told = identifierOf(row[entity.list.idName]);
    if (told === undefined || comparableId(told) === comparableId(id)) return row;
    const violation = { coordinate: entity.retrieve.coordinate, kind: 'contradiction' } as const;
    throw new GatewayError('UPSTREAM_BAD_RESPONSE', { message: 'The upstream sent another row.', violation });
  } catch (error) {
    return gatewayErrorsOf(error).every(isAbsence) ? null : (error as Error);
  }
}

// The codes of a refused request; others mean a refused caller, or a failure of the upstream.
const refusals: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'BAD_USER_INPUT', 'UNPROCESSABLE_ENTITY']);

/**
 * Whether an error means that there is no such row: a 404, or a refusal of the identifier as one that no row can have. A refusal
 * that points at no argument may have any reason.
 */
function isAbsence({ code, details: { argument, upstream } }: GatewayError): boolean {
  if (!refusals.has(code)) return false;
  const isRefused = upstream?.status === 400 || upstream?.status === 422;
  return upstream?.status === 404 || (isRefused && argument?.[0] === 'id');
}

function indexOf<Row>({ list }: Entity<Row>, rows: readonly (Row | null)[]): Map<string, Row> {
  const index = new Map<string, Row>();
  for (const row of rows) {
    const id = identifierOf(row?.[list.idName]);
    if (id !== undefined) index.set(comparableId(id), row as Row);
  }
  return index;
}
