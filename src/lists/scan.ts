import { scansOfList } from '../bounds.ts';
import { GatewayError } from '../errors.ts';
import { BudgetSpent } from '../paging/call-budget.ts';
import { PageLedger } from '../paging/page-ledger.ts';
import { nextPages } from '../paging/page-plan.ts';
import type { Source } from '../paging/source.ts';
import { askFor, cut } from '../paging/read-range.ts';
import type { ListEndpoint } from '../upstream/endpoint.ts';

/** What became of a scan: whether the reader had enough, the list ended, or the calls that it may take ran out. */
export interface Scanned<Row> {
  readonly outcome: 'enough' | 'ended' | 'exhausted';
  /** The rows from the head on that were read without a gap. */
  readonly rows: readonly Row[];
  /** The length of the list; null where it is not known. */
  readonly total: number | null;
  /** What became of the list's length meanwhile. */
  readonly change: 'none' | 'grown' | 'shrunk';
}

/** Who reads along with a scan, and how it goes. */
export interface ScanOptions<Row> {
  /** Told of the rows of each page as it comes, in whatever order; true ends the scan at once. */
  readonly visit?: (rows: readonly Row[]) => boolean;
  /** Told of all rows from the head on without a gap, and of the list's length where it is known; true ends the scan. */
  readonly isEnough?: (rows: readonly Row[], total: number | null) => boolean;
  /** Asks for pages again that this request has read already. */
  readonly fresh?: boolean;
  /** Reads one page after another. */
  readonly isSequential?: boolean;
}

/**
 * Looks through a list from its head by the largest pages that it is seen to serve: the first alone, since it tells the
 * length, then twice as many side by side each time, as long as they are needed. It takes as many calls as the source's
 * budget has. Throws what the upstream's failure is, and UPSTREAM_BAD_RESPONSE where the list contradicts itself.
 */
export async function scanList<Row>(source: Source<Row>, options: ScanOptions<Row>): Promise<Scanned<Row>> {
  const { visit, isEnough, fresh = false, isSequential = false } = options;
  const ledger = new PageLedger(source);
  const found = Promise.withResolvers<'enough'>();
  const headRows = (): readonly Row[] => cut({ from: 0, to: ledger.covered }, ledger.parts).flatMap(({ rows }) => rows);
  const scanned = (outcome: Scanned<Row>['outcome']): Scanned<Row> => ({
    outcome,
    rows: headRows(),
    total: ledger.total,
    change: changeOf(ledger),
  });
  for (let width = 1; ; width = isSequential ? 1 : width * 2) {
    const pages = nextPages(ledger, Math.min(width, Math.max(1, source.budget?.left ?? Infinity)));
    if (pages.length === 0) return scanned('ended');
    const wave = askFor(pages, ledger, async (page) => {
      const answer = await source.fetchPage(page, fresh || ledger.hasAsked(page));
      if (visit?.(answer.rows) === true) found.resolve('enough');
      return answer;
    });
    try {
      if ((await Promise.race([found.promise, wave])) === 'enough') return scanned('enough');
    } catch (error) {
      if (error instanceof BudgetSpent) return scanned('exhausted');
      throw error;
    }
    if (isEnough?.(headRows(), ledger.total) === true) return scanned('enough');
  }
}

/** Rows that come push others towards pages still to be read; rows that go draw some to pages that were read before. */
export function changeOf({
  totals,
  isMixed,
}: Pick<PageLedger<never>, 'totals' | 'isMixed'>): Scanned<unknown>['change'] {
  if (totals.some((total, index) => total < (totals[index - 1] ?? 0))) return 'shrunk';
  if (totals.length > 0 && totals[0] !== totals.at(-1)) return 'grown';
  // A row on two pages of a list that does not say that it has grown: others may be on none.
  return isMixed ? 'shrunk' : 'none';
}

/**
 * Scans until the list holds still: a row may have slipped from a page still to be read to one read before, and what was
 * not found may be there all the same. Growth is believed to be harmless the second time: lists grow at the head, which
 * pushes rows towards the pages still to be read. The last time the pages are read one after another, as growth between
 * those that are read side by side would be no harmless one. Throws UPSTREAM_ERROR where rows keep going.
 */
export async function scanStill<Row>(
  scan: (how: Pick<ScanOptions<Row>, 'fresh' | 'isSequential'>) => Promise<Scanned<Row>>,
): Promise<Scanned<Row>> {
  for (let scans = 1; scans <= scansOfList; scans++) {
    const scanned = await scan({ fresh: scans > 1, isSequential: scans === scansOfList });
    const { outcome, change } = scanned;
    const isStill = change === 'none' || (change === 'grown' && scans > 1);
    if (outcome === 'enough' || (outcome === 'exhausted' && scans === 1)) return scanned;
    if (outcome === 'exhausted') break;
    if (isStill) return scanned;
  }
  throw neverStill();
}

/** UPSTREAM_ERROR: the list has lost rows while it was read, so that others may have been passed over. */
export function neverStill(): GatewayError {
  return new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept losing rows while it was looked through, so it cannot be told what is missing from it.',
    retryable: true,
  });
}

/**
 * QUERY_TOO_COMPLEX: the list is longer than may be looked through, and what was searched for may be in its rest. `seen` rows
 * of its head have been.
 */
export function beyondScan(
  { name }: Pick<ListEndpoint<unknown>, 'name'>,
  calls: number,
  seen: number,
  total: number | null,
): GatewayError {
  const length = total === null || total <= seen ? 'it holds more' : `it holds ${total}`;
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `A search takes ${calls} calls at most, enough for the first ${seen} rows of ${name}; ${length}. Page through the list instead.`,
    excess: { limit: seen, actual: Math.max(total ?? 0, seen + 1) },
  });
}
