import { asError, indexOf, type Found, type WantedRow } from './found-row.ts';
import { searchByHint, sourceOf, type AddRows, type Search } from './hint-search.ts';
import { beyondScan, scanList, scanStill } from './scan.ts';

/** Finds rows through their list: in the pages that are there already, then by hint, then in the list until all are found. */
export async function findAll<Row>(search: Search<Row>, wanted: readonly WantedRow[]): Promise<Found<Row>[]> {
  const { entity, loaders } = search;
  const found = indexOf(entity, await loaders.rowsOf(entity.list));
  const isMissing = ({ id }: WantedRow): boolean => !found.has(id);
  const addRows: AddRows<Row> = (rows) => {
    for (const [id, row] of indexOf(entity, rows)) found.set(id, row);
    return !wanted.some(isMissing);
  };
  const missingHints = (): readonly string[] => [
    ...new Set(wanted.filter(isMissing).flatMap(({ hint }) => (hint === null ? [] : [hint]))),
  ];
  await searchByHint(search, missingHints, addRows);
  const failure = wanted.some(isMissing) ? await searchAll(search, addRows) : null;
  return wanted.map(({ id }) => found.get(id) ?? failure);
}

/** Searches the list. Null where the rows still missing do not exist; an error where that is unknown. */
async function searchAll<Row>(search: Search<Row>, addRows: AddRows<Row>): Promise<Error | null> {
  const { entity, loaders, budget } = search;
  try {
    const scanned = await scanStill((how) => scanList(sourceOf(search, {}, budget), { visit: addRows, ...how }));
    if (scanned.outcome !== 'exhausted') return null;
    // A later search has no calls left, and would report that it has read nothing.
    search.beyond.error ??= beyondScan(entity.list, budget.limit, scanned.rows.length, scanned.total);
    return search.beyond.error;
  } catch (error) {
    // Other pages that were asked for together may have come, and may hold wanted rows.
    addRows(await loaders.rowsOf(entity.list));
    return asError(error);
  }
}
