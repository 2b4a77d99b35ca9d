import { piecesPerResponse } from '../bounds.ts';
import type { GatewayError } from '../errors.ts';
import type { Loaders } from './loaders.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { IpConnectionRecord } from '../upstream/endpoints/ip-connection.ts';
import { createLookUp, type FoundRows, type LookUp, type WantedRow } from './look-up.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { createOwnerLookUp } from './webhook-owner.ts';

export type { FoundRows } from './look-up.ts';

/** What only a search can answer, over an API that only lists. Made for one request: all that it asks for searches together. */
export interface LookUps {
  /** Why no row can be looked for, whichever it is; null where that can be tried. */
  readonly refusal: GatewayError | null;
  /** One row by its identifier, and by what is known of it besides; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** Many rows, in one promise: each of them as `find` has it, or its error. */
  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>>;
  /**
   * Takes so many of the promises that the rows of a request may have each for itself, so that they can be streamed; false
   * where too few are left. No response that comes in pieces needs more.
   */
  takePromises(count: number): boolean;
  /** The connections that have this address for their webhooks. */
  ownersOf(url: string): Promise<readonly IpConnectionRecord[]>;
}

/** The look-ups of one request, through its loaders. */
export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  const byEntity = new Map<unknown, LookUp<unknown>>();
  let promises = piecesPerResponse;
  let owners: ReturnType<typeof createOwnerLookUp> | undefined;

  function lookUpOf<Row>(entity: Entity<Row>): LookUp<Row> {
    const lookUp = (byEntity.get(entity) as LookUp<Row> | undefined) ?? createLookUp(entity, loaders, options);
    byEntity.set(entity, lookUp);
    return lookUp;
  }

  return {
    refusal: loaders.refusal,
    async find(entity, wanted) {
      const found = (await lookUpOf(entity)([wanted])).get(wanted.id) ?? null;
      if (found instanceof Error) throw found;
      return found;
    },
    findEach: (entity, wanted) => lookUpOf(entity)(wanted),
    takePromises(count) {
      if (count > promises) return false;
      promises -= count;
      return true;
    },
    ownersOf(url) {
      owners ??= createOwnerLookUp(loaders, options);
      return owners.load(url);
    },
  };
}
