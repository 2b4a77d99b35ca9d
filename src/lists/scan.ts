import { GatewayError, type ArgumentPath } from '../errors.ts';
import { identifierOf, isJsonObject } from '../json.ts';
import { looksOf } from '../paging/anchor.ts';
import { PagesRead } from '../paging/pages-read.ts';
import { BudgetSpent, CallBudget, keepsMoving, type Source } from '../paging/source.ts';
import type { Arguments, ListEndpoint } from '../upstream/endpoint.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from './loaders.ts';

/** Scans of a list that moves meanwhile. The last scan reads its pages one after another, so growth cannot hide a row. */
const scansOfList = 3;

/** The result of a scan: the reader had enough, the list ended, or the budget of calls was spent; and what was read by then. */
interface Scanned<Row> {
  readonly outcome: 'enough' | 'ended' | 'exhausted';
  readonly read: PagesRead<Row>;
}

/** The reader of a scan, and how pages are read. */
interface ScanOptions<Row> {
  /** Gets the rows of each page as it comes, in any order; true ends the scan at once. */
  readonly addRows?: (rows: readonly Row[]) => boolean;
  /** Gets all rows from the head on without a gap, and the list's length where it is known; true ends the scan. */
  readonly isEnough?: (rows: readonly Row[], total: number | null) => boolean;
  /** Asks again for pages that this request has read already. */
  readonly fresh?: boolean;
  /** Reads one page after another. */
  readonly isSequential?: boolean;
}

/**
 * Reads a list from its head by the largest pages that it serves: the first page alone, since it reports the length, then twice as
 * many pages side by side each time, until the reader has enough. It takes at most the calls of the source's budget. Throws the
 * upstream's failure, and UPSTREAM_BAD_RESPONSE where the list contradicts itself.
 */
export async function scanList<Row>(source: Source<Row>, options: ScanOptions<Row>): Promise<Scanned<Row>> {
  const { addRows, isEnough, fresh = false, isSequential = false } = options;
  const read = new PagesRead(source);
  const found = Promise.withResolvers<'enough'>();
  for (let width = 1; ; width = isSequential ? 1 : width * 2) {
    const pages = read.next(Math.min(width, Math.max(1, source.budget?.left ?? Infinity)));
    if (pages.length === 0) return { outcome: 'ended', read };
    const wave = read.ask(pages, async (page, again) => {
      const answer = await source.fetchPage(page, fresh || again);
      if (addRows?.(answer.rows) === true) found.resolve('enough');
      return answer;
    });
    try {
      if ((await Promise.race([found.promise, wave])) === 'enough') return { outcome: 'enough', read };
    } catch (error) {
      if (error instanceof BudgetSpent) return { outcome: 'exhausted', read };
      throw error;
    }
    if (isEnough?.(read.headRows, read.total) === true)
      return { outcome: read.change === 'shrunk' ? 'ended' : 'enough', read };
  }
}

/**
 * Scans until the list does not change meanwhile: a row may have moved from a page still to be read to one read before, so a row
 * that was not found may exist. Growth in the second scan is taken to be harmless: lists grow at the head, which pushes rows
 * towards the pages still to be read. The last scan reads its pages one after another, since growth between pages that are read
 * side by side may hide rows. Throws UPSTREAM_ERROR where the list keeps losing rows; a long one may use up the calls before.
 */
export async function scanStill<Row>(
  source: Source<Row>,
  reader: Pick<ScanOptions<Row>, 'addRows' | 'isEnough'> = {},
): Promise<Scanned<Row>> {
  for (let scans = 1; scans <= scansOfList; scans++) {
    const scanned = await scanList(source, { ...reader, fresh: scans > 1, isSequential: scans === scansOfList });
    const { change } = scanned.read;
    if (scanned.outcome !== 'ended' || change === 'none' || (change === 'grown' && scans > 1)) return scanned;
  }
  throw keepsMoving();
}

interface ThroughOptions<Row> {
  /** Arguments that the gateway set or changed. */
  readonly ownArguments?: readonly ArgumentPath[];
  /** Whether no more is needed, by the rows from the head on, the list's length and how many more rows may be read; absent: it never is. */
  readonly isEnough?: (rows: readonly (Row | null)[], total: number | null, left: number) => boolean;
}

/**
 * All rows of a list, without those that are no record. Throws QUERY_TOO_COMPLEX where that takes more than `scanPages` calls.
 */
export async function readThrough<Row extends object>(
  endpoint: ListEndpoint<Row>,
  args: Arguments,
  loaders: Loaders,
  scanPages: number,
  { ownArguments = [], isEnough = () => false }: ThroughOptions<Row> = {},
): Promise<readonly Row[]> {
  const budget = new CallBudget(scanPages);
  const source = listSource(endpoint, args, loaders, { budget, ownArguments });
  const { outcome, read } = await scanStill(source, {
    isEnough: (rows, total) => isEnough(rows, total, budget.left * source.sizes.most),
  });
  if (outcome === 'exhausted') throw beyondScan(endpoint, scanPages, read.covered, read.total);
  // Growth may have a row on two pages. An identifier that one page has twice is the API's own.
  return read.change === 'none' ? read.headRows.filter((row) => isJsonObject(row)) : distinct(endpoint, read.headRows);
}

/** The records among some rows of a list, each once: lists overlap, and so do pages of one that moves or is read on by time. */
export function distinct<Row extends object>(
  { idName }: Pick<ListEndpoint<Row>, 'idName'>,
  rows: readonly (Row | null)[],
): readonly Row[] {
  const records = rows.filter((row): row is Row => isJsonObject(row));
  return [...new Map(records.map((row) => [identifierOf(row[idName]) ?? looksOf(row), row])).values()];
}

/**
 * QUERY_TOO_COMPLEX: the list is longer than a search may read, and the wanted row may be in its rest. The search has read the
 * first `seen` rows.
 */
export function beyondScan(
  { name }: Pick<ListEndpoint<unknown>, 'name'>,
  calls: number,
  seen: number,
  total: number | null,
): GatewayError {
  const actual = Math.max(total ?? 0, seen + 1);
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `A search takes ${calls} calls at most, enough for the first ${seen} rows of ${name}; it holds ${actual} or more. Page through the list instead.`,
    excess: { limit: seen, actual },
  });
}

/**
 * Reads the next page of a list behind those that were read from its head on, of at most so many rows; false where the source's budget is
 * spent. Throws UPSTREAM_ERROR where the list has lost rows since its first page: the reader may have missed others.
 */
export async function readOn<Row>(read: PagesRead<Row>, size: number): Promise<boolean> {
  const { source } = read;
  try {
    await read.ask(read.next(1, Math.min(size, source.sizes.most)), source.fetchPage);
  } catch (error) {
    if (error instanceof BudgetSpent) return false;
    throw error;
  }
  if (read.change === 'shrunk') throw keepsMoving();
  return true;
}
