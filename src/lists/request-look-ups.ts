import { piecesPerResponse } from '../bounds.ts';
import type { GatewayError } from '../errors.ts';
import type { Loaders } from './loaders.ts';
import type { Entity } from '../upstream/endpoint.ts';
import type { IpConnectionRecord } from '../upstream/endpoints/ip-connection.ts';
import type { FoundRows, WantedRow } from './found-row.ts';
import { createLookUp } from './look-up.ts';
import type { LookUp } from './look-up-batch.ts';
import type { LookUpOptions } from './look-up-options.ts';
import { createOwnerLookUp } from './webhook-owner.ts';

export type { FoundRows } from './found-row.ts';

/** Finds rows that the API only lists, by searching. Made for one request: the rows that it wants at once are searched together. */
export interface LookUps {
  /** The reason why no row can be looked up; null where it can be tried. */
  readonly refusal: GatewayError | null;
  /** One row by its identifier and its hint; null where there is none. */
  find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null>;
  /** Many rows in one promise, each as `find` has it, or its error. */
  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>>;
  /**
   * Takes promises for so many rows, each of which can then be streamed by itself; false where too few are left. A request has
   * as many as a response may have pieces.
   */
  takePromises(count: number): boolean;
  /** The connections whose webhooks go to this address. */
  ownersOf(url: string): Promise<readonly IpConnectionRecord[]>;
}

/** The look-ups of one request, through its loaders. */
export function createLookUps(loaders: Loaders, options: LookUpOptions): LookUps {
  return new RequestLookUps(loaders, options);
}

class RequestLookUps implements LookUps {
  readonly #loaders: Loaders;
  readonly #options: LookUpOptions;
  // Both are made on demand: most requests need neither.
  #byEntity: Map<unknown, LookUp<unknown>> | undefined;
  #owners: ReturnType<typeof createOwnerLookUp> | undefined;
  #promises = piecesPerResponse;

  constructor(loaders: Loaders, options: LookUpOptions) {
    this.#loaders = loaders;
    this.#options = options;
  }

  get refusal(): GatewayError | null {
    return this.#loaders.refusal;
  }

  async find<Row>(entity: Entity<Row>, wanted: WantedRow): Promise<Row | null> {
    const found = (await this.#lookUpOf(entity)([wanted])).get(wanted.id) ?? null;
    if (found instanceof Error) throw found;
    return found;
  }

  findEach<Row>(entity: Entity<Row>, wanted: readonly WantedRow[]): Promise<FoundRows<Row>> {
    return this.#lookUpOf(entity)(wanted);
  }

  takePromises(count: number): boolean {
    if (count > this.#promises) return false;
    this.#promises -= count;
    return true;
  }

  ownersOf(url: string): Promise<readonly IpConnectionRecord[]> {
    this.#owners ??= createOwnerLookUp(this.#loaders, this.#options);
    return this.#owners.load(url);
  }

  #lookUpOf<Row>(entity: Entity<Row>): LookUp<Row> {
    this.#byEntity ??= new Map();
    const known = this.#byEntity.get(entity) as LookUp<Row> | undefined;
    const lookUp = known ?? createLookUp(entity, this.#loaders, this.#options);
    this.#byEntity.set(entity, lookUp);
    return lookUp;
  }
}
