import { hintPageSize, hintShare, hintsOneByOne, pagesOfHint } from '../bounds.ts';
import type { CallBudget, ServedSizes, Source } from '../paging/source.ts';
import type { Arguments } from '../upstream/arguments.ts';
import type { Entity } from '../upstream/endpoint.ts';
import { listSource } from './list-source.ts';
import type { Loaders } from './loaders.ts';
import { scanList } from './scan.ts';

/** The search for rows of one kind in one request, and the calls that all of it may take. */
export interface Search<Row> {
  readonly entity: Entity<Row>;
  readonly loaders: Loaders;
  readonly budget: CallBudget;
  readonly sizes: ServedSizes;
  /** Why the rest of the list cannot be searched, from the search that used up the budget. */
  readonly beyond: { error: Error | null };
}

/** Adds rows that were read to those found; whether all wanted rows have been found. */
export type AddRows<Row> = (rows: readonly (Row | null)[]) => boolean;

/** The list of a search, with these arguments and this budget. */
export function sourceOf<Row>(
  { entity, loaders, sizes }: Search<Row>,
  args: Arguments,
  budget: CallBudget,
): Source<Row | null> {
  return listSource(entity.list, args, loaders, { budget, sizes });
}

/** Searches by hints. A hint may be out of date, and its filter may fail: the search through the list follows. */
export async function searchByHint<Row>(
  search: Search<Row>,
  missingHints: () => readonly string[],
  addRows: AddRows<Row>,
): Promise<void> {
  const { limit } = search.budget;
  const budget = search.budget.part(Math.max(1, Math.floor(limit * hintShare)));
  const hints = missingHints();
  if (hints.length > hintsOneByOne && (await isSearchedTogether(search, hints, budget, addRows))) return;
  await Promise.allSettled(missingHints().map((hint) => searchOneHint(search, hint, budget, addRows)));
}

/** Searches the part of the list that holds all hints; false where asking for them one by one takes fewer calls. */
async function isSearchedTogether<Row>(
  search: Search<Row>,
  hints: readonly string[],
  single: CallBudget,
  addRows: AddRows<Row>,
): Promise<boolean> {
  const { entity, budget, sizes } = search;
  const args = entity.narrow(hints);
  if (args === null) return true;
  try {
    // The first page reports the length of that part, and is not asked for again.
    const { outcome, total } = await scanList(sourceOf(search, args, budget.part(1)), { visit: addRows });
    if (outcome !== 'exhausted') return true;
    const pages = total === null ? Infinity : Math.ceil(total / sizes.most);
    if (hints.length < pages && hints.length <= single.left) return false;
    // Calls that are too few for this part of the list may still find rows at the head of the whole list.
    if (pages <= budget.left + 1) await scanList(sourceOf(search, args, budget), { visit: addRows });
  } catch {
    // The hints were of no use.
  }
  return true;
}

async function searchOneHint<Row>(
  search: Search<Row>,
  hint: string,
  budget: CallBudget,
  addRows: AddRows<Row>,
): Promise<void> {
  const { list, narrow } = search.entity;
  const args = narrow([hint]);
  if (args === null) return;
  const page = { number: 1, size: hintPageSize, numberArgument: undefined, sizeArgument: undefined };
  const { rows, meta } = await search.loaders.load(list, args, page, { budget });
  const mayHoldMore = meta.totalResults === null ? rows.length === hintPageSize : meta.totalResults > rows.length;
  if (addRows(rows) || !mayHoldMore) return;
  await scanList(sourceOf(search, args, budget.part(pagesOfHint)), { visit: addRows });
}
