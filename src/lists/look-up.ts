import { CallBudget, ServedSizes } from '../paging/source.ts';
import type { Entity } from '../upstream/endpoint.ts';
import { findAll } from './list-search.ts';
import type { Loaders } from './loaders.ts';
import { batched, type LookUp } from './look-up-batch.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { retrieve } from './retrieved-row.ts';

/** The look-up of one kind of row in one request. All its searches together take at most `scanPages` calls. */
export function createLookUp<Row>(
  entity: Entity<Row>,
  loaders: Loaders,
  { lookUp, scanPages }: LookUpOptions,
): LookUp<Row> {
  if (lookUp === 'retrieve') return batched((wanted) => retrieve(entity, wanted, loaders));
  const sizes = new ServedSizes(entity.list.pageLimit);
  const search = { entity, loaders, budget: new CallBudget(scanPages), sizes, beyond: { error: null } };
  return batched((wanted) => findAll(search, wanted));
}
