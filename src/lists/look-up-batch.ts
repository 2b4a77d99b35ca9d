import { setImmediate as nextTick } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { rowsPerTick } from '../bounds.ts';
import { asError, type Found, type FoundRows, type WantedRow } from './found-row.ts';

/** Resolves when each of the rows is among those that were found, or has failed. */
export type LookUp<Row> = (wanted: readonly WantedRow[]) => Promise<FoundRows<Row>>;

/**
 * Looks up each row once, and all rows that are wanted in one tick together. Lists are batched whole: a promise for each row would
 * cost more than all else about it. Very many rows are gathered in several ticks, so that others are served meanwhile.
 */
export function batched<Row>(searchFor: (wanted: readonly WantedRow[]) => Promise<readonly Found<Row>[]>): LookUp<Row> {
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
