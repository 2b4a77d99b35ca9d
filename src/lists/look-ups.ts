import { setImmediate as nextTick } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { GatewayError } from '../errors.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { Loaders } from './loaders.ts';
import { asError, createRowSearch, type Found, type FoundRows, type WantedRow } from './row-search.ts';

/** Rows whose identifiers one tick gathers for a look-up: so many take about a millisecond, and honest operations want fewer. */
export const rowsPerTick = 2_000;

/** How rows are looked up, and how many calls that may take. */
export interface LookUpOptions {
  /** How many pages of a list a search for rows may read. */
  readonly scanPages: number;
  /** `list`: single rows are found through their lists; `retrieve`: by the endpoints that some deployments offer for one row. */
  readonly lookUp: 'list' | 'retrieve';
}

/** Finds rows that the API only lists, by searching. Made for one request: the rows that it wants at once are searched together. */
export interface LookUps {
  /** The reason why no row can be looked up; null where it can be tried. */
  readonly refusal: GatewayError | null;
  /** One row by its identifier and its hint; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** Many rows in one promise, each as `find` has it, or its error. */
  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>>;
}

/** The look-ups of one request, through its loaders. */
export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  // Made on demand: most requests need none.
  let byEntity: Map<unknown, LookUp<unknown>> | undefined;

  function findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>> {
    byEntity ??= new Map();
    const known = byEntity.get(entity) as LookUp<Row> | undefined;
    const lookUp = known ?? batched(createRowSearch(entity, loaders, options));
    byEntity.set(entity, lookUp);
    return lookUp(wanted);
  }

  return {
    refusal: loaders.refusal,
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
 * cost more than all else about it. Very many rows are gathered in several ticks, so that others are served meanwhile.
 */
function batched<Row>(searchFor: (wanted: readonly WantedRow[]) => Promise<readonly Found<Row>[]>): LookUp<Row> {
  const found = new Map<string, Found<Row> | undefined>();
  const searches = new Set<Promise<void>>();

  async function search(lists: readonly (readonly WantedRow[])[]): Promise<void> {
    const wanted: WantedRow[] = [];
    let gathered = 0;
    for (const list of lists) {
      gathered += list.length;
      if (gathered > rowsPerTick) {
        await nextTick();
        gathered = list.length;
      }
      for (const row of list) {
        if (found.has(row.id)) continue;
        found.set(row.id, undefined);
        wanted.push(row);
      }
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
