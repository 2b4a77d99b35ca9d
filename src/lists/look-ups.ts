import type DataLoader from 'dataloader';
import type { Loaders } from './loaders.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { IpConnectionRecord } from '../upstream/endpoints/ip-connection.ts';
import { createLookUp, type WantedRow } from './look-up.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { createOwnerLookUp } from './webhook-owner.ts';

/** What only a search can answer, over an API that only lists. Made for one request: all that it asks for searches together. */
export interface LookUps {
  /** One row by its identifier, and by what is known of it besides; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** The connections that have this address for their webhooks. */
  ownersOf(url: string): Promise<readonly IpConnectionRecord[]>;
}

/** The look-ups of one request, through its loaders. */
export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  const byEntity = new Map<unknown, DataLoader<WantedRow, unknown, string>>();
  let owners: ReturnType<typeof createOwnerLookUp> | undefined;

  return {
    async find<Row>(entity: Entity<Row>, wanted: WantedRow) {
      const lookUp = byEntity.get(entity) ?? createLookUp(entity, loaders, options);
      byEntity.set(entity, lookUp);
      return (await lookUp.load(wanted)) as Row | null;
    },
    ownersOf(url) {
      owners ??= createOwnerLookUp(loaders, options);
      return owners.load(url);
    },
  };
}
