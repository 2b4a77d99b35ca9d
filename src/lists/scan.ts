import { GatewayError } from '../errors.ts';
import { readStretch } from '../paging/stretch.ts';
import type { Bounds } from '../paging/window.ts';
import type { Arguments } from '../upstream/arguments.ts';
import type { ListOperation } from '../upstream/operation.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from '../loaders/loaders.ts';

/** What became of a scan: whether the visitor had enough, the list ended, or the pages that may be read ran out. */
export interface Scanned {
  readonly outcome: 'enough' | 'ended' | 'exhausted';
  /** The length of the list; null where it was not told. */
  readonly total: number | null;
  /** What became of the list's length meanwhile. */
  readonly change: 'none' | 'grown' | 'shrunk';
}

const mostScans = 3;

/**
 * Looks through a list from its head by pages of the largest size: the first alone, since it tells the length, then twice
 * as many side by side each time. Stops as soon as `visit`, which is told the list's length where it
 * is known, has enough. Pages that this request has read are not asked for again. Throws what the upstream's failure is.
 */
export async function scanList<Row>(
  operation: ListOperation<Row>,
  args: Arguments,
  loaders: Loaders,
  pageBudget: number,
  visit: (rows: readonly (Row | null)[], total: number | null) => boolean,
  fresh = false,
): Promise<Scanned> {
  const source = listSource(operation, args, loaders);
  const { pageLimit } = operation;
  let total: number | null = null;
  let change: Scanned['change'] = 'none';
  for (let page = 0, wave = 1; page < pageBudget; page += wave, wave *= 2) {
    const from = page * pageLimit;
    const to = Math.min(page + wave, pageBudget) * pageLimit;
    const wanted = (length: number | null): Bounds => ({
      from,
      to: Math.max(from, Math.min(to, length ?? total ?? to)),
    });
    const stretch = await readStretch(source, wanted, undefined, fresh);
    change = changeOf(change, total, stretch.total);
    total = stretch.total ?? total;
    if (visit(stretch.rows, total)) return { outcome: 'enough', total, change };
    const isEnd = total === null ? stretch.rows.length < to - from : to >= total;
    if (isEnd) return { outcome: 'ended', total, change };
  }
  return { outcome: 'exhausted', total, change };
}

function changeOf(before: Scanned['change'], from: number | null, to: number | null): Scanned['change'] {
  if (from === null || to === null || from === to || before === 'shrunk') return before;
  return to < from ? 'shrunk' : 'grown';
}

/**
 * Scans until the list holds still: a row may have slipped from a page still to be read to one read before, and what was
 * not found may be there all the same. Growth is believed to be harmless the second time: lists grow at the head, which
 * pushes rows towards the pages still to be read. Throws UPSTREAM_ERROR where rows keep going.
 */
export async function scanStill(scan: (fresh: boolean) => Promise<Scanned>): Promise<Scanned> {
  for (let scans = 1; scans <= mostScans; scans++) {
    const scanned = await scan(scans > 1);
    const isStill = scanned.change === 'none' || (scanned.change === 'grown' && scans > 1);
    if (isStill || scanned.outcome !== 'ended') return scanned;
  }
  throw new GatewayError('UPSTREAM_ERROR', {
    message: 'The list kept losing rows while it was looked through, so it cannot be told what is missing from it.',
    retryable: true,
  });
}

/** QUERY_TOO_COMPLEX: the list is longer than may be looked through, and what was searched for may be in its rest. */
export function beyondScan(
  operation: Pick<ListOperation<unknown>, 'name' | 'pageLimit'>,
  pageBudget: number,
  total: number | null,
): GatewayError {
  const limit = pageBudget * operation.pageLimit;
  const length = total === null ? 'it holds more' : `it holds ${total}`;
  return new GatewayError('QUERY_TOO_COMPLEX', {
    message: `Only the first ${limit} rows of ${operation.name} are looked through; ${length}. Page through the list instead.`,
    excess: { limit, actual: total ?? limit + 1 },
  });
}
