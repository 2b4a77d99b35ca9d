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
  /** Whether the list changed its length meanwhile: a row may have slipped from a page still to be read to one read before. */
  readonly hasMoved: boolean;
}

/**
 * Looks through a list from its head by pages of the largest size: the first alone, since it tells the length, then twice
 * as many side by side each time. Stops as soon as `visit` has enough. Pages that this request has read are not asked for
 * again. Throws what the upstream's failure is.
 */
export async function scanList<Row>(
  operation: ListOperation<Row>,
  args: Arguments,
  loaders: Loaders,
  pageBudget: number,
  visit: (rows: readonly (Row | null)[]) => boolean,
  fresh = false,
): Promise<Scanned> {
  const source = listSource(operation, args, loaders);
  const { pageLimit } = operation;
  let total: number | null = null;
  let hasMoved = false;
  for (let page = 0, wave = 1; page < pageBudget; page += wave, wave *= 2) {
    const from = page * pageLimit;
    const to = Math.min(page + wave, pageBudget) * pageLimit;
    const wanted = (length: number | null): Bounds => ({
      from,
      to: Math.max(from, Math.min(to, length ?? total ?? to)),
    });
    const stretch = await readStretch(source, wanted, undefined, fresh);
    hasMoved ||= total !== null && stretch.total !== total;
    total = stretch.total ?? total;
    if (visit(stretch.rows)) return { outcome: 'enough', total, hasMoved };
    const isEnd = total === null ? stretch.rows.length < to - from : to >= total;
    if (isEnd) return { outcome: 'ended', total, hasMoved };
  }
  return { outcome: 'exhausted', total, hasMoved };
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
